// Formulas: building with constant folding, binding of inputs, compilation to flat programs.
#include "ir/formula/formula.h"

#include <algorithm>

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Hashing.h"

namespace sysdl {
namespace {

constexpr uint32_t kAbsent = UINT32_MAX;

}  // namespace

FormulaId Formulas::constant(Number type, Word value, Span span) {
  FormulaNode node;
  node.type = type;
  node.value = value;
  node.span = span;
  nodes_.push_back(node);
  return {static_cast<uint32_t>(nodes_.size() - 1)};
}

FormulaId Formulas::input(Number type, bool result, Span span) {
  FormulaNode node;
  node.op = Opcode::Input;
  node.type = type;
  node.symbolic = true;
  node.usesResult = result;
  node.span = span;
  nodes_.push_back(node);
  return {static_cast<uint32_t>(nodes_.size() - 1)};
}

FormulaId Formulas::curve(const Curve& curve, Span span, FormulaId x) {
  uint32_t index = 0;
  while (index < curves_.size() && !(curves_[index] == curve)) ++index;
  if (index == curves_.size()) curves_.push_back(curve);
  return apply(Opcode::Curve, Number::Real, span, x, FormulaId{index});
}

FormulaId Formulas::apply(Opcode op, Number type, Span span, FormulaId a, FormulaId b,
                          FormulaId c) {
  FormulaNode node;
  node.op = op;
  node.type = type;
  node.a = a.index;
  node.b = b.index;
  node.c = c.index;
  node.span = span;
  fold(node);
  if (!node.symbolic) {
    nodes_.push_back(node);
    return {static_cast<uint32_t>(nodes_.size() - 1)};
  }
  // Equal symbolic operations are one node, so that programs compute each thing once.
  uint64_t hash = llvm::hash_combine(static_cast<int>(op), node.a, node.b, node.c);
  hash &= ~(uint64_t{3} << 62);  // keep clear of DenseMap's reserved keys
  auto& bucket = symbolic_[hash];
  for (uint32_t index : bucket) {
    const FormulaNode& other = nodes_[index];
    if (other.op == op && other.a == node.a && other.b == node.b && other.c == node.c) {
      return {index};
    }
  }
  bucket.push_back(static_cast<uint32_t>(nodes_.size()));
  nodes_.push_back(node);
  return {static_cast<uint32_t>(nodes_.size() - 1)};
}

void Formulas::fold(FormulaNode& node) {
  auto operand = [&](uint32_t index) -> const FormulaNode* {
    return index == kAbsent ? nullptr : &nodes_[index];
  };
  const FormulaNode* a = operand(node.a);
  const FormulaNode* b = node.op == Opcode::Curve ? nullptr : operand(node.b);
  const FormulaNode* c = operand(node.c);
  // A choice whose condition is known is its taken side, whatever the other one is.
  if (node.op == Opcode::Select && !a->symbolic && !a->faulty) {
    const FormulaNode* taken = a->value.integer ? b : c;
    node.value = taken->value;
    node.faulty = taken->faulty;
    node.fault = taken->fault;
    node.symbolic = taken->symbolic;
    node.usesResult = taken->usesResult;
    node.extrapolated = taken->extrapolated;
    if (taken->faulty) node.span = taken->span;
    return;
  }
  bool decided = false;  // `false and x`, `true or x`
  if (node.op == Opcode::And || node.op == Opcode::Or) {
    decided = !a->symbolic && !a->faulty && (a->value.integer != 0) == (node.op == Opcode::Or);
  }
  for (const FormulaNode* input : {a, b, c}) {
    if (!input || (decided && input != a)) continue;
    node.usesResult |= input->usesResult;
    node.extrapolated |= input->extrapolated;
    if (input->faulty && !node.faulty) {
      node.faulty = true;
      node.fault = input->fault;
      node.span = input->span;
    }
    node.symbolic |= input->symbolic;
  }
  // A fault in an operand of a symbolic choice may lie on the side that is not taken.
  if (node.symbolic && node.op == Opcode::Select && !a->faulty) node.faulty = false;
  if (node.faulty) node.symbolic = false;
  if (node.faulty || node.symbolic) return;
  if (decided) {
    node.value = a->value;
    return;
  }
  if (node.op == Opcode::Curve) {
    const Curve& curve = curves_[node.b];
    node.value.real = curve.at(a->value.real);
    node.extrapolated |= curve.outside(a->value.real);
    return;
  }
  Word zero{.integer = 0};
  auto fault =
      sysdl::apply(node.op, a->value, b ? b->value : zero, c ? c->value : zero, node.value);
  if (fault) {
    node.faulty = true;
    node.fault = *fault;
  }
}

void Formulas::bind(FormulaId input, Word value) {
  nodes_[input.index].value = value;
  nodes_[input.index].symbolic = false;
}

std::optional<Word> Formulas::resolve(FormulaId id) {
  // What it reads and is not known yet, operands (smaller indices) first.
  std::vector<uint32_t> stack{id.index};
  std::vector<uint32_t> pending;
  llvm::DenseSet<uint32_t> seen;
  while (!stack.empty()) {
    uint32_t index = stack.back();
    stack.pop_back();
    const FormulaNode& node = nodes_[index];
    if (!node.symbolic || node.op == Opcode::Input || !seen.insert(index).second) continue;
    pending.push_back(index);
    for (uint32_t operand : {node.a, node.op == Opcode::Curve ? kAbsent : node.b, node.c}) {
      if (operand != kAbsent) stack.push_back(operand);
    }
  }
  std::sort(pending.begin(), pending.end());
  for (uint32_t index : pending) {
    nodes_[index].symbolic = false;
    fold(nodes_[index]);
  }
  const FormulaNode& node = nodes_[id.index];
  if (node.symbolic || node.faulty) return std::nullopt;
  return node.value;
}

std::vector<FormulaId> Formulas::unboundInputs(FormulaId id) const {
  std::vector<uint32_t> stack{id.index};
  std::vector<FormulaId> found;
  llvm::DenseSet<uint32_t> seen;
  while (!stack.empty()) {
    uint32_t index = stack.back();
    stack.pop_back();
    const FormulaNode& node = nodes_[index];
    if (!node.symbolic || !seen.insert(index).second) continue;
    if (node.op == Opcode::Input) {
      found.push_back({index});
      continue;
    }
    for (uint32_t operand : {node.a, node.op == Opcode::Curve ? kAbsent : node.b, node.c}) {
      if (operand != kAbsent) stack.push_back(operand);
    }
  }
  return found;
}

Program Formulas::compile(std::span<const FormulaId> inputs,
                          std::span<const FormulaId> outputs) const {
  // Mark what the outputs need; operands always have smaller indices than their users.
  std::vector<uint32_t> needed;
  llvm::DenseMap<uint32_t, uint32_t> registers;
  std::vector<uint32_t> stack;
  auto want = [&](uint32_t index) {
    if (index != kAbsent && registers.try_emplace(index, 0).second) stack.push_back(index);
  };
  Program program;
  program.inputCount = static_cast<uint32_t>(inputs.size());
  for (uint32_t i = 0; i < inputs.size(); ++i) {
    registers[inputs[i].index] = i;
    program.inputTypes.push_back(nodes_[inputs[i].index].type);
  }
  for (FormulaId output : outputs) want(output.index);
  while (!stack.empty()) {
    uint32_t index = stack.back();
    stack.pop_back();
    needed.push_back(index);
    const FormulaNode& node = nodes_[index];
    if (!node.symbolic && !node.faulty) continue;
    if (node.op == Opcode::Constant || node.op == Opcode::Input) continue;
    want(node.a);
    if (node.op != Opcode::Curve) want(node.b);
    want(node.c);
  }
  std::sort(needed.begin(), needed.end());
  auto isCode = [&](const FormulaNode& node) {
    return (node.symbolic || node.faulty) && node.op != Opcode::Constant &&
           node.op != Opcode::Input;
  };
  uint32_t next = program.inputCount;
  for (uint32_t index : needed) {
    if (isCode(nodes_[index])) continue;
    registers[index] = next++;
    program.constants.push_back(nodes_[index].value);
  }
  llvm::DenseMap<uint32_t, uint32_t> curves;
  for (uint32_t index : needed) {
    const FormulaNode& node = nodes_[index];
    if (!isCode(node)) continue;
    Instruction code{node.op, next, 0, 0, 0};
    code.a = registers[node.a];
    code.b = node.b == kAbsent || node.op == Opcode::Curve ? code.a : registers[node.b];
    code.c = node.c == kAbsent ? code.a : registers[node.c];
    if (node.op == Opcode::Curve) {
      auto [entry, isNew] =
          curves.try_emplace(node.b, static_cast<uint32_t>(program.curves.size()));
      if (isNew) program.curves.push_back(curves_[node.b]);
      code.b = entry->second;
    }
    registers[index] = next++;
    program.code.push_back(code);
    program.spans.push_back(node.span);
  }
  for (FormulaId output : outputs) {
    program.outputs.push_back(registers[output.index]);
    program.outputTypes.push_back(nodes_[output.index].type);
  }
  return program;
}

}  // namespace sysdl
