// The checker: resolves names, types every expression, and evaluates records on demand.
//
// One object holds one compilation: its modules, values and formulas. Evaluation is lazy and memoised
// per record slot; every scalar becomes a node of `formulas`, with a dimension that is checked when
// the node is made. No value is ever computed from a file's order, a clock or the environment.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>

#include "frontend/check/loader.h"
#include "frontend/check/value.h"
#include "frontend/parse/parse.h"
#include "ir/support/diagnostic.h"
#include "ir/units/unit_table.h"
#include "llvm/ADT/DenseSet.h"

namespace sysdl::check {

inline constexpr uint32_t kNoField = UINT32_MAX;

/// A rule whose truth waits for results of evaluation.
struct PendingRule {
  Record* record;
  Rule rule;
  FormulaId condition;
};

class Checker {
public:
  Checker(SourceMap& sources, NameTable& names, Diagnostics& diagnostics, FileReader& reader);

  // Modules ----------------------------------------------------------------------------------------
  /// Imports of files from now on lie below one of these folders; with none, anywhere.
  void confine(std::vector<std::string> roots) { roots_ = std::move(roots); }
  /// Loads a file (or the given text under that path) with all that it imports. Null on failure to
  /// read; faults within are reported and the module is as complete as it can be.
  Module* load(const std::string& path);
  Module* loadText(const std::string& path, std::string text);
  /// Checks everything declared in a module: schemas in the abstract, functions, values and rules
  /// that need no results.
  void checkModule(Module& module);
  /// Loads and checks every module of the standard library, for its own tests.
  void checkLibrary();
  /// The same, and which modules they are, by path.
  std::vector<Module*> libraryModules();
  /// A declaration of the library's prelude, such as the schema `design`.
  const Schema* preludeSchema(std::string_view name);
  const Declaration* preludeDeclaration(std::string_view name);

  const std::vector<Module*>& preludeModules() const { return preludeModules_; }
  /// A schema that `module` itself declares, completed; null where it declares none of that name.
  const Schema* schemaOf(const Module& module, Name name) {
    return module.schemas.contains(name.id) ? findSchema(module, name, {}, false) : nullptr;
  }
  Dimension dimensionNamed(const std::string& name) { return dimensionNames_[name]; }

  // Records ----------------------------------------------------------------------------------------
  /// The values of a module that are records of (a schema derived from) `schema`, in name order.
  std::vector<std::pair<Name, Record*>> recordsOf(Module& module, const Schema* schema);
  /// The value of a field; Bad after a report. The field must exist.
  Value get(Record* record, std::string_view field);
  Value slotValue(Record* record, uint32_t field, Span use = {});
  /// A copy of `base` with one more layer.
  Record* amend(Record* base, Layer layer, Span span);
  /// A copy of `base` with some more layers, the last one strongest.
  Record* amend(Record* base, std::span<const Layer> layers, Span span);
  /// A fresh instance of a schema with one more layer.
  Record* construct(const Schema* schema, std::optional<Layer> layer, Span span);
  /// A copy of `base` in which fields have these values.
  Record* amendFixed(Record* base, std::vector<std::pair<Name, Value>> values);
  /// Amends by a parsed Body of another file, as `-D path=value` does.
  Record* amendText(Record* base, const std::string& origin, std::string text);
  /// A layer that `amend` takes: a parsed Body of another file, in which some names have values.
  std::optional<Layer> amendLayer(Record* base, const std::string& origin, std::string text,
                                  std::vector<std::pair<Name, Value>> named);
  /// Forces every slot of a record and of the records that it owns, and checks their rules. Rules
  /// that wait for results are added to `pending`.
  void walk(Record* record, std::vector<PendingRule>& pending);
  /// Judges rules whose results have been bound meanwhile.
  void judge(const PendingRule& rule);

  /// Where set, a `require` that fails is noted here and not explained, and warnings are not said: of
  /// the many points of an exploration only the first rule that refuses each is counted.
  std::vector<std::pair<Record*, Rule>>* refusals = nullptr;
  /// Faults are reported anew, as for a design that nothing was said about.
  void forgetFaults() {
    quietWhole_ = false;
    faultsReported_.clear();
  }

  /// Whether it is kept which slots are read from outside of other slots: by rules, lowering, tests.
  void keepAsked(bool kept) { notesAsked_ = kept; }
  /// W0601 for what the text of a lowered design sets and nothing that was asked for rests on.
  void warnInert(Record* design);
  /// W0602 for what a file declares as facts about the world without saying where they come from.
  void warnUnsourced(Module& module);

