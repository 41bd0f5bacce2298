// Formulas with open constants: the collectives of a network whose one level is calibrated.
#include <algorithm>

#include "driver/calibrate/cost_model.h"
#include "fmt/format.h"
#include "frontend/model/design.h"

namespace sysdl::calibrate {

using check::Record;
using check::Value;
using check::ValueKind;

namespace {

/// A design on a network: algorithms are those that a design sees. What else it says is of no matter.
constexpr std::string_view kDesign = R"(// To see what a design sees.
sysdl 2026

import std.chips.nvidia as any_chips
import std.models.gpt as any_models
{}
design calibrated {{
  model = any_models.GPT3_13B
  chip = any_chips.A100_SXM_80GB
  network = {}
  workload = training {{ batch = 1 }}
}}
)";

Record* levelOf(check::Checker& c, Record* network, Name label) {
  Value group = c.get(network, "level");
  if (group.kind != ValueKind::Group) return nullptr;
  for (const auto& [name, value] : group.group->items) {
    if (name == label && value.kind == ValueKind::Record) return value.record;
  }
  return nullptr;
}

class LevelOpener {
public:
  LevelOpener(Session& session, const Named& network)
      : session_(session), c_(*session.checker), network_(network) {}

  std::optional<CalibratedLevel> open(const std::string& level, std::vector<Row>& rows) {
    if (!readLevels()) return std::nullopt;
    size_t errors = session_.diagnostics.errorCount();
    for (Row& row : rows) place(row);
    if (session_.diagnostics.errorCount() != errors || !chooseLevel(level, rows))
      return std::nullopt;
    CalibratedLevel result;
    result.name = session_.names.text(machine_.levels[level_].name);
    if (!openLevel(rows, result.model)) return std::nullopt;
    for (const Row& row : rows) {
      if (result.model.ways.contains(row.kind)) continue;
      session_.diagnostics.report(
          Code::E0906, row.span,
          fmt::format("no algorithm of `{}` is an {}", network_.name, row.kind));
      return std::nullopt;
    }
    return result;
  }

private:
  bool readLevels() {
    std::string line = network_.importLine.empty() ? "" : network_.importLine + "\n";
    check::Module* module =
        session_.openText("<calibrate>", fmt::format(fmt::runtime(kDesign), line, network_.path));
    auto designs = session_.designs(*module);
    if (session_.diagnostics.hasErrors() || designs.empty()) return false;
    design_ = designs.front().second;
    FormulaSources sources;
    return readMachine(c_, design_, machine_, sources);
  }

  /// Says how many ranks of a row lie on each level: inner levels are filled first, but for what a log
  /// says of its nodes.
  void place(Row& row) {
    int64_t left = row.sizes[1];
    row.inputs = {wordOf(static_cast<double>(row.sizes[0]))};
    for (size_t i = 0; i < machine_.levels.size(); ++i) {
      int64_t size = machine_.levels[i].size;
      int64_t here = std::min(size, left);
      if (i == 0 && row.sizes[2] > 0) here = row.sizes[2];
      if (here > size || left % here != 0) {
        session_.diagnostics.report(
            Code::E0906, row.span,
            fmt::format("{} ranks do not fill groups of {} on the level `{}` of `{}`", left,
                        here > size ? size : here, session_.names.text(machine_.levels[i].name),
                        network_.name));
        return;
      }
      row.inputs.push_back(wordOf(here));
      left /= here;
    }
    if (left == 1) return;
    session_.diagnostics.report(
        Code::E0906, row.span,
        fmt::format("`{}` joins fewer devices than the {} ranks of this row", network_.name,
                    row.sizes[1]));
  }

  /// The outermost level that a row crosses.
  size_t outermost(const Row& row) const {
    size_t level = row.inputs.size() - 1;
    while (level > 1 && row.inputs[level].integer == 1) --level;
    return level - 1;
  }

