// Machines: the network's levels inside out, and collective algorithms compiled over group geometry.
#include <algorithm>
#include <set>

#include "fmt/format.h"
#include "frontend/model/design.h"
#include "frontend/model/reuse.h"

namespace sysdl {

using namespace check;

namespace {

/// The network's levels, innermost first: each says which it lies `over`.
std::optional<std::vector<std::pair<Name, Record*>>> levelsOf(Checker& c, Record* network) {
  Value group = c.get(network, "level");
  std::vector<std::pair<Name, Record*>> pending, ordered;
  if (group.kind != ValueKind::Group) return std::nullopt;
  for (const auto& [label, value] : group.group->items) {
    if (value.kind == ValueKind::Record) pending.emplace_back(label, value.record);
  }
  Record* below = nullptr;
  while (!pending.empty()) {
    auto next = std::ranges::find_if(pending, [&](const auto& item) {
      Value over = c.get(item.second, "over");
      return below ? over.kind == ValueKind::Record && over.record == below
                   : over.kind == ValueKind::Absent;
    });
    if (next == pending.end()) {
      c.diagnostics
          .report(Code::E0605, pending.front().second->span,
                  "the levels of this network do not lie over each other",
                  "this level is not reached")
          .helpText("the innermost level has no `over`; each other one says `over = level.NAME` of "
                    "the one below it");
      return std::nullopt;
    }
    below = next->second;
    ordered.push_back(*next);
    pending.erase(next);
  }
  if (ordered.empty()) {
    c.diagnostics.report(Code::E0605, network->span, "this network has no levels");
    return std::nullopt;
  }
  return ordered;
}

/// The collective algorithms that a design sees: the prelude's, and those of its file and imports.
std::vector<const Schema*> visibleCollectives(Checker& c, Record* design) {
  std::set<const Module*> modules;
  for (const Module* m : c.preludeModules()) modules.insert(m);
  for (const Layer& layer : design->layers) {
    modules.insert(layer.module);
    for (const auto& [alias, imported] : layer.module->imports) {
      if (imported) modules.insert(imported);
    }
  }
  const Schema* base = c.preludeSchema("collective");
  std::vector<const Schema*> found;
  for (const Module* module : modules) {
    for (const auto& [id, ignored] : module->schemas) {
      const Schema* schema = c.schemaOf(*module, Name{id});
      if (schema && !schema->isAbstract && schema->is(base)) found.push_back(schema);
    }
  }
  // Of algorithms that take equally long the first by name is used.
  std::ranges::sort(found, {}, [&](const Schema* s) { return c.str(s->name); });
  return found;
}

std::optional<CollectiveKind> kindOf(Checker& c, const Value& word) {
  if (word.kind != ValueKind::Word) return std::nullopt;
  std::string text = c.text(word);
  for (CollectiveKind kind :
       {CollectiveKind::AllReduce, CollectiveKind::AllGather, CollectiveKind::ReduceScatter,
        CollectiveKind::AllToAll, CollectiveKind::PointToPoint}) {
    if (text == nameOf(kind)) return kind;
  }
  return std::nullopt;
}

class CollectiveCompiler {
public:
  CollectiveCompiler(Checker& checker, const std::vector<std::pair<Name, Record*>>& levels)
      : c_(checker), levels_(levels) {
    span_ = levels.front().second->span;
    inputs_.push_back(c_.formulas.input(Number::Real, false, span_));
    Value inner = c_.integerValue(1, span_);
    std::vector<Value> shares;
    const Schema* share = c_.preludeSchema("level_share");
    for (const auto& [label, record] : levels) {
      inputs_.push_back(c_.formulas.input(Number::Int, false, span_));
      Value ranks = c_.scalar(inputs_.back());
      Value link;
      link.kind = ValueKind::Record;
      link.record = record;
      Value value;
      value.kind = ValueKind::Record;
      value.record = c_.construct(
          share,
          fixed({{c_.name("ranks"), ranks}, {c_.name("inner"), inner}, {c_.name("link"), link}}),
          span_);
      shares.push_back(value);
      inner = c_.apply(Opcode::MultiplyI, Number::Int, {}, span_, inner, ranks);
    }
    ranks_ = inner;
    shares_ = c_.listValue(std::move(shares));
  }

  bool add(const Schema* schema, Machine& machine, FormulaSources& sources) {
    Dimension data = c_.dimensionNamed("Data");
    Record* record = c_.construct(schema,
                                  fixed({{c_.name("bytes"), c_.scalar(inputs_[0], data)},
                                         {c_.name("ranks"), ranks_},
                                         {c_.name("levels"), shares_}}),
                                  schema->span);
    auto kind = kindOf(c_, c_.get(record, "implements"));
    Value time = c_.get(record, "time");
    Value wire = c_.get(record, "wire");
    Value applies = c_.get(record, "applies");
    if (!kind || !time.scalar() || !wire.scalar() || !applies.scalar()) return false;
    const FormulaNode& known = c_.formulas[applies.formula];
    if (!known.symbolic && !known.value.integer) return true;
    std::vector<FormulaId> outputs{time.formula, wire.formula, applies.formula};
    auto model = std::ranges::find(machine.collectives, *kind, &CollectiveModel::kind);
    if (model == machine.collectives.end()) {
      machine.collectives.push_back({*kind, {}});
      model = std::prev(machine.collectives.end());
    }
    model->algorithms.push_back({schema->name, c_.formulas.compile(inputs_, outputs)});
    sources.collectives.push_back({schema->name, {record, inputs_}});
    return true;
  }

private:
  Layer fixed(std::vector<std::pair<Name, Value>> values) {
    Layer layer;
    layer.kind = LayerKind::Fixed;
    layer.module = levels_.front().second->layers.front().module;
    layer.outer = levels_.front().second->layers.front().outer;
    layer.fixed = std::move(values);
    return layer;
  }

  Checker& c_;
  const std::vector<std::pair<Name, Record*>>& levels_;
  Span span_;
  std::vector<FormulaId> inputs_;
  Value ranks_, shares_;
};

bool compileMachine(Checker& c, Record* network, const std::vector<const Schema*>& algorithms,
                    Machine& result, FormulaSources& sources) {
  auto levels = levelsOf(c, network);
  if (!levels) return false;
  for (const auto& [label, record] : *levels) {
    Value shape = c.get(record, "shape");
    if (shape.kind != ValueKind::Record) return false;
    auto size = c.integer(c.get(shape.record, "size"), record->span);
    if (!size) return false;
    result.levels.push_back({label, *size});
  }
  auto devices = c.integer(c.get(network, "devices"), network->span);
  if (!devices) return false;
  result.devices = *devices;
  CollectiveCompiler compiler(c, *levels);
  for (const Schema* schema : algorithms) {
    if (!compiler.add(schema, result, sources)) return false;
  }
  return true;
}

}  // namespace

bool readMachine(Checker& c, Record* design, Machine& result, FormulaSources& sources,
                 DesignReuse* reuse) {
  Value network = c.get(design, "network");
  if (network.kind != ValueKind::Record) return false;
  std::vector<const Schema*> algorithms = visibleCollectives(c, design);
  if (!reuse) return compileMachine(c, network.record, algorithms, result, sources);
  std::pair key(reuse->keys.of(network.record), algorithms);
  auto known = reuse->machines.find(key);
  if (known == reuse->machines.end()) {
    if (!compileMachine(c, network.record, algorithms, result, sources)) return false;
    known = reuse->machines.emplace(std::move(key), result).first;
  }
  result = known->second;
  return true;
}

}  // namespace sysdl
