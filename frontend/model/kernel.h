// Kernels of the library as formulas: which fields of a record of schema `kernel` evaluation reads.
#pragma once

#include <vector>

#include "frontend/check/checker.h"
#include "ir/graph/tensor_program.h"

namespace sysdl {

/// Where a compiled formula comes from: the record that it was read from and its inputs, which have no
/// values yet. For explanations: binding the inputs makes all of the record's fields known.
struct FormulaSource {
  check::Record* record = nullptr;
  std::vector<FormulaId> inputs;  // in the order of the program's
};

/// The records of kernels by `KernelCost::source`, and of collective algorithms by name.
struct FormulaSources {
  std::vector<FormulaSource> kernels;
  std::vector<std::pair<Name, FormulaSource>> collectives;
};

/// Reads a kernel on `chip`: its formulas are appended to `outputs`, and the result holds their
/// indices. Empty after errors.
std::optional<KernelCost> readKernel(check::Checker& checker, check::Record* kernel,
                                     check::Record* chip, std::vector<FormulaId>& outputs,
                                     FormulaSources& sources);

}  // namespace sysdl
