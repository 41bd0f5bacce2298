// What reports call the kernels and collectives of a graph, and the parts of a design.
#pragma once

#include <string>

#include "driver/session.h"

namespace sysdl {

/// "layer.attention.qk": part, operation, and the kernel's own name where it has one; of the
/// optimizer's step "optimizer.adam".
std::string kernelName(const EvaluatedDesign& design, const KernelResult& kernel,
                       const NameTable& names);
std::string_view phaseOf(const EvaluatedDesign& design, const KernelResult& kernel);

/// "layer.ffn.w_down", the tensor moved; "border.…" between stages.
std::string collectiveName(const EvaluatedDesign& design, const CollectiveNode& node,
                           const NameTable& names);
/// "tp", or "tp*dp" where several mesh axes span the group.
std::string axesOf(const EvaluatedDesign& design, const CollectiveNode& node,
                   const NameTable& names);
/// The outermost network level that the group spans: "node".
std::string_view levelOf(const EvaluatedDesign& design, const CollectiveNode& node,
                         const NameTable& names);

/// How a file calls the record in a field: "A100_SXM_80GB" for `chip = nvidia.A100_SXM_80GB { … }`;
/// the name of its schema where it is written in place.
std::string partName(check::Checker& checker, check::Record* record, std::string_view field);

}  // namespace sysdl
