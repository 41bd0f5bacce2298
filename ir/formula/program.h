// A compiled formula: a flat program over doubles and 64-bit integers, and the machine that runs it.
//
// Registers are words: first the inputs, then the constants, then one per instruction's result.
// Untaken branches of a choice are computed too, so a fault there must not count: a faulting
// instruction poisons its result, and only a poisoned output (or one that reads it) is an error.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ir/formula/curve.h"
#include "ir/formula/opcode.h"
#include "ir/support/source_map.h"

namespace sysdl {

struct Instruction {
  Opcode op;
  uint32_t result;
  uint32_t a, b, c;
};

struct Program {
  uint32_t inputCount = 0;
  std::vector<Number> inputTypes;
  std::vector<Word> constants;
  std::vector<Instruction> code;
  std::vector<Span> spans;  // of each instruction, for faults
  std::vector<uint32_t> outputs;
  std::vector<Number> outputTypes;
  std::vector<Curve> curves;

  uint32_t registerCount() const {
    return inputCount + static_cast<uint32_t>(constants.size() + code.size());
  }
};

struct Fault {
  FaultKind kind;
  Span span;
};

/// Memory that a run needs, reused from run to run; one per thread.
struct Scratch {
  std::vector<Word> registers;
  std::vector<uint32_t> poison;  // instruction + 1 that first faulted, or 0
  bool extrapolated = false;     // the last run read a curve outside its range
};

/// Runs a program. `inputs.size() == program.inputCount`; `outputs` gets one word per output.
/// Returns the first fault that reached an output.
std::optional<Fault> run(const Program& program, std::span<const Word> inputs,
                         std::span<Word> outputs, Scratch& scratch);

}  // namespace sysdl
