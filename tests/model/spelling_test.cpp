// Order and spelling carry no meaning: lines, declarations and imports in any order, quantities in
// any unit, one file or two, and `A {}` for A, all give the same answer to the last bit.
#include <catch2/catch.hpp>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "tests/model/answer.h"

using namespace sysdl;
using namespace sysdl::test;

namespace {

std::string readFile(const std::filesystem::path& path) {
  std::ifstream stream(path);
  REQUIRE(stream);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// A statement of a file with the comments before it, or a body with its statements.
struct Piece {
  std::string before;  // comments
  std::string line;    // all lines of a statement, or the one that opens a body
  std::vector<Piece> inside;
  bool body = false;
};

int nesting(const std::string& line) {
  int depth = 0;
  bool text = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') text = !text;
    if (text) continue;
    if (line[i] == '/' && i + 1 < line.size() && line[i + 1] == '/') break;
    depth += line[i] == '(' || line[i] == '[';
    depth -= line[i] == ')' || line[i] == ']';
  }
  return depth;
}

std::string trimmed(const std::string& line) {
  const size_t first = line.find_first_not_of(' ');
  return first == std::string::npos ? "" : line.substr(first);
}

/// Reads statements up to the brace that closes their body.
std::vector<Piece> readPieces(std::istream& lines) {
  std::vector<Piece> pieces;
  Piece piece;
  for (std::string line; std::getline(lines, line);) {
    const std::string text = trimmed(line);
    if (text == "}") break;
    if (text.empty()) continue;
    if (text.starts_with("//")) {
      piece.before += line + "\n";
      continue;
    }
    piece.line += line + "\n";
    if (nesting(piece.line) > 0) continue;
    if (text.ends_with("{")) {
      piece.body = true;
      piece.inside = readPieces(lines);
    }
    pieces.push_back(std::move(piece));
    piece = {};
  }
  return pieces;
}

void shuffle(std::vector<Piece>& pieces, std::mt19937& random) {
  for (size_t i = pieces.size(); i > 1; --i) std::swap(pieces[i - 1], pieces[random() % i]);
  for (Piece& piece : pieces) shuffle(piece.inside, random);
}

void write(const std::vector<Piece>& pieces, std::string& text) {
  for (const Piece& piece : pieces) {
    text += piece.before + piece.line;
    if (!piece.body) continue;
    write(piece.inside, text);
    text += "}\n";
  }
}

/// The file with all that may be reordered reordered; its first statement is the edition.
std::string reordered(const std::string& text, std::mt19937& random) {
  std::istringstream lines(text);
  std::vector<Piece> pieces = readPieces(lines);
  REQUIRE(pieces.size() > 1);
  std::vector<Piece> rest(pieces.begin() + 1, pieces.end());
  shuffle(rest, random);
  pieces.resize(1);
  std::string result;
  write(pieces, result);
  write(rest, result);
  return result;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  INFO(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

constexpr std::string_view kMachine = R"(// A test.
sysdl 2026

import std.chips.nvidia
import std.models.gpt
import std.networks.dgx

chip Small = nvidia.A100_SXM_80GB {
  power = 400 W
  elementwise_overhead = 3 us
  memory.hbm.capacity = 80 GiB
  memory.hbm.bandwidth = 2_039 GB/s
  engine.tensor.rate[fp16] = 312 TFLOP/s
}

network Pod = dgx.DGX_A100 {
  take = 64
  level.rail.each_way = 200 Gbit/s
  level.rail.latency = 10 us
}

design d {
  model = gpt.GPT3_175B
  chip = Small
  network = Pod
  workload = training {
    batch = 64
    precision = mixed(fp16)
    tokens = 300e9 token
  }
  plan {
    tp = 8
    pp = 8
    sp = true
    recompute = selective
    schedule = interleaved(chunks = 3)
  }
  cost {
    node_price = 180_000 USD
    horizon = 4 year
    electricity = 0.08 USD/kWh
  }
}
)";

constexpr std::pair<const char*, const char*> kSpellings[] = {
    {"400 W", "0.4 kW"},
    {"400 W", "400_000 mW"},
    {"400 W", "400 J/s"},
    {"3 us", "0.003 ms"},
    {"3 us", "3_000 ns"},
    {"80 GiB", "81_920 MiB"},
    {"80 GiB", "85_899_345_920 B"},
    {"80 GiB", "640 Gibit"},
    {"2_039 GB/s", "2.039 TB/s"},
    {"2_039 GB/s", "2_039 B/ns"},
    {"2_039 GB/s", "16_312 Gbit/s"},
    {"312 TFLOP/s", "0.312 PFLOP/s"},
    {"312 TFLOP/s", "312_000 GFLOP/s"},
    {"200 Gbit/s", "25 GB/s"},
    {"200 Gbit/s", "0.2 Tbit/s"},
    {"10 us", "0.01 ms"},
    {"300e9 token", "300_000 Mtoken"},
    {"300e9 token", "0.3 Ttoken"},
    {"180_000 USD", "180 kUSD"},
    {"4 year", "1_460 day"},
    {"0.08 USD/kWh", "80 USD/MWh"},
};

/// A folder of files that goes with the test.
class Folder {
public:
  Folder() : path_(std::filesystem::temp_directory_path() / fmt::format("sysdl_{}", getpid())) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string add(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }

private:
  std::filesystem::path path_;
};

}  // namespace

TEST_CASE("the order of lines and declarations changes no bit of an answer", "[model]") {
  const std::filesystem::path examples = SYSDL_SOURCE_DIR "/examples";
  for (const char* name : {"gpt3_175b.sysdl", "validation/korthikanti_2022.sysdl"}) {
    const std::string text = readFile(examples / name);
    const std::string wanted = answerOf(text);
    for (uint32_t seed = 0; seed < 5; ++seed) {
      std::mt19937 random(seed);
      const std::string other = reordered(text, random);
      INFO(other);
      CHECK((answerOf(other) == wanted));
    }
  }
}

TEST_CASE("the unit that a quantity is written in changes no bit of an answer", "[model]") {
  const std::string text(kMachine);
  const std::string wanted = answerOf(text);
  for (auto [from, to] : kSpellings) {
    INFO(from << " as " << to);
    CHECK((answerOf(replaced(text, from, to)) == wanted));
  }
}

TEST_CASE("an empty amend changes nothing", "[model]") {
  const std::string text(kMachine);
  const std::string wanted = answerOf(text);
  CHECK((answerOf(replaced(text, "chip = Small", "chip = Small {}")) == wanted));
  CHECK((answerOf(replaced(text, "network = Pod", "network = Pod {}")) == wanted));
  CHECK((answerOf(replaced(text, "gpt.GPT3_175B", "gpt.GPT3_175B {}")) == wanted));
  CHECK((answerOf(replaced(text, "  level.rail.latency = 10 us",
                           "  level rail {}\n  level.rail.latency = 10 us")) == wanted));
  // A design of its own that differs in nothing answers the same twice.
  DesignText twice(text + "\ndesign e = d {}\n");
  CHECK(twice.results("e").time.step == twice.results("d").time.step);
}

TEST_CASE("how declarations are spread over files changes no bit of an answer", "[model]") {
  const std::string text(kMachine);
  const std::string wanted = answerOf(text);
  const size_t chip = text.find("chip Small"), network = text.find("network Pod"),
               design = text.find("design d");
  const std::string head = "// A test.\nsysdl 2026\n\n";
  Folder folder;
  folder.add("chip.sysdl",
             head + "import std.chips.nvidia\n\n" + text.substr(chip, network - chip));
  folder.add("pod.sysdl",
             head + "import std.networks.dgx\n\n" + text.substr(network, design - network));
  std::string rest = replaced(text.substr(design), "chip = Small", "chip = chip.Small");
  rest = replaced(rest, "network = Pod", "network = pod.Pod");
  std::vector<std::string> imports = {"import std.models.gpt\n", "import \"chip.sysdl\" as chip\n",
                                      "import \"pod.sysdl\" as pod\n"};
  std::sort(imports.begin(), imports.end());
  do {
    std::string file = head;
    for (const std::string& import : imports) file += import;
    CHECK((answerOf(file + "\n" + rest, folder.add("design.sysdl", "")) == wanted));
  } while (std::next_permutation(imports.begin(), imports.end()));
}

TEST_CASE("what a schema says of a field holds for any value of the field", "[model]") {
  // `std.design` fills in how the model pads its vocabulary and how many devices the plan has.
  const std::string text(kMachine);
  const std::string assigned = replaced(text, "plan {", "plan = megatron {");
  CHECK((answerOf(assigned) == answerOf(text)));
  DesignText file(text);
  for (const Axis& axis : file.lowered("d").inputs->model.axes) {
    if (file.names().text(axis.name) != "vocab") continue;
    CHECK(axis.size == 51'200);
    CHECK(axis.unpadded == 50'257);
  }
}
