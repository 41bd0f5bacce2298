// An evaluated design as a short text.
#include "driver/eval_text.h"

#include <algorithm>
#include <map>

#include "driver/names.h"
#include "driver/render/quantity.h"
#include "driver/render/utf8.h"
#include "driver/results.h"
#include "fmt/format.h"

namespace sysdl {

using check::Checker;
using check::Record;
using check::Value;
using check::ValueKind;

namespace {

constexpr size_t kBindingKernels = 4;
constexpr size_t kTitleWidth = 8;
constexpr size_t kColumnWidth = 40;

/// One row of a table: what, how much, which share.
struct Row {
  std::string name, amount, share;
};

class DesignText {
public:
  DesignText(const ChosenDesign& chosen, const EvaluatedDesign& design)
      : session_(*chosen.file->session), checker_(*session_.checker), design_(design),
        record_(design.record), results_(resultsOf(checker_, record_)) {
    name_ = session_.names.text(chosen.name);
  }

  std::string run() {
    what();
    speed();
    tables();
    cost();
    binds();
    return std::move(text_);
  }

private:
  std::optional<double> number(std::string_view path) { return numberAt(checker_, record_, path); }
  double numberOr0(std::string_view path) { return number(path).value_or(0); }

  void line(std::string_view title, std::string_view content) {
    text_ += fmt::format("{:<{}}{}\n", title, kTitleWidth, content);
  }

  void what() {
    text_ += fmt::format("{}: {}", name_, partName(checker_, record_, "model"));
    if (auto n = number("parameters")) text_ += fmt::format(" ({} parameters)", withPrefix(*n, ""));
    text_ += fmt::format(" on {} x {}\n", grouped(numberOr0("network.devices")),
                         partName(checker_, record_, "chip"));
    line("plan", planText());
    if (auto batch = number("workload.batch")) {
      line("batch",
           fmt::format("{} x {} tokens, {} micro-batches of {}", grouped(*batch),
                       grouped(numberOr0("model.sequence")), grouped(numberOr0("microbatches")),
                       grouped(numberOr0("workload.microbatch"))));
    }
  }

  /// Degrees of the mesh, then what else was chosen of the plan.
  std::string planText() {
    std::string text;
    const Plan& inputs = design_.inputs->plan;
    for (size_t view = 0; view < inputs.views.size(); ++view) {
      std::vector<MeshAxisId> axes = inputs.views[view];
      if (view > 0)
        std::erase_if(axes, [&](MeshAxisId axis) {
          return std::ranges::count(inputs.views.front(), axis) > 0;
        });
      std::string own = viewText(axes);
      if (view > 0 && (own.empty() || !places(inputs, inputs.views[view]))) continue;
      text += fmt::format("{}{}", view > 0 ? ", " : "", own.empty() ? "1 device" : own);
    }
    Record* plan = checker_.get(record_, "plan").record;
    for (uint32_t i = 0; i < plan->slots.size(); ++i) {
      const check::Definition& definition = plan->slots[i].definition;
      if (!definition.node.valid() || plan->layers[definition.layer].fromSchema) continue;
      if (isDegree(plan->schema->fields[i].name)) continue;
      text += choice(checker_.str(plan->schema->fields[i].name), checker_.slotValue(plan, i));
    }
    return text;
  }

  /// Degrees of a view of the mesh; those of 1 that nobody chose are left out.
  std::string viewText(const std::vector<MeshAxisId>& view) {
    Record* plan = checker_.get(record_, "plan").record;
    std::string text;
    for (MeshAxisId id : view) {
      const MeshAxis& axis = design_.inputs->plan.mesh[id];
      auto field = plan->schema->index.find(axis.name.id);
      bool chosen = false;
      if (field != plan->schema->index.end()) {
        const check::Definition& definition = plan->slots[field->second].definition;
        chosen = definition.node.valid() && !plan->layers[definition.layer].fromSchema;
      }
      if (axis.degree == 1 && !chosen) continue;
      text += fmt::format("{}{} {}", text.empty() ? "" : " x ", session_.names.text(axis.name),
                          axis.degree);
    }
    return text;
  }

