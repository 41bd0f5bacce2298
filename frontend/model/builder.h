// The builder behind blocks.h: one part of a model at a time, operation by operation.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "frontend/model/blocks.h"

namespace sysdl::check {

/// An operator's declaration, read once per call: its members by name.
struct OperatorParts {
  NodeId forward, backward, saves, buffers, statistics, backwardStatistics, yield;
  std::vector<Name> reduces;
  NodeId folds, gathers;  // `slots(batch, seq)`, `seq(k, v)`
  bool nonlinear = false;
  bool selective = false;
};

class ModelBuilder : public Checker::TensorHooks {
public:
  ModelBuilder(Checker& checker, const BlockContext& context, Model& model);

  /// Adds a part: the block `declaration`, `repeat` times in a row.
  bool addPart(const Declaration& declaration, Name name, int64_t repeat, Span span);

  // Hooks of the checker
  Value call(const Declaration& op, NodeId call, const Frame* frame) override;
  Value binary(syntax::Op op, const Value& a, const Value& b, NodeId node) override;
  bool isBuiltin(std::string_view name) const override;
  Value builtin(std::string_view name, const std::vector<Value>& arguments, Span span) override;
  Value axis(Name name, Span span) override;

private:
  using Arguments = std::vector<std::pair<Name, Value>>;

  // Blocks (blocks.cpp)
  std::optional<AxisId> axisOf(Name name, Span span);
  /// The weights and lets of a block in `frame`, which holds its parameters; what it yields.
  Value programOf(const Declaration& declaration, Frame* frame, Span span);
  /// A block called in another: its weights and operations become the other's.
  Value inlined(const Declaration& block, const Arguments& arguments, Frame* frame, Span span);
  bool declareInput(const Declaration& block, Frame& frame);
  bool declareWeight(const syntax::Tree& t, NodeId node, Frame& frame);
  bool evaluateLets(const syntax::Tree& t, NodeId body, Frame& frame);
  TensorId newTensor(Name name, std::vector<AxisId> axes, Span span);
  Value tensorValue(TensorValue value);
  void readFuse(const syntax::Tree& t, NodeId node, const Frame& frame);
  bool tied(Name name);

  // Operations (operations.cpp)
  Value contract(const Value& x, const Value& w, Span span);
  Value operate(const Declaration& op, const Arguments& arguments, Name name, Span span);
  Value contractOf(const Value& x, const std::vector<Value>& weights, Name name, Span span);
  OperatorParts partsOf(const Declaration& op);
  bool costs(const Declaration& op, const OperatorParts& parts, const Arguments& arguments,
             Operation& operation);
  bool addKernels(NodeId list, bool backward, const Frame* frame, Operation& operation,
                  std::vector<FormulaId>& outputs);
  bool addKernel(const Value& kernel, bool backward, Span span, Operation& operation,
                 std::vector<FormulaId>& outputs);
  std::optional<std::vector<AxisId>> outputAxes(const Declaration& op, const OperatorParts& parts,
                                                const Arguments& arguments);
  Value finish(Operation operation, std::vector<AxisId> axes, bool residual, Span span);
  Name uniqueName(std::string_view wanted);
  Value productOf(const std::vector<AxisId>& axes, Span span);
  Value elementsOf(const TensorValue& tensor, Span span);
  bool readRegrouping(const Declaration& op, const OperatorParts& parts, const Arguments& arguments,
                      Operation& operation);
  std::string axesText(const std::vector<AxisId>& axes);

  Checker& c_;
  const BlockContext& context_;
  Model& model_;
  Part part_;
  std::map<uint32_t, AxisId> axes_;  // by Name::id
  std::map<uint32_t, int> usedNames_;
  std::deque<TensorValue> tensors_;
  std::map<TensorId, std::vector<TensorId>> fused_;        // weight -> its group, in order
  std::map<std::pair<TensorId, TensorId>, bool> charged_;  // input, first weight of a group
  std::map<AxisId, FormulaId> sizes_;                      // inputs of the operation being costed
  std::vector<WholeAlong> whole_;                          // of the operation being costed
  bool costing_ = false;
  Name label_;  // of the let being evaluated
  std::vector<const Declaration*> entered_;  // blocks called in one another
};

}  // namespace sysdl::check
