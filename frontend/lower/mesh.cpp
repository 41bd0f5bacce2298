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

Mesh refine(const Plan& plan, const std::vector<RuleCut>& cuts) {
  Mesh mesh;
  for (MeshAxisId axis = 0; axis < plan.mesh.size(); ++axis) {
    int64_t degree = std::max<int64_t>(plan.mesh[axis].degree, 1);
    FactorSet set = 0;
    int64_t inner = 1;
    auto add = [&](int64_t outer) {
      if (outer == inner || mesh.factors.size() >= 32) return;
      set |= FactorSet{1} << mesh.factors.size();
      mesh.factors.push_back({axis, outer / inner, saturatingProduct(mesh.devices, inner)});
      inner = outer;
    };
    for (int64_t cut : cutsOf(axis, cuts)) add(cut);
    add(degree);
    mesh.ofAxis.push_back(set);
    if (axis == plan.stages) mesh.stages = set;
    mesh.devices = saturatingProduct(mesh.devices, degree);
  }
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
  FactorSet result = 0;
  for (FactorSet axis : ofAxis) {
    if (axis & set) result |= axis;
  }
  return result;
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
