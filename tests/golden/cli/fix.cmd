# check --fix: each fault that has one sure correction, in a file of its own. Nothing else of a file changes, the file is then
# clean, and a second run changes nothing.
cd "$SCRATCH"
fix() {
  cat >"$1.sysdl"
  cp "$1.sysdl" before
  sysdlc check --fix --diff "$1.sysdl" >"$1.diff" 2>&1
  cmp "$1.sysdl" before
  sysdlc check --fix "$1.sysdl"
  echo "= $?"
  diff before "$1.sysdl" | sed -n '/^[<>]/p'
  cp "$1.sysdl" fixed
  sysdlc check --fix "$1.sysdl" && cmp "$1.sysdl" fixed
}
fix edition <<'END'
// A comment, and no edition.
import std.models.gpt
END
fix field <<'END'
sysdl 2026
schema disk { capacity: Data }
disk A { capactiy   = 1 TB }  // 2 spaces stay
disk B { capactiy = 1 TB }
END
fix name <<'END'
sysdl 2026
schema disk {
  capacity: Data
  derived half: Data = capcity / 2
}
END
fix module_member <<'END'
sysdl 2026
import std.chips.nvidia
chip A = nvidia.A100_SXM_80G { power = 300 W }
END
fix child <<'END'
sysdl 2026
import std.chips.nvidia
chip A = nvidia.A100_SXM_80GB {
  memory.hbn.latency = 400 ns
  memory hbm1 { latency = 400 ns }
}
END
fix import <<'END'
sysdl 2026
import std.chips.nvidea
import "feild.sysdl"
chip A = nvidia.A100_SXM_80GB
field.disk C { capacity = 2 TB }
END
fix kind <<'END'
sysdl 2026
dsik A {}
schema disk { capacity: Daat = 1 TB }
END
fix unit <<'END'
sysdl 2026
schema link {
  rate: Bandwidth = 50 gb/s
  work: WorkRate = 312 TFLOPS
  wait: Time = 3us
}
END
fix word <<'END'
sysdl 2026
enum Grade { consumer, server }
schema disk { grade: Grade = consumr }
END
fix several <<'END'
schema link {
  latncy: Time = 3us
  twice: Time = 2 * latncy
  rate: Bandwidth = 50 gb/s
  filler: Int = 1
  filler2: Int = 2
  filler3: Int = 3
  filler4: Int = 4
  filler5: Int = 5
  filler6: Int = 6
  filler7: Int = 7
  name: Text = 'link'
}
link L { latncey = 4 us }
END
cat several.diff
