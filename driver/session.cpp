// One run of the compiler: opening files and evaluating designs.
#include "driver/session.h"

#include <algorithm>

#include "driver/remedies.h"
#include "eval/evaluate.h"
#include "fmt/format.h"
#include "frontend/lower/lower.h"

namespace sysdl {

using check::Record;

Session::Session(std::unique_ptr<FileReader> given) : reader(std::move(given)) {
  if (!reader) reader = std::make_unique<DiskReader>(ParseLimits{}.maxBytes);
  checker = std::make_unique<check::Checker>(sources, names, diagnostics, *reader);
  checker->keepAsked(true);
}

std::string Session::neighbour(const std::string& path) {
  size_t slash = path.rfind('/');
  size_t begin = slash == std::string::npos ? 0 : slash + 1;
  std::vector<std::string> found = reader->neighbours(path);
  std::string near = nearest(std::string_view(path).substr(begin), {found.begin(), found.end()});
  return near.empty() || near == path.substr(begin) ? std::string() : path.substr(0, begin) + near;
}

check::Module* Session::open(const std::string& path) {
  std::string why;
  std::optional<std::string> text = reader->read(path, why);
  if (!text) {
    auto& d = diagnostics.report(Code::E0901, {}, fmt::format("cannot read `{}`: {}", path, why));
    std::string near = neighbour(path);
    if (!near.empty()) d.helpText(fmt::format("did you mean `{}`?", near));
    return nullptr;
  }
  return openText(path, std::move(*text));
}

check::Module* Session::openText(const std::string& path, std::string text) {
  std::vector<std::string> roots = roots_;
  std::string own = roots.empty() ? reader->rootOf(path) : std::string();
  if (!own.empty()) roots.push_back(std::move(own));
  checker->confine(std::move(roots));
  check::Module* module = checker->loadText(path, std::move(text));
  opened_.push_back(module);
  for (check::Module* part : ownModules(*module)) {
    checker->checkModule(*part);
    walkValues(*part);
    checker->warnUnsourced(*part);
  }
  return module;
}

/// What is declared is right or wrong whether or not a design uses it. Designs themselves wait until
/// it is known which of them are asked for, and how `-D` changes them.
void Session::walkValues(check::Module& module) {
  const check::Schema* design = checker->preludeSchema("design");
  std::vector<check::PendingRule> none;  // no value but a design's waits for results
  for (auto& [id, declaration] : module.values) {
    const check::Value& value = declaration.value;
    bool walks = declaration.kind == check::DeclarationKind::Value &&
                 value.kind == check::ValueKind::Record && !value.record->schema->is(design);
    if (walks) checker->walk(value.record, none);
  }
}

std::vector<check::Module*> Session::ownModules(check::Module& module) {
  std::vector<check::Module*> found{&module};
  for (size_t i = 0; i < found.size(); ++i) {
    for (const auto& [alias, imported] : found[i]->imports) {
      bool isNew = imported && !imported->embedded && std::ranges::count(found, imported) == 0;
      if (isNew) found.push_back(imported);
    }
  }
  return found;
}

std::vector<std::pair<Name, Record*>> Session::designs(check::Module& module) {
  auto all = checker->recordsOf(module, checker->preludeSchema("design"));
  if (all.empty() && !diagnostics.hasErrors()) {
    diagnostics
        .report(Code::E0903, Span{module.start, module.start},
                fmt::format("`{}` declares no design", module.path))
        .helpText("declare one, as in `design baseline { model = …; chip = …; network = …; "
                  "workload = … }`");
  }
  return all;
}

EvaluatedDesign& Session::checkDesign(Name name, Record* record) {
  auto [entry, isNew] = evaluated_.try_emplace(record);
  EvaluatedDesign& design = entry->second;
  if (!isNew) return design;
  design.name = name;
  design.record = record;
  size_t errors = diagnostics.errorCount();
  checker->walk(record, design.rules);
  bool refused = checker->refusals && !checker->refusals->empty();
  design.sound = diagnostics.errorCount() == errors && !record->broken && !refused;
  return design;
}

EvaluatedDesign& Session::lowerDesign(Name name, Record* record) {
  EvaluatedDesign& design = checkDesign(name, record);
  if (!design.sound || design.lowered) return design;
  design.lowered = true;
  design.inputs = readDesign(*checker, record, reuse_.get());
  if (!design.inputs) return design;
  design.graph = lower(design.inputs->model, design.inputs->plan, design.inputs->machine,
                       design.inputs->optimizer, names, diagnostics);
  if (design.graph && !reuse_ && !checker->refusals) checker->warnInert(record);
  return design;
}

void Session::reportFault(const EvaluatedDesign& design, const EvaluationError& error) {
  Span span = error.fault.span.valid() ? error.fault.span : design.record->span;
  if (error.what == EvaluationError::What::NoAlgorithm) {
    const CollectiveNode& node = design.graph->collectives[error.node];
    std::string levels;
    for (size_t level = 0; level < node.group.ranksOnLevel.size(); ++level) {
      if (node.group.ranksOnLevel[level] == 1) continue;
      levels +=
          fmt::format("{}{} on `{}`", levels.empty() ? "" : ", ", node.group.ranksOnLevel[level],
                      names.text(design.inputs->machine.levels[level].name));
    }
    diagnostics
        .report(Code::E0604, design.record->span,
                fmt::format("no algorithm applies to the {} of `{}` over {} ranks",
                            nameOf(node.kind), names.text(node.name), node.group.ranks))
        .note(fmt::format("ranks: {}", levels))
        .helpText("write one for this shape: a schema that extends `collective`, as "
                  "`examples/extending/topology.sysdl` does");
    return;
  }
  Code code = error.fault.kind == FaultKind::Overflow ? Code::E0410 : Code::E0412;
  diagnostics
      .report(code, span, std::string(describe(error.fault.kind)), "while this was evaluated")
      .label(design.record->span, "for this design");
}

EvaluatedDesign& Session::evaluateDesign(Name name, Record* record) {
  EvaluatedDesign& design = lowerDesign(name, record);
  if (design.results || !design.graph) return design;
  Evaluation evaluation =
      evaluate(design.inputs->model, design.inputs->plan, design.inputs->machine,
               design.inputs->optimizer, *design.graph, names, scratch_);
  if (const auto* error = std::get_if<EvaluationError>(&evaluation)) {
    reportFault(design, *error);
    return design;
  }
  design.results = std::move(std::get<StepResults>(evaluation));
  bindResults(*checker, record, *design.inputs, *design.results);
  size_t said = diagnostics.size();
  for (const check::PendingRule& rule : design.rules) checker->judge(rule);
  if (!reuse_ && !checker->refusals && !remedying_) addRemedies(record, said);
  return design;
}

/// What does not fit says which change would make it fit.
void Session::addRemedies(Record* record, size_t said) {
  remedying_ = true;
  for (Diagnostic& d : diagnostics.takeFrom(said)) {
    if (d.code == Code::E0701 && d.help.empty()) d.help = remediesOf(*this, record);
    diagnostics.report(d.code, {}, {}) = std::move(d);
  }
  remedying_ = false;
}

bool Session::settle(FormulaId formula) {
  for (Record* last = nullptr;;) {
    Record* owner = nullptr;
    for (FormulaId input : checker->formulas.unboundInputs(formula)) {
      auto found = checker->resultOwners.find(input.index);
      if (found != checker->resultOwners.end()) owner = found->second;
    }
    if (!owner) return true;
    // A result that evaluation does not fill in would keep us here for ever.
    if (owner == last || !evaluateDesign(owner->label, owner).results) return false;
    last = owner;
  }
}

check::Value Session::evaluateText(const std::string& origin, std::string text, Record* record) {
  check::Module& module = texts_.emplace_back();
  module.path = origin;
  module.start = sources.add(origin, std::move(text));
  module.tree = parseExpression(module.start, sources, names, diagnostics);
  module.frame.module = &module;
  module.frame.self = record;
  if (!module.tree.root.valid()) return {};
  return checker->evaluate(module.tree.root, &module.frame);
}

}  // namespace sysdl
