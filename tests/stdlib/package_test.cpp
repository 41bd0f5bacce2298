// Yield models, dies per wafer and packages against tables that others computed; skipped where the tables
// are not at hand. And the same against closed forms, always.
#include <catch2/catch.hpp>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/check/check_text.h"

namespace sysdl::test {
namespace {

using Row = std::map<std::string, std::string>;

/// The rows of a table beside the project; empty, after a message, where it is absent.
std::vector<Row> table(const std::string& name) {
  std::ifstream file(std::string(SYSDL_SOURCE_DIR "/../shared/peers/") + name);
  std::vector<Row> rows;
  if (!file) {
    WARN("skipped: no table " << name);
    return rows;
  }
  auto cells = [](const std::string& line) {
    std::vector<std::string> result;
    std::stringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');) result.push_back(cell);
    return result;
  };
  std::string line;
  std::getline(file, line);
  std::vector<std::string> head = cells(line);
  while (std::getline(file, line)) {
    if (line.find('"') != std::string::npos) continue;
    std::vector<std::string> row = cells(line);
    Row& named = rows.emplace_back();
    for (size_t i = 0; i < head.size() && i < row.size(); ++i) named[head[i]] = row[i];
  }
  return rows;
}

double number(const Row& row, const char* name) { return std::stod(row.at(name)); }

TEST_CASE("yield models, against closed forms") {
  CheckText t(R"(
process P {
  wafer_price = 1 USD
  defect_density = 0.1 defect/cm^2
}
die D {
  node = P
  area = 200 mm^2
}
die A = D { yield_model = poisson {} }
die B = D { yield_model = murphy {} }
die C = D { yield_model = seeds {} }
die E = D { yield_model = negative_binomial(alpha = 3) }
die F = D { yield_model = bose_einstein(layers = 10) }
die G = D {
  node = P { defect_density = 0 defect/cm^2 }
  yield_model = murphy {}
}
)");
  REQUIRE(t.faults() == "");
  double x = 0.2;
  CHECK(t.number("A", "yield_share") == Approx(std::exp(-x)).epsilon(1e-12));
  CHECK(t.number("B", "yield_share") == Approx(std::pow((1 - std::exp(-x)) / x, 2)).epsilon(1e-12));
  CHECK(t.number("C", "yield_share") == Approx(1 / (1 + x)).epsilon(1e-12));
  CHECK(t.number("E", "yield_share") == Approx(std::pow(1 + x / 3, -3)).epsilon(1e-12));
  CHECK(t.number("F", "yield_share") == Approx(std::pow(1 + x, -10)).epsilon(1e-12));
  CHECK(t.number("G", "yield_share") == 1);
  CHECK(CheckText("process P { wafer_price = 1 USD; defect_density = 0 defect/cm^2 }\n"
                  "die D { node = P; area = 0.1 m^2 }\n")
            .faults() == "E0501:3");
}

TEST_CASE("yield models, against a table of 304 areas and densities") {
  std::string text;
  std::vector<Row> rows = table("yield.csv");
  for (size_t i = 0; i < rows.size(); ++i) {
    text += fmt::format(R"(
process p{0} {{ wafer_price = 1 USD; edge = 0 mm; scribe = 0 mm; wafer_diameter = 10 m
  defect_density = {1} defect/cm^2 }}
die a{0} {{ node = p{0}; area = {2} mm^2; yield_model = poisson {{}} }}
die b{0} = a{0} {{ yield_model = murphy {{}} }}
die c{0} = a{0} {{ yield_model = seeds {{}} }}
die d{0} = a{0} {{ yield_model = negative_binomial(alpha = 3) }}
die e{0} = a{0} {{ yield_model = bose_einstein(layers = 10) }}
)",
                        i, rows[i]["D0_per_cm2"], rows[i]["area_mm2"]);
  }
  CheckText t(text);
  REQUIRE(t.faults() == "");
  for (size_t i = 0; i < rows.size(); ++i) {
    INFO("row " << i);
    auto share = [&](const char* die) { return t.number(die + std::to_string(i), "yield_share"); };
    CHECK(share("a") == Approx(number(rows[i], "poisson")).epsilon(1e-9));
    CHECK(share("b") == Approx(number(rows[i], "murphy")).epsilon(1e-6));
    CHECK(share("c") == Approx(number(rows[i], "seeds_1_over_1_plus_lambda")).epsilon(1e-9));
    CHECK(share("d") == Approx(number(rows[i], "negbin_a3")).epsilon(1e-9));
    CHECK(share("e") == Approx(number(rows[i], "bose_einstein_n10")).epsilon(1e-9));
  }
}

TEST_CASE("dies per wafer, against Chiplet Actuary") {
  std::string text;
  std::vector<Row> rows = table("dies_per_wafer.csv");
  for (size_t i = 0; i < rows.size(); ++i) {
    text += fmt::format(R"(
die a{} {{ node = process {{ wafer_price = 1 USD; defect_density = 0 defect/cm^2; edge = {} mm; scribe = {} mm }}
  area = {} mm^2 }}
)",
                        i, rows[i]["edge_mm"], rows[i]["scribe_mm"], rows[i]["area_mm2"]);
  }
  CheckText t(text);
  REQUIRE(t.faults() == "");
  for (size_t i = 0; i < rows.size(); ++i)
    CHECK(t.number("a" + std::to_string(i), "per_wafer") ==
          Approx(number(rows[i], "actuary")).epsilon(1e-9));
}

TEST_CASE("packages, against Chiplet Actuary") {
  std::string text = "import std.process\n";
  std::vector<Row> rows;
  for (const Row& row : table("chiplet_actuary.csv")) {
    // Fan-out packages are not modelled; of equal dies placed several times the tool counts the bumps once.
    const std::string& package = row.at("package");
    bool organic = package.ends_with("OS"), silicon = package.ends_with("SI");
    int node = std::stoi(row.at("node_nm"));
    bool known = node == 5 || node == 7 || node == 14;
    if ((!organic && !silicon) || !known || row.at("chiplet_mode") == "identical") continue;
    text +=
        fmt::format("package p{} {{ die d {{ node = process.N{}; area = {} mm^2; count = {} }}\n"
                    "  style = {} {{}} }}\n",
                    rows.size(), node, row.at("die_area_mm2"), row.at("n_chiplets"),
                    organic ? "organic" : "silicon_interposer");
    rows.push_back(row);
  }
  CheckText t(text);
  REQUIRE(t.faults() == "");
  for (size_t i = 0; i < rows.size(); ++i) {
    INFO("row " << i << ": " << rows[i]["package"] << " " << rows[i]["n_chiplets"]);
    std::string name = "p" + std::to_string(i);
    CHECK(t.number(name, "price") == Approx(number(rows[i], "RE_total")).epsilon(1e-9));
  }
}

}  // namespace
}  // namespace sysdl::test
