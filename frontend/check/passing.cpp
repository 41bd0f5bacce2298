// Which values of an input would make a failed rule hold: the rule as a function of that input alone.
#include <algorithm>
#include <cmath>

#include "fmt/format.h"
#include "frontend/check/checker.h"

namespace sysdl::check {

namespace {

/// The condition as a program of one number.
class Condition {
public:
  Condition(Program program, Number type) : program_(std::move(program)), type_(type) {}

  bool holds(double x) {
    Word input = type_ == Number::Int ? wordOf(static_cast<int64_t>(x)) : wordOf(x);
    Word output;
    return !run(program_, std::span(&input, 1), std::span(&output, 1), scratch_) && output.integer;
  }

private:
  Program program_;
  Number type_;
  Scratch scratch_;
};

constexpr int64_t kLast = 4096;  // whole numbers that are tried
constexpr size_t kShown = 8;

constexpr int64_t kEndless = int64_t{1} << 50;

/// The last number of a run that begins with `passing`.
int64_t lastOf(Condition& condition, int64_t passing) {
  int64_t failing = passing;
  do failing *= 2;
  while (failing < kEndless && condition.holds(static_cast<double>(failing)));
  if (failing >= kEndless) return kEndless;
  while (failing - passing > 1) {
    int64_t middle = passing + (failing - passing) / 2;
    (condition.holds(static_cast<double>(middle)) ? passing : failing) = middle;
  }
  return passing;
}

std::string listOf(const std::vector<int64_t>& values, bool more) {
  std::string text;
  for (size_t i = 0; i < values.size(); ++i) {
    const char* joint = i == 0 ? "" : !more && i + 1 == values.size() ? " or " : ", ";
    text += fmt::format("{}{}", joint, values[i]);
  }
  return more ? text + ", …" : text;
}

/// "1, 2, 4 or 8", "12 and more", "1 to 7", the nearest ones where they are many.
std::string wholeNumbers(Condition& condition, int64_t first, int64_t last, int64_t now) {
  std::vector<int64_t> passing;
  for (int64_t n = first; n <= last; ++n) {
    if (condition.holds(static_cast<double>(n))) passing.push_back(n);
  }
  if (passing.empty()) return {};
  int64_t low = passing.front(), high = passing.back();
  bool together = high - low + 1 == static_cast<int64_t>(passing.size());
  if (together && passing.size() > 2) {
    if (high == kLast) high = lastOf(condition, high);
    return high == kEndless ? fmt::format("{} and more", low) : fmt::format("{} to {}", low, high);
  }
  if (passing.size() <= kShown) return listOf(passing, false);
  // The nearest ones, some of them below.
  auto above = std::ranges::upper_bound(passing, now) - passing.begin();
  auto most = static_cast<std::ptrdiff_t>(passing.size() - kShown);
  auto begin = std::clamp<std::ptrdiff_t>(above - 4, 0, most);
  std::vector<int64_t> near(passing.begin() + begin, passing.begin() + begin + kShown);
  std::string text = listOf(near, begin < most);
  return begin > 0 ? "…, " + text : text;
}

/// The value nearest to `from`, in the direction of `factor`, from which on the condition holds.
std::optional<double> threshold(Condition& condition, double from, double factor) {
  double failing = from;
  for (int i = 0; i < 60; ++i) {
    double next = failing * factor;
    if (!std::isfinite(next) || next == 0) return std::nullopt;
    if (!condition.holds(next)) {
      failing = next;
      continue;
    }
    for (int step = 0; step < 60; ++step) {
      double middle = std::sqrt(failing) * std::sqrt(next);
      (condition.holds(middle) ? next : failing) = middle;
    }
    return next;
  }
  return std::nullopt;
}

}  // namespace

std::pair<std::optional<double>, std::optional<double>> Checker::rangeOf(Record* record,
                                                                         uint32_t index) {
  const Field& field = record->schema->fields[index];
  const syntax::Tree& t = field.module->tree;
  NodeId range = t.child(field.node, 1);
  if (!range.valid()) return {};
  const Frame* frame = nullptr;
  for (uint32_t i = 0; i < record->layers.size() && !frame; ++i) {
    const Layer& layer = record->layers[i];
    if (layer.kind != LayerKind::SchemaBody || layer.module != field.module) continue;
    if (std::ranges::count(t.children(layer.node), field.node)) frame = frameOf(record, i);
  }
  if (!frame) return {};
  auto known = [&](NodeId node) -> std::optional<double> {
    if (!node.valid()) return std::nullopt;
    Value bound =
        coerce(evaluate(node, frame), fieldType(record->schema, index), t[node].span, "the bound");
    if (!bound.scalar() || formulas[bound.formula].symbolic) return std::nullopt;
    return real(bound, t[node].span);
  };
  return {known(t.child(range, 0)), known(t.child(range, 1))};
}

/// A copy of the record that a rule is about in which a field, perhaps of one of its parts, is
/// `value`; null where that part is reached in another way than through slots.
Record* Checker::withField(Record* root, Record* owner, uint32_t field, const Value& value) {
  Name slot = owner->schema->fields[field].name;
  Value inner = value;
  for (Record* at = owner;; at = at->parent) {
    Record* copy = amendFixed(at, {{slot, inner}});
    copy->label = at->label;
    copy->parent = at->parent;
    if (at == root) return copy;
    if (!at->parent || findField(*at->parent->schema, at->label) == kNoField) return nullptr;
    slot = at->label;
    inner = {};
    inner.kind = ValueKind::Record;
    inner.record = copy;
  }
}

std::string Checker::passingValues(Record* record, const Rule& rule, Record* owner,
                                   uint32_t field) {
  const Slot& slot = owner->slots[field];
  if (!slot.value.scalar() || slot.value.number == Number::Bool || refusals) return {};
  const FormulaNode now = formulas[slot.value.formula];
  if (now.symbolic || now.faulty) return {};
  size_t said = diagnostics.size();
  Span span = now.span;
  FormulaId input = formulas.input(slot.value.number, false, span);
  Value value = scalar(input, slot.value.dimension);
  value.number = slot.value.number;
  auto [low, high] = rangeOf(owner, field);
  Value condition;
  if (Record* copy = withField(record, owner, field, value)) {
    for (const Rule& same : copy->rules) {
      if (same.node != rule.node ||
          copy->layers[same.layer].module != record->layers[rule.layer].module)
        continue;
      const Frame* frame = frameOf(copy, same.layer);
      condition = evaluate(tree(frame).child(rule.node, 0), frame);
    }
  }
  diagnostics.takeFrom(said);
  if (!condition.scalar() || !formulas[condition.formula].symbolic) return {};
  std::vector<FormulaId> unbound = formulas.unboundInputs(condition.formula);
  if (unbound.size() != 1 || unbound.front() != input) return {};
  Condition holds(formulas.compile(std::span(&input, 1), std::span(&condition.formula, 1)),
                  value.number);
  if (value.number == Number::Int) {
    int64_t from = low ? static_cast<int64_t>(std::ceil(*low)) : 0;
    int64_t last = high ? static_cast<int64_t>(std::floor(std::min<double>(*high, kLast))) : kLast;
    return wholeNumbers(holds, from, last, now.value.integer);
  }
  auto textOf = [&](double x) { return text(realValue(x, value.dimension, span)); };
  auto inside = [least = low, most = high](const std::optional<double>& x) {
    return x && (!least || *x >= *least) && (!most || *x <= *most);
  };
  auto below = threshold(holds, now.value.real, 0.5), above = threshold(holds, now.value.real, 2);
  std::string text;
  if (inside(below)) text = textOf(*below) + " or less";
  if (inside(above)) text += (text.empty() ? "" : ", ") + textOf(*above) + " or more";
  return text;
}

}  // namespace sysdl::check
