# Every chip of the library runs a model, slower than its peak and not absurdly so.
sysdlc test every_chip.sysdl | grep -vE '^  pass|predicted'
