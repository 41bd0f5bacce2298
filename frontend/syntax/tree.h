// The syntax tree: one file's nodes in one vector, named by index, plain data, comments beside it.
//
// Children of a node lie in `Tree::links` at [firstChild, firstChild + childCount); the layout of
// each kind is written beside it, `?` marking a child that may be absent (an invalid NodeId).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ir/support/name.h"
#include "ir/support/source_map.h"

namespace sysdl::syntax {

enum class Kind : uint8_t {
  // Declarations
  File,       // items..., `number` = edition year
  Import,     // name = alias?, text = "std.chips.nvidia" (flag Module) or the string's contents;
              // nameSpan = the alias, or the module or string where there is none
  Dimension,  // name; [expr?]
  Unit,       // name; [Type?, expr?, Names?]: `unit B: Data prefixes decimal, binary`
  Enum,       // name; words (Word)...
  Schema,     // name, flag Abstract; [Type?, Body]
  Operator,   // name; [Params, Body]
  Block,      // name; [Param? (the `for` part), Params, Body]
  Fn,         // name; [Params, Type, expr]
  Test,       // text = title (contents, unescaped); [Body]
  Decl,       // name; [Type (the kind), Body?, expr?]: `kind name {..}`, `kind name = expr`;
              // one of Body and expr is there
  Params,     // Param...
  Param,      // name; [Type, expr?]
  Body,       // members...
  // Members
  Field,     // name, any of the flags Derived/Input/Result; [Type, expr? (usually Range),
             // expr? (default), Origin?]
  Children,  // name; [Type]
  Assign,    // [Path, expr, Origin?]
  Nest,      // [Path, Body]
  Child,     // name = label, flags New/Drop; [Word (the group), Body?, expr?], at most one of both
  Let,       // name; [expr]
  Require,   // name = code?; [expr, Text?]
  Warn,      // name = code?; [expr, Text]
  Origin,    // text = source; name = datasheet/measured/fitted/assumed?; as member or in Assign
  Weight,    // name; [Names? (kept apart), Names (from, or all axes where no arrow), Names? (to)]
  Fuse,      // [Names]: weights whose contractions of one input run as one kernel
  Shard,     // [Names, expr (over), expr? (if), Word? (where)]
  Store,     // [Names, expr (over), expr? (if)]
  Stages,    // [expr]
  Nonlinear,
  Yield,   // [expr]
  Sweep,   // [Path, expr]
  Keep,    // [expr]
  Pareto,  // Goal...
  Goal,    // flag Max or none (min); [expr]
  Top,     // number; [expr]
  Best,    // flag Max or none (minimize); [expr]
  Plot,    // [expr, expr]
  Expect,  // [expr (usually a comparison), expr? (tolerance)]
  // Pieces
  Path,       // Word or PathIndex...
  PathIndex,  // [expr]
  Word,       // name
  Names,      // Word...
  Type,       // name (dotted text as one name, as in `gpt.model`), flag Optional; type arguments
              // (Type...); the argument `..` is a Type with flag Rest
  // Expressions
  Select,     // name; [expr]
  Index,      // [expr, expr]
  Call,       // [callee expr, Arg...]
  Arg,        // name?; [expr]
  Amend,      // [expr, Body]
  Binary,     // op; [left, right]
  Not,        // [expr]
  Negate,     // [expr]
  Range,      // [low, high?]; no high: `1..`, only after `in` of a field
  If,         // [condition, then, else]
  Number,     // text = digits as written; [UnitName?]
  UnitName,   // text = as written: "TFLOP/s", "%"
  Text,       // pieces: TextPiece or expr (an interpolation)...
  TextPiece,  // text = contents, unescaped
  True,
  False,
  Ref,            // name
  List,           // expr...
  Comprehension,  // name; [expr, list, condition?]
  Group,          // [expr] in parentheses
  Bad,            // what could not be parsed; consumers stay silent about it
};

enum class Op : uint8_t {
  None,
  Power,
  Multiply,
  Divide,
  Contract,
  Mod,
  Add,
  Subtract,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  And,
  Or,
};

// NOLINTBEGIN(readability-identifier-naming): they are read like the enumerators above.
namespace flag {
inline constexpr uint8_t Abstract = 1, Module = 1, Derived = 1, Optional = 1, New = 1, Max = 1;
inline constexpr uint8_t Input = 2, Drop = 2, Rest = 2;
inline constexpr uint8_t Result = 4;
}  // namespace flag
// NOLINTEND(readability-identifier-naming)

struct NodeId {
  uint32_t index = UINT32_MAX;
  bool valid() const { return index != UINT32_MAX; }
  friend auto operator<=>(NodeId, NodeId) = default;
};

struct Node {
  Kind kind = Kind::Bad;
  Op op = Op::None;
  uint8_t flags = 0;
  Name name;
  Name text;
  uint32_t number = 0;
  Span span;      // the whole construct
  Span nameSpan;  // the name (label, operator sign) alone, where there is one
  uint32_t firstChild = 0;
  uint32_t childCount = 0;
};

/// A comment or a `///` line, in source order.
struct Comment {
  Span span;
  bool doc = false;
};

struct Tree {
  std::vector<Node> nodes;
  std::vector<NodeId> links;
  std::vector<Comment> comments;
  NodeId root;  // a File; invalid where nothing could be parsed

  const Node& operator[](NodeId id) const { return nodes[id.index]; }
  std::span<const NodeId> children(NodeId id) const {
    const Node& node = nodes[id.index];
    return {links.data() + node.firstChild, node.childCount};
  }
  uint32_t childCountOf(NodeId id) const { return nodes[id.index].childCount; }
  NodeId child(NodeId id, uint32_t i) const { return links[nodes[id.index].firstChild + i]; }
};

}  // namespace sysdl::syntax