  /// Whether a rule puts an axis of the model on an axis that only this later view has.
  static bool places(const Plan& plan, const std::vector<MeshAxisId>& view) {
    return std::ranges::any_of(plan.shards, [&](const ShardRule& rule) {
      return std::ranges::any_of(rule.over, [&](MeshAxisId axis) {
        return std::ranges::count(view, axis) > 0 &&
               std::ranges::count(plan.views.front(), axis) == 0;
      });
    });
  }

  bool isDegree(Name field) {
    const auto& mesh = design_.inputs->plan.mesh;
    return std::ranges::find(mesh, field, &MeshAxis::name) != mesh.end();
  }

  std::string choice(std::string_view field, const Value& value) {
    if (value.kind == ValueKind::Record) {
      auto chunks = numberAt(checker_, value.record, "chunks");
      return fmt::format(", {}{}", checker_.str(value.record->schema->name),
                         chunks && *chunks > 1 ? fmt::format(" ({} chunks)", *chunks) : "");
    }
    if (value.scalar() && value.number == Number::Bool) {
      return fmt::format(", {}{}", checker_.text(value) == "true" ? "" : "no ", field);
    }
    return fmt::format(", {} {}", field, checker_.text(value));
  }

  void speed() {
    std::string text;
    auto add = [&](const std::string& piece) {
      text.append(text.empty() ? "" : "   ").append(piece);
    };
    if (auto n = number("step_time")) add(withPrefix(*n, "s"));
    if (auto n = number("tokens_per_second")) add(grouped(*n) + " tokens/s");
    if (auto n = number("tokens_per_second_per_chip")) add(grouped(*n) + " tokens/s/chip");
    if (auto n = number("model_flops_utilization")) add("MFU " + percent(*n));
    if (auto n = number("hardware_flops_utilization")) add("HFU " + percent(*n));
    line("step", text);
  }

  /// The leaves below a record of results, but those in `without` and those that are zero.
  void leaves(const std::vector<ResultNode>& nodes, const std::string& prefix,
              std::vector<std::pair<std::string, double>>& out) {
    for (const ResultNode& node : nodes) {
      std::string path = prefix.empty() ? node.name : prefix + " " + node.name;
      leaves(node.fields, path, out);
      if (!node.value.scalar() || node.value.number != Number::Real) continue;
      auto word = checker_.formulas.resolve(node.value.formula);
      if (word && word->real != 0) out.emplace_back(path, word->real);
    }
  }

  std::vector<std::pair<std::string, double>> leavesOf(std::string_view record) {
    std::vector<std::pair<std::string, double>> out;
    auto node = std::ranges::find(results_, record, &ResultNode::name);
    if (node != results_.end()) leaves(node->fields, "", out);
    return out;
  }

  std::vector<Row> timeRows() {
    double step = numberOr0("step_time");
    std::vector<Row> rows;
    for (const auto& [name, seconds] : leavesOf("time")) {
      rows.push_back({name, withPrefix(seconds, "s", 3), percent(seconds / step)});
    }
    return rows;
  }

  std::vector<Row> memoryRows() {
    double capacity = numberOr0("memory.capacity");
    std::vector<Row> rows;
    Row peak;
    for (const auto& [name, bytes] : leavesOf("memory")) {
      if (name == "capacity") continue;
      Row row{name, withPrefix(bytes, "B", 3), percent(bytes / capacity)};
      if (name == "peak")
        peak = row;
      else
        rows.push_back(row);
    }
    peak.share += " of " + withPrefix(capacity, "B", 3);
    rows.push_back(peak);
    return rows;
  }

  static void align(std::vector<Row>& rows) {
    size_t name = 0, amount = 0, share = 0;
    for (const Row& row : rows) {
      name = std::max(name, row.name.size());
      amount = std::max(amount, row.amount.size());
      share = std::max(share, row.share.find('%'));
    }
    for (Row& row : rows) {
      row.name = fmt::format("{:<{}}", row.name, name);
      row.amount = fmt::format("{:>{}}", row.amount, amount);
      row.share.insert(0, share - std::min(share, row.share.find('%')), ' ');
    }
  }

