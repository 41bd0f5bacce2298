// What a design answers, to the last bit: to compare answers as text.
#pragma once

#include <string>

#include "driver/results.h"
#include "frontend/lower/dump.h"
#include "tests/model/design_text.h"

namespace sysdl::test {

inline void appendResults(check::Checker& checker, const std::vector<ResultNode>& nodes,
                          const std::string& prefix, std::string& text) {
  for (const ResultNode& node : nodes) {
    appendResults(checker, node.fields, prefix + node.name + ".", text);
    if (!node.value.scalar()) continue;
    auto number = checker.real(node.value, {});
    text += fmt::format("{}{} = {}\n", prefix, node.name,
                        number ? fmt::format("{:a}", *number) : "none");
  }
}

/// All results of all designs, each number in full, and the graphs that they were lowered to.
inline std::string answerOf(DesignText& file) {
  std::string text;
  for (const std::string& name : file.designs()) {
    const EvaluatedDesign& design = file[name];
    text += name + "\n";
    appendResults(file.checker(), resultsOf(file.checker(), design.record), "", text);
    text += dump(*design.graph, design.inputs->model, design.inputs->plan, design.inputs->machine,
                 file.names());
  }
  return text;
}

inline std::string answerOf(const std::string& text, const std::string& path = "design.sysdl") {
  DesignText file(text, path);
  return answerOf(file);
}

}  // namespace sysdl::test