  /// W0204 where a new name hides what `frame` knows under it.
  void warnHidden(Name wanted, Span span, const Frame* frame);

  // Expressions ------------------------------------------------------------------------------------
  Value evaluate(NodeId node, const Frame* frame, const Type* expected = nullptr);
  /// Checks that a value suits a type, converting whole numbers to reals; reports and returns Bad
  /// where it does not. `what` names the field or parameter.
  Value coerce(Value value, const Type* type, Span span, const std::string& what);
  /// `coerce` to the type written at `type` in `module`.
  Value coerceTo(Value value, const Module& module, NodeId type, Span span,
                 const std::string& what) {
    return coerce(value, typeOf(module, type), span, what);
  }
  /// Evaluates an argument for a parameter of the type written at `type` in `module`.
  Value evaluateTo(NodeId node, const Frame* frame, const Module& module, NodeId type,
                   const std::string& what) {
    const Type* wanted = typeOf(module, type);
    return coerce(evaluate(node, frame, wanted), wanted, tree(frame)[node].span, what);
  }
  /// Evaluates an amount of data, in bytes.
  Value evaluateData(NodeId node, const Frame* frame, const std::string& what);
  /// The known value of a scalar, a fault reported once.
  std::optional<double> real(const Value& value, Span span);
  std::optional<int64_t> integer(const Value& value, Span span);
  std::string text(const Value& value);  // rendered, for messages: "312 TFLOP/s"
  std::string describeKind(const Value& value);

  Value scalar(FormulaId formula, Dimension dimension = {});
  Value integerValue(int64_t value, Span span) { return scalar(formulas.integer(value, span)); }
  Value realValue(double value, Dimension d, Span span) {
    return scalar(formulas.real(value, span), d);
  }
  Value textValue(std::string text);
  Value listValue(std::vector<Value> items, bool opaque = false, const Value& sample = {});
  Value apply(Opcode op, Number type, Dimension dimension, Span span, const Value& a,
              const Value& b = {}, const Value& c = {});
  Value toReal(const Value& value, Span span);

  std::string_view str(Name name) const { return names.text(name); }
  Name name(std::string_view text) { return names.intern(text); }
  const Frame* frameOf(Record* record, uint32_t layer);
  Frame* newFrame(const Frame* outer, const Module* module);

  SourceMap& sources;
  NameTable& names;
  Diagnostics& diagnostics;
  Formulas formulas;
  DimensionTable dimensions;
  UnitTable units;
  /// Which record a result input belongs to, by formula index.
  llvm::DenseMap<uint32_t, Record*> resultOwners;
  /// Handles calls inside blocks (operators over tensors); set while a model is built.
  struct TensorHooks {
    virtual ~TensorHooks() = default;
    virtual Value call(const Declaration& op, NodeId call, const Frame* frame) = 0;
    virtual Value binary(syntax::Op op, const Value& a, const Value& b, NodeId node) = 0;
    virtual bool isBuiltin(std::string_view name) const = 0;
    virtual Value builtin(std::string_view name, const std::vector<Value>& arguments,
                          Span span) = 0;
    virtual Value axis(Name name, Span span) = 0;  // Bad where no axis has that name
  };
  TensorHooks* tensorHooks = nullptr;

private:
  friend struct Calls;
  friend struct Arithmetic;
  friend struct Rules;

  // Declarations (declare.cpp)
  Module* loadModule(const std::string& path, std::string text, bool embedded,
                     std::string_view packedTree = {});
  Module* importModule(Module& from, NodeId node);
  bool mayImport(const std::string& written, const std::string& path, Span span);
  Module* standardModule(std::string_view dotted, Suggestion& meant);
  void ensurePrelude();
  void declare(Module& module);
  void declareItem(Module& module, NodeId item);
  bool declareOnce(Module& module, Name name, Span span, std::map<uint32_t, Span>& seen);
  void declareDimension(Module& module, NodeId item);
  void declareUnit(Module& module, NodeId item);
  void declareEnum(Module& module, NodeId item);
  void completeSchema(Schema& schema);
  void addField(Schema& schema, NodeId member, bool isGroup);
  void checkSchema(Schema& schema);
  void checkFunction(const Declaration& function);
  Record* abstractInstance(const Schema* schema, Span span);
  /// Any record of a schema, of which only the types of fields are known: a schema may hold records
  /// of itself.
  Record* anyInstance(const Schema* schema, Span span);
  Value abstractValue(const Type* type, Span span);

