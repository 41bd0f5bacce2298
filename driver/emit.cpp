// Dumps of the stages between a file and its answer.
#include "driver/emit.h"

#include <set>

#include "fmt/format.h"
#include "frontend/lower/dump.h"
#include "frontend/syntax/dump.h"

namespace sysdl {

using check::Checker;
using check::FieldRole;
using check::Record;
using check::Value;
using check::ValueKind;

namespace {

class TypedText {
public:
  explicit TypedText(Session& session) : checker_(*session.checker), sources_(session.sources) {}

  std::string run(const std::string& name, Record* design) {
    text_ = fmt::format("design {}\n", name);
    record("", design);
    return std::move(text_);
  }

private:
  void record(const std::string& prefix, Record* owner) {
    for (uint32_t i = 0; i < owner->slots.size(); ++i) {
      const check::Field& field = owner->schema->fields[i];
      std::string path = prefix + std::string(checker_.str(field.name));
      value(path, checker_.slotValue(owner, i), typeText(field), placeText(owner, i));
    }
  }

  void value(const std::string& path, const Value& v, std::string_view type,
             const std::string& place) {
    switch (v.kind) {
    case ValueKind::Record:
      line(path, fmt::format("{} {{ }}", checker_.str(v.record->schema->name)), type, place);
      if (!above_.insert(v.record).second) return;
      record(path + ".", v.record);
      above_.erase(v.record);
      return;
    case ValueKind::Group:
      for (const auto& [label, item] : v.group->items) {
        value(fmt::format("{}.{}", path, checker_.str(label)), item, type, place);
      }
      return;
    case ValueKind::Map:
      for (const auto& [word, item] : v.map->items) {
        value(fmt::format("{}[{}]", path, checker_.str(v.map->words->words[word])), item, type, place);
      }
      return;
    case ValueKind::List:
      for (size_t i = 0; i < v.list->items.size(); ++i) {
        value(fmt::format("{}[{}]", path, i), v.list->items[i], type, place);
      }
      return;
    default: line(path, valueText(v), type, place);
    }
  }

  void line(const std::string& path, std::string_view value, std::string_view type,
            const std::string& place) {
    text_ += fmt::format("  {} = {} : {}  // {}\n", path, value, type, place);
  }

  std::string valueText(const Value& v) {
    if (v.kind == ValueKind::Text) return fmt::format("\"{}\"", checker_.text(v));
    if (!v.scalar()) return checker_.text(v);
    auto word = checker_.formulas.resolve(v.formula);
    if (!word) return checker_.formulas[v.formula].faulty ? "(faulty)" : "(result)";
    if (v.number == Number::Bool) return word->integer ? "true" : "false";
    if (v.number == Number::Int) return std::to_string(word->integer);
    return fmt::format("{}", word->real);
  }

  std::string_view typeText(const check::Field& field) {
    const syntax::Tree& tree = field.module->tree;
    return sources_.text(tree[tree.child(field.node, 0)].span);
  }

  /// Where a field's value was written, or else where the field was declared.
  std::string placeText(Record* owner, uint32_t index) {
    const check::Slot& slot = owner->slots[index];
    const check::Field& field = owner->schema->fields[index];
    Span span = slot.definition.span;
    if (!span.valid() && !slot.patches.empty()) {
      const check::Patch& patch = slot.patches.back();
      span = owner->layers[patch.layer].module->tree[patch.node].span;
    }
    if (!span.valid()) span = field.module->tree[field.node].span;
    LineColumn at = sources_.resolve(span.begin);
    return fmt::format("{}:{}", at.path, at.line);
  }

  Checker& checker_;
  SourceMap& sources_;
  std::set<Record*> above_;
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
  return TypedText(session).run(std::string(session.names.text(design.name)), design.record);
}

std::string graphText(const ChosenDesign& chosen) {
  Session& session = *chosen.file->session;
  const EvaluatedDesign& design = session.lowerDesign(chosen.name, chosen.record);
  if (!design.graph) return {};
  return fmt::format("design {}\n", session.names.text(chosen.name)) +
         dump(*design.graph, design.inputs->model, design.inputs->plan, design.inputs->machine,
              session.names);
}

}  // namespace sysdl
