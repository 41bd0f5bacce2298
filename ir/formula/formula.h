// Formulas: a hash-consed graph of scalar expressions, folded where constant, compiled to programs.
//
// Every scalar of a design is a node here: a constant, a symbolic input (a kernel's size, a result
// that evaluation will find), or an operation. One graph serves checking, evaluation and explaining.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ir/formula/curve.h"
#include "ir/formula/program.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace sysdl {

struct FormulaId {
  uint32_t index = UINT32_MAX;
  bool valid() const { return index != UINT32_MAX; }
  friend auto operator<=>(FormulaId, FormulaId) = default;
};

struct FormulaNode {
  Opcode op = Opcode::Constant;
  Number type = Number::Real;
  bool faulty = false;        // folding failed; `fault` says why
  bool symbolic = false;      // reads an input that has no value yet
  bool usesResult = false;    // reads a result of evaluation
  bool extrapolated = false;  // a curve was read outside its range
  FaultKind fault = FaultKind::NotFinite;
  uint32_t a = UINT32_MAX, b = UINT32_MAX, c = UINT32_MAX;
  Word value{.integer = 0};  // where neither faulty nor symbolic
  Span span;
};

class Formulas {
public:
  FormulaId integer(int64_t value, Span span) { return constant(Number::Int, wordOf(value), span); }
  FormulaId real(double value, Span span) { return constant(Number::Real, wordOf(value), span); }
  FormulaId truth(bool value, Span span) {
    return constant(Number::Bool, wordOf(int64_t{value}), span);
  }
  FormulaId constant(Number type, Word value, Span span);
  /// A symbolic input; `result` marks one that evaluation will bind.
  FormulaId input(Number type, bool result, Span span);
  FormulaId apply(Opcode op, Number type, Span span, FormulaId a, FormulaId b = {},
                  FormulaId c = {});
  FormulaId curve(const Curve& curve, Span span, FormulaId x);

  const FormulaNode& operator[](FormulaId id) const { return nodes_[id.index]; }
  size_t size() const { return nodes_.size(); }

  /// Gives an input its value; `resolve` then folds what depends on it.
  void bind(FormulaId input, Word value);
  /// The value of a node, computing it where its inputs have been bound meanwhile. Empty where it
  /// is still symbolic; a fault is in the node.
  std::optional<Word> resolve(FormulaId id);

  /// The inputs without a value that a node reads, each once.
  std::vector<FormulaId> unboundInputs(FormulaId id) const;

  /// The flat program that computes `outputs` from `inputs` (nodes made by `input`).
  Program compile(std::span<const FormulaId> inputs, std::span<const FormulaId> outputs) const;

private:
  void fold(FormulaNode& node);

  std::vector<FormulaNode> nodes_;
  std::vector<Curve> curves_;
  llvm::DenseMap<uint64_t, llvm::SmallVector<uint32_t, 1>> symbolic_;  // hash-consing by hash
};

}  // namespace sysdl
