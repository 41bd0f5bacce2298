// Values and types of the language as the checker holds them: records with late-bound slots.
//
// A record is its schema and a list of layers (schema bodies, then bodies of amends); amending copies
// the list and adds one, so every definition is evaluated anew in the copy: late binding. Objects
// are owned by the checker's arenas and named by pointer.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/syntax/tree.h"
#include "ir/formula/formula.h"
#include "ir/units/dimension.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace sysdl::check {

using syntax::NodeId;

struct Module;
struct Schema;
struct Record;
struct Group;
struct Frame;
struct TensorValue;

struct EnumType {
  Name name;
  std::vector<Name> words;
  Span span;
};

/// In the body of an amend, `base.x` is what x would be without that body.
inline constexpr std::string_view kBaseWord = "base";

enum class TypeKind : uint8_t {
  Bad,
  Int,
  Real,
  Bool,
  Text,
  Quantity,
  Enum,
  Schema,
  List,
  Map,
  Curve,
  Tensor,
  Block,
};

struct Type {
  TypeKind kind = TypeKind::Bad;
  bool optional = false;
  Dimension dimension;              // Quantity; Curve: of y
  Dimension argument;               // Curve: of x
  const EnumType* words = nullptr;  // Enum, Map (its key)
  const Schema* schema = nullptr;   // Schema
  const Type* element = nullptr;    // List, Map
};

enum class ValueKind : uint8_t {
  Bad,     // an error was reported already: consumers stay silent
  Absent,  // an optional field without a value
  Scalar,
  Text,
  Word,
  Record,
  Group,
  Map,
  List,
  Curve,
  Tensor,
  Function,
  SchemaRef,
  Module,
  Block,
};

struct ListValue;
struct MapValue;
struct TextValue;
struct CurveValue;
struct Declaration;

struct Value {
  ValueKind kind = ValueKind::Bad;
  Number number = Number::Real;  // Scalar
  uint32_t word = 0;             // Word: its index
  FormulaId formula;             // Scalar
  Dimension dimension;           // Scalar
  union {
    const void* none = nullptr;
    const EnumType* words;
    Record* record;
    const Group* group;
    const MapValue* map;
    const ListValue* list;
    const TextValue* text;
    const CurveValue* curve;
    const TensorValue* tensor;
    const Declaration* declaration;  // Function, Block
    const Schema* schema;
    const Module* module;
  };
  bool bad() const { return kind == ValueKind::Bad; }
  bool scalar() const { return kind == ValueKind::Scalar; }
};

struct ListValue {
  std::vector<Value> items;
  /// What an item of an empty list would be like, so that its sum has a dimension; Bad where unknown.
  Value sample;
  /// Of unknown length, one representative item: while a schema is checked without an instance.
  bool opaque = false;
};

struct MapValue {
  const EnumType* words = nullptr;
  std::vector<std::pair<uint32_t, Value>> items;  // in the order of the enum's words
  bool opaque = false;
};

/// Text in pieces, so that interpolated results can be filled in after evaluation.
struct TextValue {
  std::vector<std::pair<std::string, Value>> pieces;  // text, then the value after it if any
};

struct CurveValue {
  Curve curve;
  Dimension x, y;
};

enum class Origin : uint8_t { None, Datasheet, Measured, Fitted, Assumed };

enum class FieldRole : uint8_t { Input, Filled, Derived, Result, DerivedResult };

struct Field {
  Name name;
  FieldRole role = FieldRole::Input;
  NodeId node;
  const Module* module = nullptr;
  const Type* type = nullptr;  // set when first needed
  bool isGroup = false;        // `children name: type`
};

struct Schema {
  Name name;
  Module* module = nullptr;
  NodeId node;
  Schema* base = nullptr;
  bool isAbstract = false;
  bool complete = false;                     // base and fields are filled in
  bool baseless = false;                     // its base, or one of that, is not known: reported
  std::vector<Field> fields;                 // inherited ones first
  llvm::DenseMap<uint32_t, uint32_t> index;  // Name::id -> field
  Span span;

  bool is(const Schema* other) const {
    for (const Schema* s = this; s; s = s->base) {
      if (s == other) return true;
    }
    return false;
  }
};

enum class LayerKind : uint8_t { SchemaBody, Body, Member, Arguments, Fixed };

