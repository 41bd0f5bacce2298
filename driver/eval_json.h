// An evaluated design as the JSON that scripts read: `sysdl.eval/1`.
#pragma once

#include "driver/json.h"
#include "driver/opened.h"

namespace sysdl {

/// One member of `designs`. Results, kernels and collectives are null and empty where the design has
/// errors that kept it from being evaluated.
void writeDesign(JsonWriter& json, const ChosenDesign& chosen, const EvaluatedDesign& design);

}  // namespace sysdl