  // inert.cpp
  void noteAsked(Record* record, uint32_t field) {
    if (notesAsked_ && evaluating_.empty()) asked_.insert({record, field});
  }
  llvm::DenseSet<std::pair<const Module*, uint32_t>> restedOn(Record* design);
  bool isOfDesign(const Module& module, Span span);

  // hiding.cpp
  void warnHiding(Span span, Name hiding, const std::string& what, Span hidden);
  void warnHiddenFunctions(const Module& module);

  // Types (types.cpp)
  const Type* fieldType(const Schema* schema, uint32_t field);
  const Type* typeOf(const Module& module, NodeId node);
  Type resolveType(const Module& module, NodeId node);
  const Schema* findSchema(const Module& module, Name name, Span span, bool report);
  std::string describeType(const Type& type);
  Value coerceScalar(Value value, const Type& type, Span span, const std::string& what);
  bool coerceDimension(const Value& value, const Type& type, Span span, const std::string& what);
  std::optional<UnitLookup> unitOf(NodeId unitNode, const Module& module);
  std::string unitExample(Dimension d);
  Value readCurve(const CurveValue& curve, NodeId node, const Frame* frame);
  Value curveCall(NodeId node, const Frame* frame, const Type* expected);

  // Records (record.cpp)
  /// The bodies of a schema and its bases, outermost base first.
  static std::vector<Layer> schemaLayers(const Schema* schema);
  Record* build(const Schema* schema, std::vector<Layer> layers, Span span);
  const LayerSummary& summaryOf(const Layer& layer);
  /// Takes out the layers whose every definition a later one replaces.
  void dropSuperseded(std::vector<Layer>& layers);
  /// Cuts and reports layers that are too many to be looked at in bounded time.
  bool isTooDeep(std::vector<Layer>& layers, Span span);
  void applyLayer(Record& record, uint32_t layer);
  void applyMember(Record& record, uint32_t layer, NodeId member,
                   std::map<std::string, Span>& assigned);
  void applyPath(Record& record, uint32_t layer, NodeId member, uint32_t pathStart);
  void applyGroupPath(Record& record, uint32_t layer, NodeId member, uint32_t pathStart,
                      Slot& slot);
  static Child* findChild(Slot& slot, Name label);
  void applyChild(Record& record, uint32_t layer, NodeId member);
  void applyArguments(Record& record, uint32_t layer);
  bool mayAssign(Record& record, uint32_t layer, uint32_t field, Span span);
  uint32_t findField(const Schema& schema, Name name) const;
  void unknownField(const Schema& schema, Name name, Span span);
  bool isSet(const Record& record, const Slot& slot) const;
  void requireFields(Record& record);
  // What `slot` says of a field of `record`: its own slot, or, for `base`, that of the layers below.
  Value computeSlot(Record* record, uint32_t field, Slot& slot);
  Value computeGroup(Record* record, uint32_t field, const Slot& slot);
  Value computeMap(Record* record, uint32_t field, const Type* type, const Slot& slot);
  Value evaluateSlot(Record* record, uint32_t field, Slot& slot, Record* holder, Span use);
  Value patched(Record* owner, Value value, const std::vector<Patch>& patches, Span span);
  void adopt(Record* owner, Name label, const Value& value);
  Layer layerOf(Record* owner, const Patch& patch);
  bool inRange(Record* record, uint32_t field, const Value& value);
  void reportCycle(Record* record, uint32_t field, Span use);
  Span definitionSpan(Record* record, uint32_t field);
  Span definitionSpan(Record* record, uint32_t field, const Slot& slot);

