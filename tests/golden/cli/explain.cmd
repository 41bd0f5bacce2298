# What a code means, in capitals or not.
sysdlc explain E0402 && sysdlc explain w0605 && sysdlc explain E0701 --format json
