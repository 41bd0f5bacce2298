// Refines mesh axes into factors and turns shard rules into sets of factors.
#include "frontend/lower/mesh.h"

#include <algorithm>
#include <bit>

namespace sysdl::lowering {
namespace {

/// From which stride inside mesh axis `over` a rule's axis is sharded: 1 for the whole axis; more
/// where the tensor axis can fill only the axis' outer part and is replicated over the inner one.
struct RuleCut {
  AxisId axis = 0;
  MeshAxisId over = 0;
  bool residualOnly = false;
  int64_t inner = 1;
};

/// The last rule of each pair of axis and mesh axis, pipeline's axis and degree 1 left out.
std::vector<RuleCut> lastRules(const Plan& plan) {
  std::vector<RuleCut> result;
  for (const ShardRule& rule : plan.shards) {
    for (MeshAxisId over : rule.over) {
      if (over == plan.stages || plan.mesh[over].degree <= 1) continue;
      auto same = [&](const RuleCut& c) { return c.axis == rule.axis && c.over == over; };
      auto found = std::find_if(result.begin(), result.end(), same);
      if (found == result.end()) {
        result.push_back({rule.axis, over, rule.residualOnly, 1});
      } else {
        found->residualOnly = rule.residualOnly;
      }
    }
  }
  return result;
}

/// Fills `inner` for axes that others are grouped by: outer mesh axes take the groups first; a mesh
/// axis with more ranks than groups left replicates each group over neighbouring ranks, which then
/// hold the heads of that group. Where neither divides the other the whole axis stays, and the
/// division is reported when an operation uses it.
void cutGroupAxes(const Model& model, const Plan& plan, std::vector<RuleCut>& cuts) {
  for (AxisId axis = 0; axis < model.axes.size(); ++axis) {
    if (!isGroupAxis(model, axis)) continue;
    int64_t left = model.axes[axis].size;
    std::vector<RuleCut*> own;
    for (RuleCut& cut : cuts) {
      if (cut.axis == axis) own.push_back(&cut);
    }
    std::sort(own.begin(), own.end(),
              [](const RuleCut* a, const RuleCut* b) { return a->over > b->over; });
    for (RuleCut* cut : own) {
      int64_t degree = plan.mesh[cut->over].degree;
      if (left % degree == 0) {
        left /= degree;
      } else if (degree % left == 0) {
        cut->inner = degree / left;
        left = 1;
      } else {
        break;
      }
    }
  }
}

/// The strides inside one mesh axis at which it is cut; each divides the next.
std::vector<int64_t> cutsOf(MeshAxisId axis, const std::vector<RuleCut>& cuts) {
  std::vector<int64_t> result;
  for (const RuleCut& cut : cuts) {
    if (cut.over == axis && cut.inner > 1) result.push_back(cut.inner);
  }
  std::sort(result.begin(), result.end());
  std::vector<int64_t> nested;
  for (int64_t cut : result) {
    if (nested.empty() || (cut != nested.back() && cut % nested.back() == 0)) nested.push_back(cut);
  }
  return nested;
}

int64_t saturatingProduct(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

/// The ranks between neighbours along an axis of a view, and beyond it.
struct Extent {
  int64_t begin = 1, end = 1;
};

std::vector<Extent> extentsOf(const Plan& plan, const std::vector<MeshAxisId>& view) {
  std::vector<Extent> extents;
  int64_t position = 1;
  for (MeshAxisId axis : view) {
    const int64_t degree = std::max<int64_t>(plan.mesh[axis].degree, 1);
    extents.push_back({position, saturatingProduct(position, degree)});
    position = extents.back().end;
  }
  return extents;
}

std::vector<std::vector<MeshAxisId>> viewsOf(const Plan& plan) {
  if (!plan.views.empty()) return plan.views;
  std::vector<MeshAxisId> all;
  for (MeshAxisId axis = 0; axis < plan.mesh.size(); ++axis) all.push_back(axis);
  return {all};
}

/// The positions at which any view cuts the devices, innermost first; each divides the next. Views nest
/// (the plan's reader saw to it); a cut inside an axis that does not nest with them is left out.
std::vector<int64_t> boundariesOf(const Plan& plan, const Mesh& mesh,
                                  const std::vector<RuleCut>& cuts) {
  std::vector<int64_t> fixed{1}, inner;
  for (const auto& view : mesh.views) {
    const std::vector<Extent> extents = extentsOf(plan, view);
    for (size_t i = 0; i < view.size(); ++i) {
      fixed.push_back(extents[i].end);
      for (int64_t cut : cutsOf(view[i], cuts))
        inner.push_back(saturatingProduct(extents[i].begin, cut));
    }
  }
  std::sort(fixed.begin(), fixed.end());
  fixed.erase(std::unique(fixed.begin(), fixed.end()), fixed.end());
  for (int64_t cut : inner) {
    auto above = std::lower_bound(fixed.begin(), fixed.end(), cut);
    if (above == fixed.end() || *above == cut || above == fixed.begin()) continue;
    if (*above % cut == 0 && cut % *std::prev(above) == 0) fixed.insert(above, cut);
  }
  return fixed;
}

Mesh refine(const Plan& plan, const std::vector<RuleCut>& cuts) {
  Mesh mesh;
  mesh.views = viewsOf(plan);
  mesh.ofAxis.assign(plan.mesh.size(), 0);
  const std::vector<int64_t> boundaries = boundariesOf(plan, mesh, cuts);
  for (size_t i = 0; i + 1 < boundaries.size() && mesh.factors.size() < 32; ++i)
    mesh.factors.push_back({kNone, boundaries[i + 1] / boundaries[i], boundaries[i]});
  for (const auto& view : mesh.views) {
    const std::vector<Extent> extents = extentsOf(plan, view);
    for (size_t i = 0; i < view.size(); ++i) {
      for (size_t f = 0; f < mesh.factors.size(); ++f) {
        Factor& factor = mesh.factors[f];
        if (factor.stride < extents[i].begin || factor.stride >= extents[i].end) continue;
        mesh.ofAxis[view[i]] |= FactorSet{1} << f;
        if (factor.axis == kNone) factor.axis = view[i];
      }
    }
    mesh.devices = std::max(mesh.devices, extents.empty() ? 1 : extents.back().end);
  }
  if (plan.stages != kNone) mesh.stages = mesh.ofAxis[plan.stages];
  return mesh;
}

}  // namespace

int64_t Mesh::degree(FactorSet set) const {
  int64_t product = 1;
  for (; set != 0; set &= set - 1) {
    product = saturatingProduct(product, factors[std::countr_zero(set)].degree);
  }
  return product;
}

FactorSet Mesh::wholeAxes(FactorSet set) const {
  FactorSet first = 0;
  for (size_t view = views.size(); view-- > 0;) {
    first = 0;
    for (MeshAxisId axis : views[view]) {
      if (ofAxis[axis] & set) first |= ofAxis[axis];
    }
    if (first == set) break;
  }
  return first;
}

std::vector<MeshAxisId> Mesh::axesOf(FactorSet set, bool later) const {
  std::vector<MeshAxisId> best;
  bool isWhole = false;
  for (const auto& view : views) {
    std::vector<MeshAxisId> touched;
    FactorSet all = 0;
    for (MeshAxisId axis : view) {
      if (!(ofAxis[axis] & set)) continue;
      touched.push_back(axis);
      all |= ofAxis[axis];
    }
    const bool whole = all == set;
    const bool better = whole && (!isWhole || touched.size() < best.size() ||
                                  (later && touched.size() == best.size()));
    if (better || best.empty()) best = touched;
    isWhole |= whole;
  }
  return best;
}

bool areGrouped(const Model& model, AxisId a, AxisId b) {
  return model.axes[a].groupedBy == b || model.axes[b].groupedBy == a;
}

bool isGroupAxis(const Model& model, AxisId axis) {
  return std::any_of(model.axes.begin(), model.axes.end(),
                     [&](const Axis& a) { return a.groupedBy == axis; });
}

Layout makeLayout(const Model& model, const Plan& plan) {
  std::vector<RuleCut> cuts = lastRules(plan);
  cutGroupAxes(model, plan, cuts);
  Layout layout{refine(plan, cuts), {}};
  layout.rules.always.resize(model.axes.size());
  layout.rules.claimed.resize(model.axes.size());
  layout.rules.residual.resize(model.axes.size());
  for (const RuleCut& cut : cuts) {
    if (!cut.residualOnly) layout.rules.claimed[cut.axis] |= layout.mesh.ofAxis[cut.over];
    auto& sets = cut.residualOnly ? layout.rules.residual : layout.rules.always;
    int64_t inner = 1;
    for (FactorSet set = layout.mesh.ofAxis[cut.over]; set != 0; set &= set - 1) {
      if (inner >= cut.inner) sets[cut.axis] |= set & -set;
      inner *= layout.mesh.factors[std::countr_zero(set)].degree;
    }
  }
  return layout;
}

FactorSet storedOver(const Mesh& mesh, const Plan& plan, Stored what) {
  FactorSet result = 0;
  for (const StoreRule& rule : plan.stores) {
    if (rule.what != what) continue;
    for (MeshAxisId axis : rule.over) result |= mesh.ofAxis[axis];
  }
  return result & ~mesh.stages;
}

}  // namespace sysdl::lowering
