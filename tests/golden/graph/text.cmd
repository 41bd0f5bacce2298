# As text, what `eval --emit graph` prints.
sysdlc graph ../eval/bigram.sysdl -D workload.microbatch=1
sysdlc graph ../eval/several.sysdl --design wide > "$SCRATCH/a"
sysdlc eval ../eval/several.sysdl --design wide --emit graph > "$SCRATCH/b"
cmp "$SCRATCH/a" "$SCRATCH/b"
