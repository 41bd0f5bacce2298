// The graph that a design lowers to as JSON, with what each kernel and collective costs.
#pragma once

#include "driver/json.h"
#include "driver/opened.h"

namespace sysdl {

/// An object: stage classes, parts with their kernels and collectives in issue order, memory, what crosses stage
/// borders. Numbers are of one device and one micro-batch (`optimizer`: one step) and in SI base units. What a design
/// with errors has no answer for is null.
void writeGraph(JsonWriter& json, const ChosenDesign& chosen, const EvaluatedDesign& design);

}  // namespace sysdl
