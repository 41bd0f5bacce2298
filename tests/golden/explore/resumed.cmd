# Killed in the middle, its state torn, then gone on with: no row is lost or doubled.
file=../../../examples/explore_gpt3_175b.sysdl
explore() { sysdlc explore "$file" --jobs 2 --all --format csv --output "$SCRATCH/$@" 2> "$SCRATCH/said"; }
explore whole.csv
echo "whole: $?"
cp "$SCRATCH/said" "$SCRATCH/counts"
sysdlc explore "$file" --jobs 1 --all --format csv --output "$SCRATCH/part.csv" 2> /dev/null &
until [ "$(grep -c '^done' "$SCRATCH/part.csv.state" 2> /dev/null)" -ge 8 ]; do sleep 0.01; done 2> /dev/null
kill -9 $!
wait $! 2> /dev/null
echo "killed: $?"
printf 'row\t7\t2\t1.5' >> "$SCRATCH/part.csv.state"
explore part.csv --resume
echo "resumed: $?"
cmp "$SCRATCH/whole.csv" "$SCRATCH/part.csv" && echo "the same rows"
cmp "$SCRATCH/counts" "$SCRATCH/said" && echo "the same counts"
test -e "$SCRATCH/part.csv.state" || echo "no state is left"
# The state of another run is not gone on with.
printf 'sysdl.explore.state/1 other\n' > "$SCRATCH/part.csv.state"
explore part.csv --resume
echo "other: $?, $(grep -c 'belongs to another' "$SCRATCH/said") refusal"
cmp "$SCRATCH/whole.csv" "$SCRATCH/part.csv" && echo "and nothing was overwritten"
