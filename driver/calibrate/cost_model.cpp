// Formulas with open constants: finding chips and networks, and products.
#include "driver/calibrate/cost_model.h"

#include <algorithm>
#include <cmath>

#include "driver/library/catalogue.h"
#include "fmt/format.h"

namespace sysdl::calibrate {

using check::Record;
using check::Value;
using check::ValueKind;

std::optional<double> CostModel::seconds(const Row& row, std::span<const double> values,
                                         Scratch& scratch) const {
  std::vector<Word> inputs = row.inputs;
  for (double value : values) inputs.push_back(wordOf(value));
  std::optional<double> best;
  auto found = ways.find(row.kind);
  if (found == ways.end()) return best;
  for (const Way& way : found->second) {
    Word outputs[2] = {wordOf(0.0), wordOf(int64_t{1})};
    std::span<Word> wanted(outputs, way.program.outputs.size());
    if (run(way.program, inputs, wanted, scratch) || !outputs[1].integer) continue;
    double time = outputs[0].real;
    bool sound = std::isfinite(time) && time > 0;
    if (sound && (!best || time < *best)) best = time;
  }
  return best;
}

std::optional<Named> findNamed(Session& session, const std::string& file, std::string_view schema,
                               const std::string& name, std::string_view option,
                               Diagnostic& fault) {
  const check::Schema* kind = session.checker->preludeSchema(schema);
  std::vector<Entry> entries = catalogueOf(session, file);
  std::vector<std::string_view> candidates;
  for (const Entry& entry : entries) {
    bool suits = entry.kind != "schema" && entry.schema && entry.schema->is(kind);
    if (!suits) continue;
    candidates.push_back(entry.name);
    auto value = entry.home->values.find(session.checker->name(entry.name).id);
    if (entry.name != name || value == entry.home->values.end()) continue;
    if (value->second.value.kind != ValueKind::Record) continue;
    Named found{value->second.value.record, name, {}, name};
    if (entry.needsImport) {
      found.importLine = "import " + entry.module;
      found.path = entry.module.substr(entry.module.rfind('.') + 1) + "." + name;
    } else if (!entry.home->embedded) {
      std::string_view path = file;
      while (path.starts_with("./")) path.remove_prefix(2);
      found.importLine = fmt::format("import \"{}\" as own", path);
      found.path = "own." + name;
    }
    return found;
  }
  if (session.diagnostics.hasErrors()) return std::nullopt;
  std::string near = nearest(name, candidates);
  fault.message = fmt::format("`{}`: there is no {} `{}`", option, schema, name);
  fault.help = near.empty() ? fmt::format("`sysdlc list {}` lists them; `--file FILE` looks into a "
                                          "file of yours too",
                                          schema)
                            : fmt::format("did you mean `{}`?", near);
  return std::nullopt;
}

namespace {

const check::EnumType* formatEnum(check::Checker& c) {
  for (const check::Module* module : c.preludeModules()) {
    auto found = module->enums.find(c.name("Format").id);
    if (found != module->enums.end()) return found->second;
  }
  return nullptr;
}

}  // namespace

std::vector<std::string> formatWords(Session& session) {
  session.checker->preludeSchema("gemm_fit");  // loads the prelude
  std::vector<std::string> words;
  if (const check::EnumType* formats = formatEnum(*session.checker)) {
    for (Name word : formats->words) words.emplace_back(session.names.text(word));
  }
  return words;
}

namespace {

/// The record of the tensor engine.
Record* tensorEngine(check::Checker& c, Record* chip) {
  Value group = c.get(chip, "engine");
  if (group.kind != ValueKind::Group) return nullptr;
  for (const auto& [label, value] : group.group->items) {
    if (c.str(label) == "tensor" && value.kind == ValueKind::Record) return value.record;
  }
  return nullptr;
}

/// What a map holds for a word, if anything.
std::optional<Value> at(check::Checker& c, const Value& map, std::string_view word) {
  if (map.kind != ValueKind::Map) return std::nullopt;
  for (const auto& [index, value] : map.map->items) {
    if (c.str(map.map->words->words[index]) == word) return value;
  }
  return std::nullopt;
}

Record* fitOf(check::Checker& c, Record* chip, const std::string& format) {
  Record* engine = tensorEngine(c, chip);
  if (!engine) return nullptr;
  auto fit = at(c, c.get(engine, "gemm"), format);
  return fit && fit->kind == ValueKind::Record ? fit->record : nullptr;
}

/// A fresh record of a schema of the library in which fields have these values.
Record* kernelOf(check::Checker& c, const char* schema, Record* near,
                 std::vector<std::pair<Name, Value>> values) {
  check::Layer layer;
  layer.kind = check::LayerKind::Fixed;
  layer.module = near->layers.front().module;
  layer.outer = near->layers.front().outer;
  layer.fixed = std::move(values);
  return c.construct(c.preludeSchema(schema), std::move(layer), near->span);
}

}  // namespace

std::vector<FormulaId> openConstants(check::Checker& c, const std::vector<Constant>& constants,
                                     Span span, std::vector<std::pair<Name, Value>>& named) {
  std::vector<FormulaId> inputs;
  for (const Constant& constant : constants) {
    inputs.push_back(c.formulas.input(Number::Real, false, span));
    Dimension dimension;
    if (constant.unit != Unit::None)
      dimension = c.dimensionNamed(constant.unit == Unit::Time ? "Time" : "Data");
    named.emplace_back(c.name("fitted_" + constant.name), c.scalar(inputs.back(), dimension));
  }
  return inputs;
}

Record* amended(check::Checker& c, Record* base, const std::string& text,
                std::vector<std::pair<Name, Value>> named) {
  auto layer = c.amendLayer(base, "<calibrate>", text, std::move(named));
  return layer ? c.amend(base, std::move(*layer), base->span) : base;
}

double shortest(std::span<const Row> rows) {
  return std::ranges::min_element(rows, {}, &Row::seconds)->seconds;
}

std::optional<CostModel> productModel(Session& session, const Named& chip,
                                      const std::string& format, std::span<Row> rows) {
  check::Checker& c = *session.checker;
  Record* engine = tensorEngine(c, chip.record);
  if (!engine || !at(c, c.get(engine, "rate"), format)) {
    session.diagnostics
        .report(Code::E0906, rows.front().span,
                fmt::format("`{}` has no rate for {}", chip.name, format))
        .helpText("leave out these rows, as by `--where`, or calibrate a chip with such an engine");
    return std::nullopt;
  }
  CostModel model;
  model.constants = {{"sustained", Unit::None, 0.01, 1, 0.8, {}},
                     {"exposed_store", Unit::None, 0, 1, 0.8, {}},
                     {"overhead", Unit::Time, 0, 4 * shortest(rows), 4e-6, {}},
                     {"bandwidth_share", Unit::None, 0.01, 1, 0.85, {}}};
  if (Record* fit = fitOf(c, chip.record, format)) {
    if (c.real(c.get(fit, "quantize"), fit->span).value_or(0) > 0)
      model.constants.push_back({"quantize", Unit::Data, 0, 32, 4, {}});
    for (Constant& constant : model.constants)
      constant.before = c.real(c.get(fit, constant.name), fit->span);
  }
  std::vector<std::pair<Name, Value>> named;
  std::vector<FormulaId> constants = openConstants(c, model.constants, chip.record->span, named);
  std::string fields;
  for (const Constant& constant : model.constants)
    fields += fmt::format("  {0} = fitted_{0}\n", constant.name);
  // Kernels that are timed one by one run at the full clock: what a chip keeps of it through a step
  // is another constant.
  Record* open = amended(c, chip.record, "sustained_clock = 1", {});
  open = amended(c, open, fmt::format("engine.tensor.gemm[{}] = gemm_fit {{\n{}}}", format, fields),
                 named);
  std::vector<FormulaId> inputs;
  std::vector<std::pair<Name, Value>> values;
  for (std::string_view size : {"batch", "m", "n", "k"}) {
    inputs.push_back(c.formulas.input(Number::Int, false, open->span));
    values.emplace_back(c.name(size), c.scalar(inputs.back()));
  }
  Value on, word;
  on.kind = ValueKind::Record;
  on.record = open;
  word.kind = ValueKind::Word;
  word.words = formatEnum(c);
  const auto& words = word.words->words;
  word.word = static_cast<uint32_t>(std::ranges::find(words, c.name(format)) - words.begin());
  values.emplace_back(c.name("on"), on);
  values.emplace_back(c.name("format"), word);
  Record* product = kernelOf(c, "gemm", chip.record, std::move(values));
  Value time = c.get(product, "time");
  if (!time.scalar()) return std::nullopt;
  inputs.insert(inputs.end(), constants.begin(), constants.end());
  model.ways[""].push_back({c.formulas.compile(inputs, {{time.formula}})});
  for (Row& row : rows) {
    row.inputs.clear();
    for (int64_t size : row.sizes) row.inputs.push_back(wordOf(size));
  }
  return model;
}

}  // namespace sysdl::calibrate
