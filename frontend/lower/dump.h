// A stable text form of the graph, for `--emit graph` and for tests that compare it whole.
#pragma once

#include <functional>
#include <string>

#include "ir/graph/graph.h"
#include "ir/support/name.h"

namespace sysdl {

/// Stages, then each part's kernels and collectives by phase in issue order, its memory, then what
/// crosses stage borders. Sizes are of one device; bytes of one collective's full vector.
/// `cost`, if given, says what to write behind a kernel, by its index in Graph::kernels.
std::string dump(const Graph& graph, const Model& model, const Plan& plan, const Machine& machine,
                 const NameTable& names,
                 const std::function<std::string(uint32_t)>& cost = nullptr);

}  // namespace sysdl
