// The device mesh as lowering sees it: its axes refined into factors, and the rules that use them.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/graph/plan.h"
#include "ir/graph/tensor_program.h"

namespace sysdl::lowering {

/// A set of mesh factors, one bit each. An axis that lies on several factors is split by the outer
/// factors first, always, so the set says the whole layout.
using FactorSet = uint32_t;

/// A mesh axis, or a part of one where a tensor axis can use only a part (kv_heads below tp), or another
/// view cuts it (experts over a part of dp).
struct Factor {
  MeshAxisId axis = 0;  // of the first view
  int64_t degree = 1;
  int64_t stride = 1;  // ranks between neighbours along the factor
};

struct Mesh {
  std::vector<Factor> factors;    // innermost first; none of degree 1
  std::vector<FactorSet> ofAxis;  // by MeshAxisId
  std::vector<std::vector<MeshAxisId>> views;
  FactorSet stages = 0;  // factors of the pipeline's axis: they place no tensor axis
  int64_t devices = 1;

  int64_t degree(FactorSet set) const;
  /// All factors of the mesh axes that a set touches: in a view whose axes it fills, else in the first.
  FactorSet wholeAxes(FactorSet set) const;
  /// The mesh axes that a set of factors is made of, in the view that names them with the fewest whole axes;
  /// of equally good ones the first, or the last where `later`. Else the axes of the first view that it touches.
  std::vector<MeshAxisId> axesOf(FactorSet set, bool later = false) const;
};

/// Where the plan puts each tensor axis (vectors by AxisId).
struct Rules {
  std::vector<FactorSet> always;
  std::vector<FactorSet> claimed;   // the mesh axes of `always`, whole: nothing else may use them
  std::vector<FactorSet> residual;  // on residual tensors only, beyond `always`
};

struct Layout {
  Mesh mesh;
  Rules rules;
};

/// True where indices of one axis lie in groups of the other (heads in kv_heads): such axes share
/// mesh factors, rank by rank.
bool areGrouped(const Model& model, AxisId a, AxisId b);
/// True where another axis' indices lie in groups of this one.
bool isGroupAxis(const Model& model, AxisId axis);

/// Refines the mesh and turns the plan's shard rules into factors.
Layout makeLayout(const Model& model, const Plan& plan);

/// The factors that `store` rules divide something over, without the pipeline's axis.
FactorSet storedOver(const Mesh& mesh, const Plan& plan, Stored what);

}  // namespace sysdl::lowering
