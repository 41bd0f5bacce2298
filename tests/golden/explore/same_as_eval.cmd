# A point is what `eval -D` says of it: swept fields, then results.
sysdlc explore small.sysdl --all --format csv 2> /dev/null > "$SCRATCH/explored.csv"
cut -d, -f1-4,7 "$SCRATCH/explored.csv" | tail -n +2 | sed 's/,/ /g' > "$SCRATCH/explored"
for tp in 2 3 8; do
  for pp in 1 2; do
    for recompute in none full; do
      set -- -D plan.tp=$tp -D plan.pp=$pp -D plan.recompute=$recompute
      time=$(sysdlc eval small.sysdl "$@" --get step_time 2> /dev/null) || continue
      memory=$(sysdlc eval small.sysdl "$@" --get memory.peak 2> /dev/null)
      echo "$tp $pp $recompute $time $memory"
    done
  done
done > "$SCRATCH/evaluated"
diff "$SCRATCH/explored" "$SCRATCH/evaluated" && echo "$(wc -l < "$SCRATCH/explored") points, the same"
