# The spelling of units, comments, and the order of lines and declarations change no byte of the answer.
cp machine.sysdl "$SCRATCH" && cd "$SCRATCH"
cat > a.sysdl << 'end'
sysdl 2026
import "machine.sysdl"
import std.models.gpt

gpt.gpt small { layers = 4; hidden = 1_024; heads = 16; sequence = 1_024 }
design d {
  model = small
  chip = machine.round { memory.hbm.capacity = 33 GB; power = 500 W }
  network = machine.pod { take = 8 }
  workload = training { batch = 8; precision = mixed(fp16); tokens = 1e9 token }
  plan { tp = 2; pp = 2 }
}
end
mkdir other && cp machine.sysdl other && cat > other/a.sysdl << 'end'
// The same, said otherwise.
sysdl 2026

import std.models.gpt
import "machine.sysdl"

design d {
  plan {
    pp = 2
    tp = 2
  }
  workload = training {
    tokens = 1 Gtoken
    precision = mixed(fp16)
    batch = 8
  }
  network = machine.pod { take = 8 }
  chip = machine.round {
    power = (0.5 kW)
    memory.hbm.capacity = 33_000 MB
  }
  model = small
}

gpt.gpt small {
  sequence = 1024
  heads = 16
  hidden = 1024
  layers = 4
}
end
sysdlc eval a.sysdl --format json > a.json
cd other && sysdlc eval a.sysdl --format json > a.json && cmp a.json ../a.json && echo same
