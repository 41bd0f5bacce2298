// A stable text form of the graph, for `--emit graph` and for tests that compare it whole.
#pragma once

#include <string>

#include "ir/graph/graph.h"
#include "ir/support/name.h"

namespace sysdl {

/// Stages, then each part's kernels and collectives by phase in issue order, its memory, then what
/// crosses stage borders. Sizes are of one device; bytes of one collective's full vector.
std::string dump(const Graph& graph, const Model& model, const Plan& plan, const Machine& machine,
                 const NameTable& names);

}  // namespace sysdl
