// Changes of placement, and their words.
#include "frontend/lower/placement.h"

#include <fmt/format.h>

#include <bit>

namespace sysdl::lowering {

FactorSet Placement::sharding() const {
  FactorSet result = 0;
  for (FactorSet set : axes) result |= set;
  return result;
}

Placement placementOf(const Tensor& tensor, const std::vector<FactorSet>& sharding) {
  Placement result;
  for (AxisId axis : tensor.axes) result.axes.push_back(sharding[axis]);
  return result;
}

double localElements(const Model& model, const Mesh& mesh, const Tensor& tensor,
                     const Placement& placement) {
  double elements = 1;
  for (size_t i = 0; i < tensor.axes.size(); ++i) {
    elements *= static_cast<double>(model.axes[tensor.axes[i]].size);
    elements /= static_cast<double>(mesh.degree(placement.axes[i]));
  }
  return elements;
}

std::vector<Step> stepsBetween(const Placement& from, const Placement& to) {
  std::vector<Step> steps;
  Placement now = from;
  auto add = [&](CollectiveKind kind, FactorSet group, const Placement& next) {
    steps.push_back({kind, group, now, next});
    now = next;
  };
  const size_t rank = now.axes.size();
  for (size_t i = 0; i < rank; ++i) {
    now.axes[i] |= to.axes[i] & ~(from.sharding() | from.partial);
  }
  for (size_t i = 0; i < rank; ++i) {
    FactorSet scattered = now.partial & ~to.partial & to.axes[i];
    if (!scattered) continue;
    Placement next = now;
    next.partial &= ~scattered;
    next.axes[i] |= scattered;
    add(CollectiveKind::ReduceScatter, scattered, next);
  }
  if (FactorSet reduced = now.partial & ~to.partial) {
    Placement next = now;
    next.partial &= ~reduced;
    add(CollectiveKind::AllReduce, reduced, next);
  }
  for (size_t i = 0; i < rank; ++i) {
    for (size_t j = 0; j < rank; ++j) {
      FactorSet moved = i == j ? 0 : now.axes[i] & to.axes[j];
      if (!moved) continue;
      Placement next = now;
      next.axes[i] &= ~moved;
      next.axes[j] |= moved;
      add(CollectiveKind::AllToAll, moved, next);
    }
  }
  FactorSet gathered = 0;
  Placement next = now;
  for (size_t i = 0; i < rank; ++i) {
    gathered |= now.axes[i] & ~to.axes[i];
    next.axes[i] &= to.axes[i];
  }
  if (gathered) add(CollectiveKind::AllGather, gathered, next);
  return steps;
}

std::string meshAxesOf(FactorSet set, const Plan& plan, const Mesh& mesh, const NameTable& names,
                       bool later) {
  std::string text;
  for (MeshAxisId axis : mesh.axesOf(set, later)) {
    if (!text.empty()) text += ", ";
    text += names.text(plan.mesh[axis].name);
  }
  return text;
}

namespace {

struct Words {
  const Model& model;
  const Plan& plan;
  const Mesh& mesh;
  const NameTable& names;
  bool later;  // the later view's names

  std::string meshAxes(FactorSet set) const { return meshAxesOf(set, plan, mesh, names, later); }

  std::string placement(const Placement& placement, FactorSet group, const Tensor& tensor) const {
    std::string text;
    for (size_t i = 0; i < placement.axes.size(); ++i) {
      if (!(placement.axes[i] & group)) continue;
      if (!text.empty()) text += " ";
      text += fmt::format("Sharded({} over {})", names.text(model.axes[tensor.axes[i]].name),
                          meshAxes(placement.axes[i] & group));
    }
    if (placement.partial & group) {
      if (!text.empty()) text += " ";
      text += fmt::format("Partial({})", meshAxes(placement.partial & group));
    }
    return text.empty() ? "Replicated" : text;
  }
};

}  // namespace

std::string describe(const Step& step, const Model& model, const Plan& plan, const Mesh& mesh,
                     const Tensor& tensor, const NameTable& names) {
  Words words{model, plan, mesh, names, step.kind == CollectiveKind::AllToAll};
  return words.placement(step.from, step.group, tensor) + " -> " +
         words.placement(step.to, step.group, tensor);
}

}  // namespace sysdl::lowering
