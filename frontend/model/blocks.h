// Blocks to tensor programs: evaluates the blocks of a model with tensors for values.
//
// While a block is evaluated, the checker hands operators over tensors to this builder; each becomes
// an Operation whose kernels' formulas (from the operator's declaration and the kernel schemas of the
// library) are compiled to one flat program over the local sizes of axes.
#pragma once

#include <map>
#include <optional>

#include "frontend/check/checker.h"
#include "ir/graph/tensor_program.h"

namespace sysdl::check {

struct TensorValue {
  TensorId id = kNone;
  std::vector<AxisId> axes;
  bool isWeight = false;
  std::vector<AxisId> apart, from, to;  // of a weight: kept apart, contracted, made
};

}  // namespace sysdl::check

namespace sysdl {

/// What blocks take from the rest of the design.
struct BlockContext {
  check::Record* model = nullptr;
  check::Record* chip = nullptr;
  check::Record* precision = nullptr;        // schema `precision`
  struct FormulaSources* sources = nullptr;  // filled in
  int64_t batch = 1;  // sequences of one micro-batch on all data-parallel ranks
};

/// The tensor program of `context.model`'s body; empty after errors. E0601, E0602, E0603 and the
/// checker's own.
std::optional<Model> buildModel(check::Checker& checker, const BlockContext& context);

}  // namespace sysdl
