# As text, what `eval --emit graph` prints, with what each kernel costs.
sysdlc graph ../eval/bigram.sysdl -D workload.microbatch=1
sysdlc graph ../eval/several.sysdl --design wide | sed -E 's/  [0-9.]+ [kMGT]?FLOP, .*//' > "$SCRATCH/a"
sysdlc eval ../eval/several.sysdl --design wide --emit graph > "$SCRATCH/b"
cmp "$SCRATCH/a" "$SCRATCH/b"
