// `sysdlc new`: files to start from.
#include "driver/commands.h"
#include "driver/envelope.h"
#include "fmt/format.h"
#include "llvm/Support/FileSystem.h"

namespace sysdl {
namespace {

constexpr std::string_view kDesign =
    R"(// A design: what runs, on what, and how. `sysdlc eval` answers; `sysdlc doc design` says what else it takes.
sysdl 2026

import std.chips.nvidia
import std.models.llama
import std.networks.dgx

design first {
  model = llama.Llama3_8B
  chip = nvidia.H100_SXM_80GB
  network = dgx.DGX_H100 { take = 8 }

  workload = training {
    batch = 64
    microbatch = 1
    precision = mixed(bf16)
  }

  // What the plan does not say is 1, or, as `dp`, what is left of the devices.
  plan {
    tp = 2
    sp = true
    zero = 1
  }

  cost { node_price = 300_000 USD }
}
)";

constexpr std::string_view kChip =
    R"(// A chip. Each fact says where it came from; `sysdlc doc chip` lists all fields.
sysdl 2026

chip Mine {
  source "where these numbers come from" as assumed
  cores = 128
  power = 700 W

  engine tensor {
    rate[bf16] = 1_000 TFLOP/s
    gemm[bf16] = gemm_fit {
      sustained = 0.75
      exposed_store = 0.8
      overhead = 4 us
      bandwidth_share = 0.85
    }
  }
  engine vector {
    rate[fp32] = 60 TFLOP/s
    rate[bf16] = 120 TFLOP/s
  }
  memory hbm {
    capacity = 96 GiB
    bandwidth = 4 TB/s
  }
}
)";

constexpr std::string_view kNetwork =
    R"(// A network: levels from the node outwards; `sysdlc doc level` lists all fields.
sysdl 2026

network Pod {
  source "where these numbers come from" as assumed
  level node {
    shape = switched(8)
    each_way = 450 GB/s
    latency = 1 us
  }
  level rail {
    over = level.node
    shape = fat_tree(size = 64)
    each_way = 50 GB/s
    latency = 5 us
  }
}
)";

constexpr std::string_view kModel =
    R"(// A model of a known family, with sizes of its own; `sysdlc list model` lists families and models.
sysdl 2026

import std.models.llama

llama.llama Mine = llama.Llama3_8B {
  layers = 24
  hidden = 3_072
  heads = 24
  kv_heads = 8
}
)";

constexpr std::string_view kExploration =
    R"(// An exploration: a design for each point of its sweeps, the best ones kept. `sysdlc explore` runs it.
sysdl 2026

import std.chips.nvidia
import std.models.llama
import std.networks.dgx

design first {
  model = llama.Llama3_8B
  chip = nvidia.H100_SXM_80GB
  network = dgx.DGX_H100 { take = 32 }
  workload = training { batch = 128 }
  plan { zero = 1 }
}

explore splits = first {
  sweep plan.tp in [1, 2, 4, 8]
  sweep plan.pp in divisors(32)
  sweep plan.recompute in [none, selective, full]
  keep where fits
  pareto min step_time, min memory.peak
  top 10 by step_time
}
)";

std::string_view templateOf(const std::string& kind) {
  if (kind == "chip") return kChip;
  if (kind == "network") return kNetwork;
  if (kind == "model") return kModel;
  if (kind == "exploration") return kExploration;
  return kDesign;
}

}  // namespace

Exit runNew(const Options& options, Output& output) {
  std::string_view text = templateOf(options.kind);
  if (options.item.empty() || options.item == "-") {
    output.results(text);
    return Exit::Fine;
  }
  Diagnostic d{Code::E0901, {}, {}, {}, {}, {}, false};
  std::string why;
  if (llvm::sys::fs::exists(options.item)) {
    d.message = fmt::format("`{}` exists already", options.item);
    d.helpText("choose another name; nothing was changed");
  } else if (!writeFile(options.item, text, why)) {
    d.message = fmt::format("cannot write `{}`: {}", options.item, why);
  } else {
    return Exit::Fine;
  }
  return refuse(d, options, output);
}

}  // namespace sysdl
