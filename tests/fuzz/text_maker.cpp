// The generator of random files. Its grammar is the language's, its choices are small numbers.
#include "tests/fuzz/text_maker.h"

#include <array>
#include <string_view>

#include "fmt/format.h"

namespace sysdl::test {
namespace {

constexpr std::string_view kNames[] = {"a", "b", "c", "d", "e", "x"};
constexpr std::string_view kSchemas[] = {"s", "t", "u", "memory_level", "chip", "cost"};
constexpr std::string_view kTypes[] = {"Int",
                                       "Real",
                                       "Data",
                                       "Time",
                                       "Bandwidth",
                                       "Bool",
                                       "Text",
                                       "Int?",
                                       "list[Int]",
                                       "list[Real]",
                                       "s",
                                       "t",
                                       "map[Format, Real]",
                                       "Color",
                                       "Time?",
                                       "curve[Data, Real]"};
constexpr std::string_view kNumbers[] = {"0",
                                         "1",
                                         "2",
                                         "3",
                                         "7",
                                         "24",
                                         "96",
                                         "1.5",
                                         "0.1",
                                         "1e9",
                                         "1e300",
                                         "5 s",
                                         "3 us",
                                         "2 GB",
                                         "80 GiB",
                                         "4 GB/s",
                                         "25%",
                                         "2 GHz",
                                         "9_223_372_036_854_775_807",
                                         "1 USD/hour",
                                         "3 TFLOP/s",
                                         "400 W",
                                         "12 token",
                                         "0 s",
                                         "1e-320"};
constexpr std::string_view kBinary[] = {" + ",  " - ", " * ",  " / ", " ^ ",  " mod ", " == ",
                                        " != ", " < ", " <= ", " > ", " >= ", " and ", " or "};
constexpr std::string_view kCalls[] = {"sum",   "product", "min",      "max",   "argmin",  "ceil",
                                       "floor", "round",   "log2",     "sqrt",  "exp",     "abs",
                                       "real",  "count",   "divisors", "given", "or_else", "all",
                                       "any",   "f",       "g",        "s",     "has"};

class Maker {
public:
  explicit Maker(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  std::string file() {
    out_ = "sysdl 2026\n\n";
    if (pick(4) == 0)
      out_ += "import std.chips.nvidia\nimport std.models.gpt\nimport std.networks.dgx\n\n";
    out_ += "enum Color { red, green, blue }\n\n";
    size_t items = 1 + pick(10);
    for (size_t i = 0; i < items; ++i) item();
    return std::move(out_);
  }

private:
  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
  std::string out_;
  int depth_ = 0;

  size_t pick(size_t choices) {
    if (at_ >= bytes_.size()) return 0;
    return bytes_[at_++] % choices;
  }
  template <size_t N>
  std::string_view one(const std::string_view (&of)[N]) {
    return of[pick(N)];
  }
  std::string name() { return std::string(one(kNames)); }

  void item() {
    switch (pick(12)) {
    case 0:
    case 1:
    case 2: return schema();
    case 3:
      out_ += fmt::format("fn {}({}: {}): {} = {}\n\n", pick(2) ? "f" : "g", name(), one(kTypes),
                          one(kTypes), expression());
      return;
    case 4: out_ += fmt::format("unit {}: {} = {}\n\n", name(), one(kTypes), expression()); return;
    case 5: return test();
    case 6: return design();
    case 7: out_ += fmt::format("dimension D{} = Data / Time ^ {}\n\n", pick(3), pick(40)); return;
    default: out_ += fmt::format("{} {} = {}\n\n", one(kSchemas), name(), amend()); return;
    }
  }

  void schema() {
    std::string_view kind = kSchemas[pick(3)];
    out_ += fmt::format("{}schema {}{} {{\n", pick(8) == 1 ? "abstract " : "", kind,
                        pick(4) == 1 ? fmt::format(": {}", one(kSchemas)) : "");
    size_t members = pick(8);
    for (size_t i = 0; i < members; ++i) {
      switch (pick(9)) {
      case 0: out_ += fmt::format("  require {}\n", expression()); break;
      case 1: out_ += fmt::format("  warn if {}: \"{{{}}}\"\n", expression(), name()); break;
      case 2: out_ += fmt::format("  let {} = {}\n", name(), expression()); break;
      case 3: out_ += fmt::format("  children k{}: {}\n", pick(3), one(kSchemas)); break;
      case 4:
        out_ += fmt::format("  derived {}: {} = {}\n", name(), one(kTypes), expression());
        break;
      case 5: out_ += fmt::format("  {}: {} in {}..\n", name(), one(kTypes), expression()); break;
      default: out_ += fmt::format("  {}: {} = {}\n", name(), one(kTypes), expression());
      }
    }
    out_ += "}\n\n";
  }

  std::string amend() {
    std::string text(pick(3) ? std::string(one(kSchemas)) : name());
    size_t bodies = 1 + pick(2);
    for (size_t i = 0; i < bodies; ++i) text += " " + body();
    return text;
  }

  std::string body() {
    if (depth_ > 3) return "{}";
    ++depth_;
    std::string text = "{ ";
    size_t members = pick(5);
    for (size_t i = 0; i < members; ++i) {
      if (i) text += "; ";
      switch (pick(9)) {
      case 0: text += fmt::format("{}.{} = {}", name(), name(), expression()); break;
      case 1: text += fmt::format("{} {}", name(), body()); break;
      case 2: text += fmt::format("new k{} {} {}", pick(3), name(), body()); break;
      case 3: text += fmt::format("drop k{} {}", pick(3), name()); break;
      case 4: text += fmt::format("{}[bf16] = {}", name(), expression()); break;
      case 5: text += fmt::format("k{} {} {}", pick(3), name(), body()); break;
      default: text += fmt::format("{} = {}", name(), expression());
      }
    }
    --depth_;
    return text + " }";
  }

  std::string expression() {
    if (depth_ > 4) return name();
    ++depth_;
    std::string text = operand();
    --depth_;
    return text;
  }

  std::string operand() {
    switch (pick(18)) {
    case 0:
    case 1:
    case 2: return std::string(one(kNumbers));
    case 3:
    case 4: return name();
    case 5: return name() + "." + name();
    case 6: return "base." + name();
    case 7: return fmt::format("(if {} then {} else {})", expression(), expression(), expression());
    case 8: return fmt::format("{}({})", one(kCalls), expression());
    case 9: return fmt::format("{}({}, {})", one(kCalls), expression(), expression());
    case 10: return fmt::format("[{}, {}]", expression(), expression());
    case 11:
      return fmt::format("[{} for {} in {} if {}]", expression(), name(), expression(),
                         expression());
    case 12: return fmt::format("{}[{}]", name(), expression());
    case 13: return fmt::format("({}..{})", expression(), expression());
    case 14: return fmt::format("\"{} {{{}}}\"", name(), expression());
    case 15: return fmt::format("curve(x = [1 GB, 2 GB], y = [{}, 2])", one(kNumbers));
    case 16: return fmt::format("-({})", expression());
    default: return fmt::format("({}{}{})", expression(), one(kBinary), expression());
    }
  }

  void test() {
    out_ += fmt::format("test \"{}\" {{\n", name());
    size_t members = 1 + pick(3);
    for (size_t i = 0; i < members; ++i)
      out_ +=
          fmt::format("  expect {} == {} within {}\n", expression(), expression(), one(kNumbers));
    out_ += "}\n\n";
  }

  /// A small design, whose numbers are sound often enough.
  void design() {
    static constexpr std::string_view kCounts[] = {"1", "2", "4", "8", "3", "16", "0", "64"};
    std::string_view schedule[] = {"one_forward_one_backward {}", "interleaved(chunks = 2)",
                                   "gpipe {}", "interleaved(chunks = 0)"};
    out_ += fmt::format(
        R"(design {} {{
  model = gpt.GPT3_175B {{ layers = {}; hidden = 512; heads = {}; sequence = 128 }}
  chip = nvidia.{} {{ {} }}
  network = dgx.DGX_A100 {{ take = {} }}
  workload = training {{ batch = {}; microbatch = {}; precision = mixed({}) }}
  plan {{ tp = {}; pp = {}; sp = {}; zero = {}; schedule = {}; recompute = {} }}
}}

)",
        name(), one(kCounts), one(kCounts), pick(2) ? "A100_SXM_80GB" : "H100_SXM_80GB",
        pick(4) == 1 ? fmt::format("power = {}", expression()) : "", one(kCounts), one(kCounts),
        one(kCounts), pick(2) ? "fp16" : "bf16", one(kCounts), one(kCounts),
        pick(2) ? "true" : "false", pick(3), schedule[pick(4)], pick(2) ? "selective" : "full");
  }
};

}  // namespace

std::string makeText(std::span<const uint8_t> bytes) { return Maker(bytes).file(); }

}  // namespace sysdl::test
