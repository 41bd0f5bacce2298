// The machine that runs compiled formulas.
#include <algorithm>

#include "ir/formula/program.h"

namespace sysdl {
namespace {

/// The poison that reaches an instruction's result: of its operands, but of a choice only the taken
/// side's, and of `and`/`or` none from a side that cannot matter.
uint32_t inherited(const Instruction& i, const Scratch& s) {
  const auto& poison = s.poison;
  switch (i.op) {
  case Opcode::Select:
    if (poison[i.a]) return poison[i.a];
    return s.registers[i.a].integer ? poison[i.b] : poison[i.c];
  case Opcode::And:
    if (!poison[i.a] && !s.registers[i.a].integer) return 0;
    return poison[i.a] ? poison[i.a] : poison[i.b];
  case Opcode::Or:
    if (!poison[i.a] && s.registers[i.a].integer) return 0;
    return poison[i.a] ? poison[i.a] : poison[i.b];
  case Opcode::Curve: return poison[i.a];
  default: return poison[i.a] ? poison[i.a] : poison[i.b];
  }
}

}  // namespace

std::optional<Fault> run(const Program& program, std::span<const Word> inputs,
                         std::span<Word> outputs, Scratch& scratch) {
  auto& registers = scratch.registers;
  registers.resize(program.registerCount());
  scratch.poison.assign(program.registerCount(), 0);
  std::copy(inputs.begin(), inputs.end(), registers.begin());
  std::copy(program.constants.begin(), program.constants.end(),
            registers.begin() + program.inputCount);
  bool poisoned = false;
  scratch.extrapolated = false;
  for (uint32_t n = 0; n < program.code.size(); ++n) {
    const Instruction& i = program.code[n];
    Word& result = registers[i.result];
    if (poisoned) {
      scratch.poison[i.result] = inherited(i, scratch);
      if (scratch.poison[i.result]) {
        result = wordOf(int64_t{0});
        continue;
      }
    }
    if (i.op == Opcode::Curve) {
      const Curve& curve = program.curves[i.b];
      result.real = curve.at(registers[i.a].real);
      scratch.extrapolated |= curve.outside(registers[i.a].real);
    } else if (apply(i.op, registers[i.a], registers[i.b], registers[i.c], result)) {
      result = wordOf(int64_t{0});
      scratch.poison[i.result] = n + 1;
      poisoned = true;
    }
  }
  for (size_t n = 0; n < program.outputs.size(); ++n) {
    outputs[n] = registers[program.outputs[n]];
    uint32_t poison = scratch.poison[program.outputs[n]];
    if (!poison) continue;
    const Instruction& i = program.code[poison - 1];
    Word ignored;
    auto kind = apply(i.op, registers[i.a], registers[i.b], registers[i.c], ignored);
    return Fault{kind.value_or(FaultKind::NotFinite), program.spans[poison - 1]};
  }
  return std::nullopt;
}

}  // namespace sysdl
