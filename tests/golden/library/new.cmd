# Each kind of file checks without a warning and is in canonical form; a file that exists is left alone.
cd "$SCRATCH"
for kind in design chip network model exploration; do
  sysdlc new $kind $kind.sysdl && sysdlc check --deny warnings $kind.sysdl && sysdlc fmt --check $kind.sysdl && echo "$kind: fine"
done
sysdlc eval design.sysdl --get fits
sysdlc explore exploration.sysdl --format csv 2> /dev/null | wc -l
echo "mine" > mine.sysdl
sysdlc new chip mine.sysdl
echo "= $? $(cat mine.sysdl)"
sysdlc new chp
echo "= $?"
