# A model on every network of the library.
sysdlc test every_network.sysdl | grep -vE '^  pass|predicted'
sysdlc list network | cut -d ' ' -f 1
