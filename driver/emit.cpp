// Dumps of the stages between a file and its answer.
#include "driver/emit.h"

#include <set>

#include "driver/kernel_cost.h"
#include "fmt/format.h"
#include "frontend/lower/dump.h"
#include "frontend/syntax/dump.h"

namespace sysdl {

using check::Checker;
using check::Record;
using check::Value;
using check::ValueKind;

namespace {

/// Where a type is written: a node of a module's tree.
struct TypeNode {
  const syntax::Tree* tree;
  syntax::NodeId node;

  /// The type of what a list or map holds.
  TypeNode element() const {
    uint32_t count = tree->childCountOf(node);
    return count > 0 ? TypeNode{tree, tree->child(node, count - 1)} : *this;
  }
};

class TypedText {
public:
  explicit TypedText(Session& session, bool places = true)
      : checker_(*session.checker), sources_(session.sources), places_(places) {}

  std::string run(std::string_view name, Record* design) {
    text_ = fmt::format("design {}\n", name);
    record("", design);
    return std::move(text_);
  }

private:
  void record(const std::string& prefix, Record* owner) {
    for (uint32_t i = 0; i < owner->slots.size(); ++i) {
      const check::Field& field = owner->schema->fields[i];
      const syntax::Tree& tree = field.module->tree;
      std::string path = prefix + std::string(checker_.str(field.name));
      Slot slot{owner, i, {}};
      value(path, checker_.slotValue(owner, i), {&tree, tree.child(field.node, 0)}, slot);
    }
  }

  /// A slot of a record, or the child or entry of that name in it.
  struct Slot {
    Record* owner;
    uint32_t index;
    Name part;
  };

  void value(const std::string& path, const Value& v, TypeNode type, Slot slot) {
    switch (v.kind) {
    case ValueKind::Record: return recordValue(path, v.record, slot);
    case ValueKind::Group:
      for (const auto& [label, item] : v.group->items) {
        slot.part = label;
        value(fmt::format("{}.{}", path, checker_.str(label)), item, type, slot);
      }
      return;
    case ValueKind::Map:
      for (const auto& [word, item] : v.map->items) {
        slot.part = v.map->words->words[word];
        value(fmt::format("{}[{}]", path, checker_.str(slot.part)), item, type.element(), slot);
      }
      return;
    case ValueKind::List:
      for (size_t i = 0; i < v.list->items.size(); ++i) {
        value(fmt::format("{}[{}]", path, i), v.list->items[i], type.element(), slot);
      }
      return;
    default:
      line(fmt::format("{}: {} = {}", path, sources_.text((*type.tree)[type.node].span),
                       valueText(v)),
           slot);
    }
  }

  /// What belongs to another record, as `over = level.node`, is named, not shown again.
  void recordValue(const std::string& path, Record* r, const Slot& slot) {
    std::string_view schema = checker_.str(r->schema->name);
    if (r->parent && r->parent != slot.owner) {
      return line(fmt::format("{}: {} = {}", path, schema, checker_.str(r->label)), slot);
    }
    line(fmt::format("{}: {}", path, schema), slot);
    if (!above_.insert(r).second) return;
    record(path + ".", r);
    above_.erase(r);
  }

  void line(const std::string& text, const Slot& slot) {
    if (!places_) {
      text_ += fmt::format("  {}\n", text);
      return;
    }
    LineColumn at = sources_.resolve(spanOf(slot).begin);
    text_ += fmt::format("  {}  // {}:{}\n", text, at.path, at.line);
  }

  std::string valueText(const Value& v) {
    if (v.kind == ValueKind::Text) return fmt::format("\"{}\"", checker_.text(v));
    if (!v.scalar()) return checker_.text(v);
    const FormulaNode& formula = checker_.formulas[v.formula];
    auto word = checker_.formulas.resolve(v.formula);
    if (!word) return formula.faulty ? "(faulty)" : formula.usesResult ? "(result)" : "(filled in)";
    if (v.number == Number::Bool) return word->integer ? "true" : "false";
    if (v.number == Number::Int) return std::to_string(word->integer);
    std::string number = fmt::format("{}", word->real);
    return v.dimension.none() ? number : fmt::format("{} ({})", number, checker_.text(v));
  }

  /// Where a value was written, or else where the field was declared.
  Span spanOf(const Slot& at) const {
    const check::Slot& slot = at.owner->slots[at.index];
    const check::Field& field = at.owner->schema->fields[at.index];
    for (const check::Child& child : slot.children) {
      if (at.part && child.label == at.part) return child.span;
    }
    for (size_t i = slot.patches.size(); i-- > 0;) {
      const check::Patch& patch = slot.patches[i];
      const syntax::Tree& tree = at.owner->layers[patch.layer].module->tree;
      if (!at.part || entryOf(tree, patch) == at.part) return tree[patch.node].span;
    }
    return slot.definition.span.valid() ? slot.definition.span
                                        : field.module->tree[field.node].span;
  }

  /// The word in `rate[fp16] = …`.
  static Name entryOf(const syntax::Tree& tree, const check::Patch& patch) {
    if (tree[patch.node].kind != syntax::Kind::Assign) return {};
    syntax::NodeId path = tree.child(patch.node, 0);
    if (patch.pathStart >= tree.childCountOf(path)) return {};
    syntax::NodeId piece = tree.child(path, patch.pathStart);
    return tree[piece].kind == syntax::Kind::PathIndex ? tree[tree.child(piece, 0)].name : Name();
  }

  Checker& checker_;
  SourceMap& sources_;
  std::set<Record*> above_;
  bool places_;
  std::string text_;
};

}  // namespace

std::string astText(const OpenedFile& file) {
  const check::Module& module = *file.module;
  if (!module.tree.root.valid()) return {};
  return syntax::dump(module.tree, file.session->sources, file.session->names);
}

std::string typedText(const ChosenDesign& design) {
  Session& session = *design.file->session;
  std::vector<check::PendingRule> waiting;
  session.checker->walk(design.record, waiting);
  return TypedText(session).run(session.names.text(design.name), design.record);
}

std::string valuesText(const ChosenDesign& design) {
  Session& session = *design.file->session;
  session.evaluateDesign(design.name, design.record);
  return TypedText(session, false).run(session.names.text(design.name), design.record);
}

namespace {

std::string graphText(const ChosenDesign& chosen, const EvaluatedDesign& design) {
  if (!design.graph) return {};
  const NameTable& names = chosen.file->session->names;
  std::function<std::string(uint32_t)> cost;
  if (design.results) {
    cost = [&](uint32_t kernel) { return costText(design.results->kernels[kernel], names); };
  }
  return fmt::format("design {}\n", names.text(chosen.name)) +
         dump(*design.graph, design.inputs->model, design.inputs->plan, design.inputs->machine,
              names, cost);
}

}  // namespace

std::string graphText(const ChosenDesign& chosen) {
  return graphText(chosen, chosen.file->session->lowerDesign(chosen.name, chosen.record));
}

std::string pricedGraphText(const ChosenDesign& chosen) {
  return graphText(chosen, chosen.file->session->evaluateDesign(chosen.name, chosen.record));
}

}  // namespace sysdl
