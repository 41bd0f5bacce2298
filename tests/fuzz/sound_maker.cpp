// The generator of right files: every expression is made together with a function that computes it.
#include "tests/fuzz/sound_maker.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include "fmt/format.h"

namespace sysdl::test {
namespace {

enum class Kind { Int, Real, Data, Time, Bool };
constexpr const char* kTypeNames[] = {"Int", "Real", "Data", "Time", "Bool"};

/// The values of a record's fields, by number.
using Values = std::vector<double>;
using Compute = std::function<double(const Values&)>;

struct Expression {
  std::string text;
  Compute compute;
};

struct FieldOf {
  std::string name;
  Kind kind;
  bool derived;
  Expression value;
};

class SoundMaker {
public:
  explicit SoundMaker(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  SoundFile file() {
    out_.text = "sysdl 2026\n\n";
    size_t schemas = 1 + pick(3);
    for (size_t i = 0; i < schemas; ++i) schema(i);
    return std::move(out_);
  }

private:
  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
  SoundFile out_;
  std::vector<FieldOf> fields_;
  int depth_ = 0;
  int loops_ = 0;

  size_t pick(size_t choices) { return at_ < bytes_.size() ? bytes_[at_++] % choices : 0; }

  void schema(size_t number) {
    fields_.clear();
    out_.text += fmt::format("schema s{} {{\n", number);
    size_t count = 2 + pick(10);
    for (size_t i = 0; i < count; ++i) {
      Kind kind = static_cast<Kind>(pick(4));
      bool derived = pick(3) == 0;
      Expression value = make(kind);
      out_.text += fmt::format("  {}f{}: {} = {}\n", derived ? "derived " : "", i,
                               kTypeNames[static_cast<int>(kind)], value.text);
      fields_.push_back({fmt::format("f{}", i), kind, derived, std::move(value)});
    }
    out_.text += "}\n\n";
    std::vector<Compute> definitions;
    for (const FieldOf& field : fields_) definitions.push_back(field.value.compute);
    std::string record = fmt::format("r{}_0", number);
    out_.text += fmt::format("s{} {} = s{} {{}}\n", number, record, number);
    want(record, definitions);
    size_t amends = pick(6);
    for (size_t i = 1; i <= amends; ++i) {
      std::string base = record;
      record = fmt::format("r{}_{}", number, i);
      out_.text += fmt::format("s{} {} = {} {{", number, record, base);
      for (size_t f = 0; f < fields_.size(); ++f) {
        if (fields_[f].derived || pick(4)) continue;
        // Only fields before this one, so that nothing depends on itself.
        std::vector<FieldOf> all = fields_;
        fields_.resize(f);
        Expression value = make(all[f].kind);
        fields_ = std::move(all);
        out_.text += fmt::format(" {} = {};", fields_[f].name, value.text);
        definitions[f] = value.compute;
      }
      out_.text += " }\n";
      want(record, definitions);
    }
    out_.text += "\n";
  }

  void want(const std::string& record, const std::vector<Compute>& definitions) {
    Values values;
    for (const Compute& definition : definitions) values.push_back(definition(values));
    for (size_t i = 0; i < values.size(); ++i)
      out_.wanted.push_back({record, fields_[i].name, values[i]});
  }

  Expression literal(Kind kind) {
    auto n = static_cast<double>(1 + pick(50));
    auto constant = [](double value) { return [value](const Values&) { return value; }; };
    switch (kind) {
    case Kind::Int: return {fmt::format("{}", n), constant(n)};
    case Kind::Real: return {fmt::format("{}.25", n), constant(n + 0.25)};
    case Kind::Data:
      switch (pick(4)) {
      case 0: return {fmt::format("{} GB", n), constant(n * 1e9)};
      case 1: return {fmt::format("{} MiB", n), constant(n * 1048576)};
      case 2: return {fmt::format("{} kbit", n), constant(n * 125)};
      default: return {fmt::format("{} B", n), constant(n)};
      }
    case Kind::Time:
      if (pick(2)) return {fmt::format("{} min", n), constant(n * 60)};
      return {fmt::format("{} ms", n), constant(n / 1000)};
    case Kind::Bool: return {pick(2) ? "true" : "false", constant(bytes_.empty() ? 0 : 1)};
    }
    return {};
  }

  Expression make(Kind kind) {
    if (depth_ > 4) return leaf(kind);
    ++depth_;
    Expression made = compound(kind);
    --depth_;
    return made;
  }

  Expression leaf(Kind kind) {
    std::vector<size_t> fit;
    for (size_t i = 0; i < fields_.size(); ++i) {
      if (fields_[i].kind == kind) fit.push_back(i);
    }
    if (fit.empty() || pick(2)) return literal(kind == Kind::Bool ? Kind::Int : kind);
    size_t field = fit[pick(fit.size())];
    return {fields_[field].name, [field](const Values& v) { return v[field]; }};
  }

  template <typename F>
  Expression two(const char* pattern, Expression a, Expression b, F f) {
    return {fmt::format(fmt::runtime(pattern), a.text, b.text),
            [x = std::move(a.compute), y = std::move(b.compute), f](const Values& v) {
              return f(x(v), y(v));
            }};
  }

  /// Each loop has a name of its own: none hides another.
  Expression sumOf(Expression a) {
    std::string i = fmt::format("i{}", loops_++);
    return {fmt::format("sum([({0}) mod 13 + {1} for {1} in 1..3])", a.text, i),
            [x = std::move(a.compute)](const Values& v) { return 3 * std::fmod(x(v), 13) + 6; }};
  }

  Expression choice(Kind kind) {
    Expression left = make(Kind::Int), right = make(Kind::Int), yes = make(kind), no = make(kind);
    return {fmt::format("(if {} < {} then {} else {})", left.text, right.text, yes.text, no.text),
            [=](const Values& v) {
              return left.compute(v) < right.compute(v) ? yes.compute(v) : no.compute(v);
            }};
  }

  Expression compound(Kind kind) {
    size_t way = pick(8);
    if (way < 2) return leaf(kind);
    auto most = [](double a, double b) { return std::max(a, b); };
    auto least = [](double a, double b) { return std::min(a, b); };
    if (way == 2) return two("max({}, {})", make(kind), make(kind), most);
    if (way == 3) return two("min([{}, {}])", make(kind), make(kind), least);
    if (way == 4) return choice(kind);
    switch (kind) {
    case Kind::Int:
      // Bounded by the remainder, so that no product overflows.
      if (way == 5)
        return two("(({} * {}) mod 97)", make(kind), make(kind),
                   [](double a, double b) { return std::fmod(a * b, 97); });
      if (way == 6)
        return two("ceil({} / {})", make(kind), literal(kind),
                   [](double a, double b) { return std::ceil(a / b); });
      return sumOf(make(kind));
    case Kind::Real:
      if (way == 5)
        return two("({} / {})", make(kind), literal(kind),
                   [](double a, double b) { return a / b; });
      if (way == 6)
        return two("sqrt({} + {} ^ 2)", make(kind), make(Kind::Int),
                   [](double a, double b) { return std::sqrt(a + b * b); });
      return two("({} / {})", make(Kind::Data), literal(Kind::Data),
                 [](double a, double b) { return a / b; });
    case Kind::Data:
      if (way == 5)
        return two("({} * {})", make(Kind::Int), literal(kind),
                   [](double a, double b) { return a * b; });
      if (way == 6)
        return two("({} + {})", make(kind), make(kind), [](double a, double b) { return a + b; });
      return two("({} * {} / (1 s))", make(kind), literal(Kind::Time),
                 [](double a, double b) { return a * b; });
    case Kind::Time:
      if (way == 5)
        return two("({} / ({} / (1 s)))", make(Kind::Data), literal(Kind::Data),
                   [](double a, double b) { return a / b; });
      return two("({} + {})", make(kind), make(kind), [](double a, double b) { return a + b; });
    case Kind::Bool: break;
    }
    return leaf(kind);
  }
};

}  // namespace

SoundFile makeSound(std::span<const uint8_t> bytes) { return SoundMaker(bytes).file(); }

std::string makeSoundDesign(std::span<const uint8_t> bytes) {
  size_t at = 0;
  auto power = [&](size_t most) {
    return int64_t{1} << (at < bytes.size() ? bytes[at++] % (most + 1) : 0);
  };
  int64_t tp = power(3), pp = power(3), dp = power(3), chunks = power(1), microbatch = power(2);
  int64_t layers = pp * chunks * power(2), batch = dp * microbatch * pp * power(3);
  auto truth = [&] { return power(1) == 1 ? "true" : "false"; };
  const char* recompute[] = {"none", "selective", "full"};
  return fmt::format(
      R"(sysdl 2026

import std.chips.nvidia
import std.models.gpt
import std.networks.dgx

design d {{
  model = gpt.GPT3_175B {{ layers = {}; hidden = {}; heads = 16; sequence = {} }}
  chip = nvidia.{} {{ memory.hbm.capacity = 100 TB }}
  network = dgx.DGX_A100 {{ take = {} }}
  workload = training {{ batch = {}; microbatch = {}; precision = mixed(bf16) }}
  plan {{ tp = {}; pp = {}; sp = {}; zero = {}; schedule = {}; recompute = {} }}
}}
)",
      layers, 256 * power(2), 128 * power(3), power(1) == 1 ? "A100_SXM_80GB" : "H100_SXM_80GB",
      tp * pp * dp, batch, microbatch, tp, pp, truth(), power(1) - 1,
      chunks > 1 && pp > 1 ? "interleaved(chunks = 2)" : "one_forward_one_backward {}",
      recompute[static_cast<size_t>(power(2)) % 3]);
}

}  // namespace sysdl::test
