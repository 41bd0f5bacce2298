// Lowering: from a model, a plan and a machine to the graph of kernels and collectives of one step.
//
// One rule, for any model and plan: a plan places named axes on mesh axes; where what an operation
// makes and what another takes differ in placement, a collective follows. docs: language.md,
// "Placements"; the placements are those of DTensor and GSPMD [Xu et al. 2021, arXiv:2105.04663].
#pragma once

#include <optional>

#include "ir/graph/graph.h"
#include "ir/support/diagnostic.h"
#include "ir/support/name.h"

namespace sysdl {

/// Derives placements, collectives, backward, storage and stages. Cost depends on the operations of
/// the parts and the chunks of a stage, not on devices, equal layers, stages or micro-batches.
///
/// Empty where it reported an error: E0516 (an axis does not divide), E0515 (layers do not), E0602
/// (a tensor is never used), E0605 (more ranks than devices), E0410 to E0412 (a formula of what is
/// kept for backward faults). W0605 warns of a mesh axis that shards nothing.
///
/// The ids in model and plan must be in range, operations in dependency order, degrees and sizes at
/// least 1: the frontend sees to that.
std::optional<Graph> lower(const Model& model, const Plan& plan, const Machine& machine,
                           const OptimizerModel& optimizer, const NameTable& names,
                           Diagnostics& diagnostics);

}  // namespace sysdl
