# Passes of other schedules; with -D, and into a file.
passes() {
  echo "$*"
  sysdlc trace two_stages.sysdl -D workload.batch=4 "$@" --output "$SCRATCH/trace.json"
  sed -n 's/^ *{"name": "\([FBW]* [0-9]*\)", "cat": "pass", "ph": "X", "pid": \([0-9]*\), "tid": \([0-9]*\), "ts": \([0-9.]*\), "dur": \([0-9.]*\), .*"chunk": \([0-9]*\).*/stage \2 thread \3: \1 chunk \6 at \4 for \5/p' "$SCRATCH/trace.json"
  sed -n '/"otherData"/,$p' "$SCRATCH/trace.json" | grep -E '_time|trace_end|micro|complete|stages'
}
passes -D plan.schedule=gpipe
passes -D model.layers=4 -D 'plan.schedule=interleaved(chunks=2)'
passes -D plan.schedule=zero_bubble_h1
passes -D model.layers=4 -D plan.schedule=zero_bubble_v
passes -D plan.schedule=dual_pipe
