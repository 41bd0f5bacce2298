// Looking at the stages between a file and its answer: `sysdlc eval --emit ast|typed|values|graph`.
#pragma once

#include <string>

#include "driver/opened.h"

namespace sysdl {

/// The syntax tree of a file.
std::string astText(const OpenedFile& file);

/// Every field of a checked design, a line each: its path, its value in SI base units, its type, and
/// the file and line that it comes from.
std::string typedText(const ChosenDesign& design);

/// The same with results, and without places: what git compares of two versions.
std::string valuesText(const ChosenDesign& design);

/// The kernels and collectives that a design was lowered to; empty where it has errors.
std::string graphText(const ChosenDesign& design);

/// The same with what each kernel costs.
std::string pricedGraphText(const ChosenDesign& design);

}  // namespace sysdl
