// Builds one part of a tensor program in C++, operation by operation, with toy formulas.
#pragma once

#include <string_view>
#include <vector>

#include "tests/unit/gpt_model.h"

namespace sysdl::test {

/// factor * the product of some of a program's inputs (by position in Operation::sizes).
struct Product {
  double factor = 1;
  std::vector<uint32_t> inputs;
};

using Axes = std::vector<std::string_view>;

/// Tensors have 2 bytes an element, gradients of parameters 4. References to operations are good
/// until the next operation is added.
class PartBuilder {
public:
  PartBuilder(Design& design, std::string_view name, int64_t repeat);

  TensorId tensor(std::string_view name, const Axes& axes);
  TensorId like(std::string_view name, TensorId x);
  TensorId parameter(std::string_view name, const Axes& axes);
  /// The part's input, and its output: residual tensors.
  TensorId input(std::string_view name, const Axes& axes);
  void output(TensorId id);
  Tensor& at(TensorId id) { return part_.tensors[id]; }

  Operation& apply(std::string_view name, std::vector<TensorId> inputs, TensorId output);
  /// a + b; residual where both are, or where one is and the other is no parameter.
  TensorId add(std::string_view name, TensorId a, TensorId b);
  /// x @ weight, saving x, with the FLOP of a matrix product: forward once, backward twice. `from`
  /// and `to` have three axes together at most; x has batch and seq before `from`.
  TensorId contract(std::string_view name, TensorId x, const Axes& from, const Axes& to,
                    std::string_view parameterName);
  /// x + a parameter over x's axes beyond batch and seq.
  TensorId bias(std::string_view name, TensorId x, std::string_view parameterName);
  /// Statistics over hidden, gain and shift; saves x.
  TensorId norm(std::string_view name, TensorId x);
  /// Keeps a mask of a byte an element.
  TensorId dropout(std::string_view name, TensorId x);
  /// Gives an operation a program whose first output is the work of the forward kernel (backward:
  /// two such kernels) and whose last `buffers` outputs are bytes kept for backward.
  void program(Operation& operation, const Axes& sizes, const std::vector<Product>& products,
               uint32_t buffers);

  /// Appends the part to the design's model.
  void finish();

private:
  Design& design_;
  Part part_;
};

}  // namespace sysdl::test
