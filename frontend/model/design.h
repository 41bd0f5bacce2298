// A design to the inputs of lowering, and the results of evaluation back into the design's fields.
#pragma once

#include <optional>

#include "frontend/check/checker.h"
#include "frontend/model/kernel.h"
#include "ir/graph/plan.h"
#include "ir/graph/results.h"
#include "ir/graph/tensor_program.h"

namespace sysdl {

/// All that lowering and evaluation need of one design; nothing in it refers to syntax.
struct DesignInputs {
  Model model;
  Plan plan;
  Machine machine;
  OptimizerModel optimizer;
  FormulaSources sources;  // empty where parts were taken from another design
};

struct DesignReuse;

/// Reads a checked design (a record of the prelude's schema `design`). Empty after errors. With
/// `reuse`, parts are taken from what was read before where their records have the same values; the
/// spans in them are those of the first.
std::optional<DesignInputs> readDesign(check::Checker& checker, check::Record* design,
                                       DesignReuse* reuse = nullptr);

/// Mesh, placement rules and pipeline of a record of schema `plan`; axes are looked up in `model`.
bool readPlan(check::Checker& checker, check::Record* plan, const Model& model, Plan& result);

/// Levels of a record of schema `network`, inside out, and the collective algorithms that `design`
/// sees, compiled for them.
bool readMachine(check::Checker& checker, check::Record* design, Machine& result,
                 FormulaSources& sources, DesignReuse* reuse = nullptr);

/// Where the report of exposed communication counts a mesh axis that it does not name: what divides
/// products with "tp", what holds copies or other data with "dp".
std::string_view reportedAs(const DesignInputs& inputs, MeshAxisId axis);

/// Fills the result fields of `design` that evaluation finds.
void bindResults(check::Checker& checker, check::Record* design, const DesignInputs& inputs,
                 const StepResults& results);

}  // namespace sysdl
