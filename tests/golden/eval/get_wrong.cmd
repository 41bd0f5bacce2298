# What `--get` and `--design` cannot find, and what is no value.
try() {
  sysdlc eval "$@" 2>&1
  echo "= $?"
}
try tiny.sysdl --get step_tim
try tiny.sysdl --get memory.peek
try tiny.sysdl --get memory
try tiny.sysdl --get 'step_time +'
try several.sysdl --design wyde --get step_time
try machine.sysdl