  /// Where the time goes beside what fills memory.
  void tables() {
    std::vector<Row> time = timeRows(), memory = memoryRows();
    align(time);
    align(memory);
    std::string stage;
    if (auto n = number("memory.peak_stage")) stage = fmt::format(" of a device of stage {}", *n);
    line("time", fmt::format("{:<{}}memory{}{}", "", kColumnWidth - kTitleWidth, stage,
                             numberOr0("fits") == 0 ? ": DOES NOT FIT" : ""));
    for (size_t i = 0; i < std::max(time.size(), memory.size()); ++i) {
      std::string left, right;
      if (i < time.size())
        left = fmt::format("{}  {}  {}", time[i].name, time[i].amount, time[i].share);
      if (i < memory.size()) {
        right = fmt::format("{}  {}  {}", memory[i].name, memory[i].amount, memory[i].share);
      }
      std::string row = fmt::format("  {:<{}}  {}", left, kColumnWidth - 2, right);
      row.erase(row.find_last_not_of(' ') + 1);
      text_ += row + "\n";
    }
  }

  void cost() {
    std::string text;
    auto add = [&](const std::string& piece) {
      text.append(text.empty() ? "" : "   ").append(piece);
    };
    bool priced = numberOr0("cost.capital") > 0;
    if (priced) {
      if (auto n = number("cost.per_hour")) add(dollars(*n) + "/hour");
      if (auto n = number("cost.per_step")) add(dollars(*n) + "/step");
      if (auto n = number("cost.per_million_tokens")) add(dollars(*n) + "/M tokens");
    } else {
      add("no price given (cost.node_price)");
    }
    if (auto n = number("energy.average_power")) add(withPrefix(*n, "W", 3));
    auto tokens = number("workload.tokens");
    auto days = number("days");
    if (tokens && days && *tokens > 0) {
      add(fmt::format("{} tokens in {}", withPrefix(*tokens, "", 3), duration(*days * 86400)));
      auto run = number("cost.per_run");
      if (priced && run) text += " for " + dollars(*run);
    }
    line("cost", text);
  }

  /// How much of the busiest device's step each bound takes, and the kernels that take most.
  void binds() {
    double step = numberOr0("step_time");
    std::map<std::string, double> bounds;
    std::vector<const KernelResult*> kernels;
    for (const KernelResult& kernel : design_.results->kernels) {
      if (kernel.count * kernel.time <= 0) continue;
      bounds[kernel.bound] += kernel.count * kernel.time;
      kernels.push_back(&kernel);
    }
    std::vector<std::pair<std::string, double>> order(bounds.begin(), bounds.end());
    std::ranges::stable_sort(order, std::ranges::greater(),
                             &std::pair<std::string, double>::second);
    std::string text;
    for (const auto& [bound, seconds] : order) {
      text += fmt::format("{}{} {}", text.empty() ? "" : "   ", bound, percent(seconds / step));
    }
    line("binds", text);
    double outside = 0;
    for (const KernelResult* kernel : kernels)
      if (kernel->extrapolated) outside += kernel->count * kernel->time;
    for (const CollectiveResult& collective : design_.results->collectives)
      if (collective.extrapolated) outside += collective.count * collective.exposed;
    if (outside > 0)
      line("extrapolated",
           fmt::format("{} of the step reads a curve outside the range in which it is known",
                       percent(outside / step)));
    std::ranges::stable_sort(kernels, std::ranges::greater(),
                             [](const KernelResult* k) { return k->count * k->time; });
    kernels.resize(std::min(kernels.size(), kBindingKernels));
    std::vector<std::string> names;
    size_t width = 0;
    for (const KernelResult* kernel : kernels) {
      names.push_back(fmt::format("{} {}", kernelName(design_, *kernel, session_.names),
                                  phaseOf(design_, *kernel)));
      width = std::max(width, textWidth(names.back()));
    }
    for (size_t i = 0; i < kernels.size(); ++i) {
      const KernelResult& kernel = *kernels[i];
      text_ += fmt::format("  {:<{}}  {} x {}  {}  {}\n", names[i], width, grouped(kernel.count),
                           withPrefix(kernel.time, "s", 3),
                           percent(kernel.count * kernel.time / step), kernel.bound);
    }
  }

  Session& session_;
  Checker& checker_;
  const EvaluatedDesign& design_;
  Record* record_;
  std::vector<ResultNode> results_;
  std::string_view name_;
  std::string text_;
};

}  // namespace

std::string designText(const ChosenDesign& chosen, const EvaluatedDesign& design) {
  return DesignText(chosen, design).run();
}

}  // namespace sysdl
