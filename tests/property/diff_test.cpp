// Comparisons of random versions of a design: the causes of a move add up to it, what alone is illegal is
// made together, and a design differs in nothing from itself.
#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>
#include <random>

#include "driver/diff/changes.h"
#include "fmt/format.h"

using namespace sysdl;

namespace {

struct Version {
  int tp = 2, pp = 2, take = 16, batch = 32, microbatch = 1, layers = 8;
  double power = 400, price = 100'000;
  const char* recompute = "none";

  std::string text() const {
    return fmt::format(R"(sysdl 2026

import std.chips.nvidia
import std.models.gpt
import std.networks.dgx

design d {{
  model = gpt.GPT3_175B {{ layers = {}; hidden = 512; heads = 16; sequence = 256 }}
  chip = nvidia.A100_SXM_80GB {{ power = {} W }}
  network = dgx.DGX_A100 {{ take = {} }}
  workload = training {{ batch = {}; microbatch = {} }}
  plan {{ tp = {}; pp = {}; recompute = {} }}
  cost {{ node_price = {} USD }}
}}
)",
                       layers, power, take, batch, microbatch, tp, pp, recompute, price);
  }
};

struct Pair {
  Pair(const Version& a, const Version& b) {
    check::Module* before = session.openText("before.sysdl", a.text());
    check::Module* after = session.openText("after.sysdl", b.text());
    REQUIRE_FALSE(session.diagnostics.hasErrors());
    Name d = session.names.intern("d");
    result = attribute(session, before->values.at(d.id).value.record,
                       after->values.at(d.id).value.record);
    legal = !session.diagnostics.hasErrors();
  }
  bool legal = true;
  Session session;
  Attribution result;
};

Version randomVersion(std::mt19937& random) {
  auto one = [&](std::initializer_list<int> of) { return of.begin()[random() % of.size()]; };
  Version v;
  v.tp = one({1, 2, 4});
  v.pp = one({1, 2, 4});
  v.take = one({16, 32});
  v.batch = one({32, 64});
  v.microbatch = one({1, 2});
  v.layers = one({8, 16});
  v.power = one({300, 400});
  v.price = one({100'000, 120'000});
  v.recompute = random() % 2 ? "none" : "full";
  return v;
}

}  // namespace

TEST_CASE("the causes of a move add up to it", "[property]") {
  std::mt19937 random(7);
  int legal = 0;
  for (int round = 0; round < 40; ++round) {
    Version a = randomVersion(random), b = randomVersion(random);
    INFO(a.text() << b.text());
    Pair pair(a, b);
    legal += pair.legal;
    for (const Move& move : pair.result.moves) {
      INFO(move.path);
      double sum = std::accumulate(move.shares.begin(), move.shares.end(), move.rest);
      double scale = std::max(std::abs(move.from), std::abs(move.to));
      CHECK(std::abs(sum - (move.to - move.from)) <= 1e-8 * scale);
      // Nothing but inputs differs, so nothing else may be blamed.
      CHECK(move.rest == 0);
    }
    size_t grouped = 0;
    for (const auto& group : pair.result.groups) grouped += group.size();
    CHECK(grouped == pair.result.changes.size());
  }
  CHECK(legal >= 10);
}

TEST_CASE("a design differs in nothing from itself", "[property]") {
  Version v;
  Pair pair(v, v);
  CHECK(pair.result.changes.empty());
  CHECK(pair.result.moves.empty());
}

TEST_CASE("one change causes all of a move, and only what follows from it moves", "[property]") {
  Version a, b;
  b.price = 150'000;
  Pair pair(a, b);
  REQUIRE(pair.result.changes.size() == 1);
  CHECK(pair.result.changes[0].path == "cost.node_price");
  for (const Move& move : pair.result.moves) {
    CHECK(move.path.starts_with("cost."));
    REQUIRE(move.shares.size() == 1);
    CHECK(move.shares[0] == Approx(move.to - move.from));
  }
  // Two nodes of the price.
  auto capital = std::find_if(pair.result.moves.begin(), pair.result.moves.end(),
                              [](const Move& m) { return m.path == "cost.capital"; });
  REQUIRE(capital != pair.result.moves.end());
  CHECK(capital->to - capital->from == Approx(2 * 50'000));
}

TEST_CASE("two changes of which neither is legal alone are one cause", "[property]") {
  // 16 devices: tp 2 x pp 2 -> tp 1 x pp 16 needs 16 layers, which alone is fine, but pp alone is not.
  Version a, b;
  a.tp = 16;
  a.pp = 1;
  b.tp = 1;
  b.pp = 16;
  b.layers = a.layers = 16;
  Pair pair(a, b);
  REQUIRE(pair.result.groups.size() == 1);
  CHECK(pair.result.groups[0].size() == 2);
}

TEST_CASE("shares are Shapley values: two factors of a product share its growth", "[property]") {
  // Work is layers times batch (of a model without head and embedding in the recomputed part): with
  // f(x, y) = x y from (1, 1) to (2, 2), each factor's share is ((2 - 1) + (4 - 2)) / 2 = 1.5.
  Version a, b;
  a.recompute = b.recompute = "full";
  b.layers = 2 * a.layers;
  b.batch = 2 * a.batch;
  Pair pair(a, b);
  auto recompute = std::find_if(pair.result.moves.begin(), pair.result.moves.end(),
                                [](const Move& m) { return m.path == "time.recompute"; });
  REQUIRE(recompute != pair.result.moves.end());
  REQUIRE(recompute->shares.size() == 2);
  CHECK(recompute->shares[0] == Approx(1.5 * recompute->from).epsilon(1e-6));
  CHECK(recompute->shares[1] == Approx(1.5 * recompute->from).epsilon(1e-6));
}
