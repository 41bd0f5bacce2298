# Each subcommand has an example.
sysdlc --help && sysdlc eval --help && sysdlc check --help && sysdlc test --help && sysdlc explain --help