  // Expressions (expression.cpp, arithmetic.cpp, call.cpp)
  Value evaluateRaw(NodeId node, const Frame* frame, const Type* expected);
  Value evaluateNumber(NodeId node, const Frame* frame);
  Value readNumber(NodeId node, const Frame* frame);
  Value evaluateText(NodeId node, const Frame* frame);
  Value evaluateRef(NodeId node, const Frame* frame, const Type* expected);
  Value evaluateSelect(NodeId node, const Frame* frame);
  // base.cpp
  const Frame* amendingFrame(NodeId word, const Frame* frame);
  Record* recordBelow(Record* record, uint32_t layer);
  Value baseValue(NodeId select, const Frame* amending, const Frame* frame);
  Value evaluateIndex(NodeId node, const Frame* frame);
  Value evaluateAmend(NodeId node, const Frame* frame, const Type* expected);
  Value evaluateIf(NodeId node, const Frame* frame, const Type* expected);
  Value evaluateList(NodeId node, const Frame* frame, const Type* expected);
  Value sampleItem(NodeId node, const Value& list, const Frame* frame, const Type* element);
  Value evaluateComprehension(NodeId node, const Frame* frame, const Type* expected);
  Value evaluateBinary(NodeId node, const Frame* frame);
  Value evaluateUnary(NodeId node, const Frame* frame);
  Value evaluateRange(NodeId node, const Frame* frame);
  Value evaluateCall(NodeId node, const Frame* frame, const Type* expected);
  Value callFunction(const Declaration& function, NodeId node, const Frame* frame);
  Value callBuiltin(std::string_view name, NodeId node, const Frame* frame);
  bool isBuiltin(std::string_view name) const;
  Value lookup(Name name, const Frame* frame, Span span, const Type* expected);
  /// While a schema is checked: what a field of some kind of an abstract schema holds.
  std::optional<Value> fieldOfSomeKind(const Schema* schema, Name member, Span span);
  Value memberOf(const Value& base, Name member, Span span, Span baseSpan);
  Value declarationValue(Declaration& declaration);
  void evaluateBases(const Declaration& declaration);
  Value letValue(Record* record, uint32_t layer, NodeId let);
  void reportStrayUnit(Name unit, Span span);
  std::vector<std::string_view> visibleNames(const Frame* frame);
  const syntax::Tree& tree(const Frame* frame) const { return frame->module->tree; }
  std::optional<Value> wordOfType(const EnumType* words, Name name);

  // Rules (rules.cpp)
  void checkRule(Record* record, const Rule& rule, std::vector<PendingRule>& pending);
  Diagnostic& ruleDiagnostic(struct Rules& shown, Code code, const std::string& said);
  std::string holdsFor(const Rules& shown);
  /// The code after `as`, or what a rule without one has; reports where it is no such code.
  std::optional<Fix> binaryUnit(const syntax::Tree& tree, NodeId number) const;
  // passing.cpp
  /// The bounds of a field's range that are known.
  std::pair<std::optional<double>, std::optional<double>> rangeOf(Record* record, uint32_t field);
  Record* withField(Record* root, Record* owner, uint32_t field, const Value& value);
  /// With which values of one input, all else unchanged, a rule of `record` holds: "1, 2, 4 or 8";
  /// empty where that is not known.
  std::string passingValues(Record* record, const Rule& rule, Record* owner, uint32_t field);
  Code codeOfRule(const syntax::Tree& tree, NodeId rule);
  std::string message(NodeId node, const Frame* frame);
  void noteFault(FormulaId formula, Span span);

  FileReader& reader_;
  std::vector<std::string> roots_;
  std::deque<Module> modules_;
  std::map<std::string, Module*> byPath_;
  std::vector<std::string> loading_;  // paths of modules being loaded, for import cycles
  std::deque<Schema> schemas_;
  std::deque<EnumType> enums_;
  std::deque<Type> types_;
  std::deque<Record> records_;
  std::deque<Group> groups_;
  std::deque<Frame> frames_;
  std::deque<ListValue> lists_;
  std::deque<MapValue> maps_;
  std::deque<TextValue> texts_;
  std::deque<CurveValue> curves_;
  std::map<std::pair<const Module*, uint32_t>, const Type*> typeCache_;
  llvm::DenseMap<std::pair<const Module*, uint32_t>, Value> numbers_;  // by node
  std::map<const Schema*, Record*> abstracts_, anyInstances_;
  std::map<std::tuple<const Module*, uint32_t, uint32_t>, LayerSummary> summaries_;
  std::map<std::string, Dimension, std::less<>> dimensionNames_;
  std::map<std::string, std::pair<Module*, NodeId>, std::less<>> unitNodes_;  // not yet resolved
  std::map<std::string, std::string_view, std::less<>> unitTexts_;  // of their declarations
  std::map<std::string, std::pair<Module*, NodeId>, std::less<>> dimensionNodes_;
  Module* prelude_ = nullptr;
  std::vector<Module*> preludeModules_;
  std::vector<std::pair<Record*, uint32_t>> evaluating_;        // stack, for cycles
  std::vector<std::pair<Record*, uint32_t>>* reads_ = nullptr;  // of what is being evaluated
  bool quietWhole_ = false;  // a rule that explains why a number is not whole has failed already
  std::vector<const Declaration*> calling_;    // stack, for recursion
  std::vector<const Declaration*> declaring_;  // stack, for cycles
  std::map<std::pair<uint32_t, uint32_t>, bool> faultsReported_;
  llvm::DenseSet<std::pair<Record*, uint32_t>> asked_;  // where they are noted
  bool notesAsked_ = false;
  int depth_ = 0;
  bool depthReported_ = false;
};

}  // namespace sysdl::check
