# Help of the program and of each command, which has an example.
sysdlc --help
for command in $(sysdlc --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
  echo "\$ sysdlc $command --help"
  sysdlc "$command" --help
done
