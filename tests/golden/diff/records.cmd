# Files without designs: chips and networks, children, entries of maps, kinds of a part.
cat > "$SCRATCH/a.sysdl" << 'end'
sysdl 2026

import std.chips.nvidia
import std.networks.dgx

chip A = nvidia.A100_SXM_80GB { power = 400 W }

network N = dgx.DGX_A100 { level.rail.shape = fat_tree(64) }

schema rack {
  servers: Int
  each: Power = 6 kW
  spare: Power?
  derived power: Power = servers * each
}

rack R = rack { servers = 4 }
end
cat > "$SCRATCH/b.sysdl" << 'end'
sysdl 2026

import std.chips.nvidia
import std.networks.dgx

chip A = nvidia.A100_SXM_80GB {
  power = 0.5 kW
  engine.tensor.rate[fp8] = 700 TFLOP/s
  new memory host {
    capacity = 512 GiB
    bandwidth = 30 GB/s
  }
  drop memory registers
}

network N = dgx.DGX_A100 { level.rail.shape = switched(64) }

schema rack {
  servers: Int
  each: Power = 6 kW
  spare: Power?
  derived power: Power = servers * each + 1 kW
}

rack R = rack {
  servers = 5
  each = 7 kW
  spare = 100 W
}
end
cd "$SCRATCH"
sysdlc diff a.sysdl b.sysdl
