// The generated parser behind a fence: tokens of one item in, nodes of the syntax tree out.
#pragma once

#include <memory>

#include "frontend/parse/layout.h"

namespace sysdl::parsing {

class TokenParser {
public:
  explicit TokenParser(Session& session);
  ~TokenParser();

  /// Parses one item, member or expression (as made by `Layout`), reports its syntax errors, and
  /// adds its nodes to the session's tree. The answer is a `Bad` node where nothing could be made
  /// of it.
  syntax::NodeId parse(Form form, const Tokens& tokens);

  /// Parses an expression that lies inside a string of the item that is being parsed; invalid where
  /// there is none.
  syntax::NodeId parseFragment(uint32_t begin, uint32_t end);

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sysdl::parsing
