// What a kernel costs, for people and for programs: work, bytes at each memory level, and what binds it.
#pragma once

#include <string>

#include "driver/json.h"
#include "ir/graph/results.h"

namespace sysdl {

/// FLOP for each byte of main memory; 0 where nothing crosses it.
double intensityOf(const KernelResult& kernel);

/// Members of the object at hand: flops, bytes by level, intensity, time, the times of engine and levels, bound,
/// margin, extrapolated.
void writeCost(JsonWriter& json, const KernelResult& kernel, const NameTable& names);

/// "tensor, 3.7 x hbm", as far as something comes next.
std::string boundText(const KernelResult& kernel, const NameTable& names);

/// "309.2 GFLOP, hbm 704 MB, l2 2.1 GB, 439 FLOP/B: 1.289 ms, tensor, 3.7 x hbm".
std::string costText(const KernelResult& kernel, const NameTable& names);

}  // namespace sysdl
