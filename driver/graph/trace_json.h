// The events of a step in the Trace Event Format, which Perfetto and Chrome read.
#pragma once

#include <string>

#include "driver/opened.h"
#include "eval/step_events.h"

namespace sysdl {

/// One object, with `traceEvents` and, of the whole, `otherData`. A process a stage; tracks whose events overlap are
/// given further ones of the same name. Times in microseconds, rounded to nanoseconds, as the format asks.
std::string traceText(const ChosenDesign& chosen, const EvaluatedDesign& design,
                      const StepEvents& step);

}  // namespace sysdl
