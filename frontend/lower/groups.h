// Where a communication group lies on the levels of the network, in closed form.
#pragma once

#include "frontend/lower/mesh.h"
#include "ir/graph/graph.h"

namespace sysdl::lowering {

/// The group of all ranks along some factors. Ranks fill the levels from the inside, so a factor of
/// stride s and degree g has on each level the largest divisor of g whose blocks never straddle two
/// members of that level; the rest lies further out. Costs nothing for any number of devices.
Group groupAlong(const Mesh& mesh, const Machine& machine, FactorSet factors, bool later = false);

/// Two ranks some stages apart, priced on the outermost level that the pipeline's axis reaches (the
/// slowest pair of neighbours sets the pace).
Group pairAcrossStages(const Mesh& mesh, const Machine& machine);

/// Devices that the levels join; saturates.
int64_t networkSize(const Machine& machine);

}  // namespace sysdl::lowering
