# For Graphviz, which accepts it where it is installed; two designs are two clusters of one picture.
sysdlc graph two_stages.sysdl --format dot
sysdlc graph ../eval/several.sysdl --format dot > "$SCRATCH/several.dot"
grep -c '^  subgraph' "$SCRATCH/several.dot"
command -v dot > /dev/null && dot -Tsvg "$SCRATCH/several.dot" 2>&1 > /dev/null
true
