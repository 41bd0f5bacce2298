// What the stages of one parse share: the text, where it lies, and the errors found so far.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontend/parse/parse.h"
#include "frontend/parse/token.h"

namespace sysdl::parsing {

class Session {
public:
  Session(Loc file, const SourceMap& sources, NameTable& nameTable, const ParseLimits& parseLimits)
      : text(sources.fileText(file)), names(nameTable), limits(parseLimits), base_(file) {}

  std::string_view text;
  NameTable& names;
  const ParseLimits& limits;
  syntax::Tree tree;

  Span span(uint32_t begin, uint32_t end) const {
    return {Loc{base_.offset + begin}, Loc{base_.offset + end}};
  }
  Span span(const Token& token) const { return span(token.begin, token.end); }
  std::string_view textOf(const Token& token) const {
    return text.substr(token.begin, token.end - token.begin);
  }

  /// Keeps an error; the reference is good until the next one.
  Diagnostic& error(Code code, Span at, std::string message, std::string label = {});
  size_t errorCount() const { return errors_.size(); }
  /// Each stage reads the text from start to end and gives up after `maxErrors` errors of its own.
  void startStage() { stage_ = errors_.size(); }
  bool tooMany() const { return errors_.size() - stage_ > limits.maxErrors; }

  /// Hands the errors on in source order, the first `maxErrors` of them.
  void deliver(Diagnostics& diagnostics);

  /// Where the last closing bracket was found that closes nothing. What stands before it outside of
  /// all bodies may belong into one, so a fault there is not worth a second error.
  uint32_t lastStray = 0;

private:
  Loc base_;
  std::vector<Diagnostic> errors_;
  size_t stage_ = 0;
};

}  // namespace sysdl::parsing