  bool chooseLevel(const std::string& wanted, const std::vector<Row>& rows) {
    level_ = machine_.levels.size();
    std::vector<std::string_view> names;
    for (size_t i = 0; i < machine_.levels.size(); ++i) {
      names.push_back(session_.names.text(machine_.levels[i].name));
      if (names.back() == wanted) level_ = i;
    }
    if (wanted.empty()) {
      level_ = 0;
      for (const Row& row : rows) level_ = std::max(level_, outermost(row));
    }
    if (level_ == machine_.levels.size()) {
      session_.diagnostics
          .report(Code::E0906, rows.front().span,
                  fmt::format("`{}` has no level `{}`", network_.name, wanted))
          .helpText(fmt::format("its levels are {}", fmt::join(names, ", ")));
      return false;
    }
    bool all = true;
    for (const Row& row : rows) {
      size_t crossed = outermost(row);
      if (crossed == level_) continue;
      all = false;
      session_.diagnostics
          .report(Code::E0906, row.span,
                  fmt::format("these {} ranks reach up to the level `{}`, and `{}` is calibrated",
                              row.sizes[1], names[crossed], names[level_]))
          .helpText("calibrate one level after the other, the inner one first; `--level` and "
                    "`--where` choose");
    }
    return all;
  }

  /// Whether a row may run inside the switch, whose constants can then be seen.
  bool reduces(const Row& row) const {
    return row.kind == "all_reduce" &&
           row.inputs[level_ + 1].integer == machine_.levels[level_].size;
  }

  bool openLevel(const std::vector<Row>& rows, CostModel& model) {
    Name label = machine_.levels[level_].name;
    Record* level = levelOf(c_, network_.record, label);
    if (!level) return false;
    double least = shortest(rows);
    model.constants = {{"efficiency", Unit::None, 0.01, 1, 0.8, {}},
                       {"latency", Unit::Time, 0, 8 * least, least / 8, {}},
                       {"startup", Unit::Time, 0, 8 * least, least / 2, {}},
                       {"ramp", Unit::Time, 0, 20 * least, least, {}}};
    bool switches = level_ == 0 && c_.get(level, "reducing_switch").scalar() &&
                    std::ranges::any_of(rows, [&](const Row& row) { return reduces(row); });
    if (switches) {
      model.constants.push_back({"reducing_switch", Unit::None, 0.01, 1, 0.6, {}});
      model.constants.push_back({"reducing_startup", Unit::Time, 0, 8 * least, least, {}});
    }
    for (Constant& constant : model.constants)
      constant.before = c_.real(c_.get(level, constant.name), level->span);
    std::vector<std::pair<Name, Value>> named;
    std::vector<FormulaId> constants = openConstants(c_, model.constants, level->span, named);
    Value network;
    network.kind = ValueKind::Record;
    network.record = network_.record;
    for (const Constant& constant : model.constants) {
      network.record = amended(
          c_, network.record,
          fmt::format("level.{}.{} = fitted_{}", c_.str(label), constant.name, constant.name),
          named);
    }
    Record* design = c_.amendFixed(design_, {{c_.name("network"), network}});
    Machine machine;
    FormulaSources sources;
    if (!readMachine(c_, design, machine, sources)) return false;
    for (const auto& [name, source] : sources.collectives) {
      Value kind = c_.get(source.record, "implements");
      std::vector<FormulaId> inputs = source.inputs;
      inputs.insert(inputs.end(), constants.begin(), constants.end());
      FormulaId outputs[] = {c_.get(source.record, "time").formula,
                             c_.get(source.record, "applies").formula};
      model.ways[c_.text(kind)].push_back({c_.formulas.compile(inputs, outputs)});
    }
    return true;
  }

  Session& session_;
  check::Checker& c_;
  const Named& network_;
  Record* design_ = nullptr;
  Machine machine_;
  size_t level_ = 0;
};

}  // namespace

std::optional<CalibratedLevel> levelModel(Session& session, const Named& network,
                                          const std::string& level, std::vector<Row>& rows) {
  return LevelOpener(session, network).open(level, rows);
}

}  // namespace sysdl::calibrate
