// The placement algebra: how a tensor lies on the mesh, and the collectives that move it.
//
// For each mesh factor a tensor is Replicated, Sharded(axis) or Partial(sum), the placements of
// PyTorch's DTensor and of GSPMD [Xu et al. 2021, arXiv:2105.04663].
#pragma once

#include <string>
#include <vector>

#include "frontend/lower/mesh.h"
#include "ir/support/name.h"
#include "llvm/ADT/SmallVector.h"

namespace sysdl::lowering {

struct Placement {
  llvm::SmallVector<FactorSet, 6> axes;  // parallel to Tensor::axes: the factors that shard each
  FactorSet partial = 0;                 // factors over which each rank holds one term of a sum

  FactorSet sharding() const;
  friend bool operator==(const Placement& a, const Placement& b) {
    return a.partial == b.partial && a.axes == b.axes;
  }
};

/// The part of a sharding (by AxisId) that a tensor sees.
Placement placementOf(const Tensor& tensor, const std::vector<FactorSet>& sharding);

/// Elements of a tensor that one rank holds.
double localElements(const Model& model, const Mesh& mesh, const Tensor& tensor,
                     const Placement& placement);

/// One collective of a change of placement. Slices are free and have none.
struct Step {
  CollectiveKind kind = CollectiveKind::AllReduce;
  FactorSet group = 0;
  Placement from, to;
};

/// The collectives from one placement to another, cheapest order: what makes a tensor smaller first
/// (slices, reduce-scatters), gathers last.
std::vector<Step> stepsBetween(const Placement& from, const Placement& to);

/// "tp, cp": the mesh axes of some factors.
std::string meshAxesOf(FactorSet set, const Plan& plan, const Mesh& mesh, const NameTable& names,
                       bool later = false);

/// "Partial(tp) -> Sharded(seq over tp)": what a step does to the factors of its group.
std::string describe(const Step& step, const Model& model, const Plan& plan, const Mesh& mesh,
                     const Tensor& tensor, const NameTable& names);

}  // namespace sysdl::lowering
