// Kernels of the library as formulas: which fields of a record of schema `kernel` evaluation reads.
#pragma once

#include <vector>

#include "frontend/check/checker.h"
#include "ir/graph/tensor_program.h"

namespace sysdl {

/// Reads a kernel on `chip`: its formulas are appended to `outputs`, and the result holds their
/// indices. Empty after errors.
std::optional<KernelCost> readKernel(check::Checker& checker, check::Record* kernel,
                                     check::Record* chip, std::vector<FormulaId>& outputs);

}  // namespace sysdl