/// A group of definitions that a record is made of.
struct Layer {
  LayerKind kind = LayerKind::Body;
  const Module* module = nullptr;
  NodeId node;             // Body; Member: Assign, Nest; Arguments: Call
  uint32_t pathStart = 0;  // Member: how much of its path lies behind
  const Frame* outer = nullptr;
  bool fromSchema = false;  // written by a schema: may set what is filled in
  std::vector<std::pair<Name, Value>> fixed;
};

/// What the body of a layer sets, to see whether later layers replace all of it.
struct LayerSummary {
  std::vector<std::string> paths;  // such as "plan.tp.", in order
  bool replaceable = true;         // it only sets values
  bool readsBase = false;
};

/// Where a slot's value comes from: a node of a layer.
struct Definition {
  uint32_t layer = UINT32_MAX;
  NodeId node;  // the expression
  Span span;    // for labels: name and value
  NodeId origin;
};

/// What amends a slot's or child's value: a Body, or a member whose path continues at `pathStart`.
struct Patch {
  uint32_t layer = 0;
  NodeId node;
  uint32_t pathStart = 0;
};

struct Child {
  Name label;
  Definition definition;  // `kind label = expr`, if any
  std::vector<Patch> patches;
  Span span;
};

enum class SlotState : uint8_t { New, Evaluating, Done };

struct Slot {
  Definition definition;
  std::vector<Patch> patches;
  std::vector<Child> children;                    // of a group
  llvm::DenseMap<uint32_t, uint32_t> childIndex;  // Name::id -> child, kept where they are many
  Value fixed;                                    // where a Fixed layer set it
  bool isFixed = false;
  SlotState state = SlotState::New;
  Value value;
  std::vector<std::pair<Record*, uint32_t>> reads;  // slots that its value was made from
};

struct Rule {
  uint32_t layer;
  NodeId node;  // Require or Warn
};

struct Record {
  const Schema* schema = nullptr;
  std::vector<Layer> layers;
  std::vector<const Frame*> frames;  // of each layer, made when first needed
  std::vector<Slot> slots;           // parallel to schema->fields
  std::vector<Rule> rules;
  std::vector<Rule> placements;  // of a plan: Shard, Store, Stages, and Child nodes of `mesh`
  bool isAbstract = false;       // stands for every instance while a schema is checked
  bool isShallow = false;        // and of its fields only the types are known
  bool walked = false;           // its rules were checked
  bool broken = false;           // an error was reported about it
  bool damaged = false;          // and what was written of it is not all known
  bool tooDeep = false;          // too many amends: what amends it is not looked at
  Record* parent = nullptr;      // whose slot or child it is, if any
  Name label;                    // the slot's, child's or declaration's name
  Span span;                     // where it was made
  std::map<std::pair<uint32_t, uint32_t>, Value> lets;  // layer, node
  /// What each let was made from, like `Slot::reads`.
  std::map<std::pair<uint32_t, uint32_t>, std::vector<std::pair<Record*, uint32_t>>> letReads;
  /// For `base.x`, by layer: a record of the layers below, which holds what they say of each slot.
  std::map<uint32_t, Record*> below;
  Record* standsFor = nullptr;  // of such a record: the one that it says less about
};

struct Group {
  Record* owner = nullptr;
  const Schema* element = nullptr;
  std::vector<std::pair<Name, Value>> items;  // in name order
  bool opaque = false;                        // any label: while a schema is checked
};

/// Where names are looked up: a record's body, local names of a function or comprehension, a module.
struct Frame {
  const Frame* outer = nullptr;
  const Module* module = nullptr;
  Record* self = nullptr;
  uint32_t layer = 0;  // of self
  std::vector<std::pair<Name, Value>> locals;
};

enum class DeclarationKind : uint8_t { Value, Let, Function, Block, Operator, Explore };

struct Declaration {
  DeclarationKind kind = DeclarationKind::Value;
  Module* module = nullptr;
  NodeId node;
  SlotState state = SlotState::New;
  Value value;
  Span span;
};

struct Module {
  std::string path;  // as shown
  bool embedded = false;
  Loc start;
  syntax::Tree tree;
  Frame frame;                             // the outermost of its declarations
  std::map<uint32_t, Module*> imports;     // alias
  std::map<uint32_t, Declaration> values;  // by Name::id
  std::map<uint32_t, Schema*> schemas;
  std::map<uint32_t, EnumType*> enums;
  std::vector<NodeId> tests;
};

}  // namespace sysdl::check
