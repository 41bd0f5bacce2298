// The passes of a schedule one by one: what must hold of any, and that they end when the evaluator says.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>

#include "eval/schedule/passes.h"
#include "eval/schedule/schedule.h"

namespace {

using namespace sysdl;
using namespace sysdl::schedule;

Pipeline randomPipeline(std::mt19937_64& random, ScheduleKind kind, int64_t p, int64_t v,
                        int64_t m) {
  auto real = [&] { return 0.2 + static_cast<double>(random() >> 11) * 0x1p-53; };
  Pipeline line;
  line.stages = p;
  line.chunks = v;
  line.microbatches = m;
  for (int64_t u = 0; u < p * v; ++u) {
    line.forward.push_back(real());
    line.backward.push_back(real());
    line.weight.push_back(splitsBackward(kind) ? real() : 0);
    line.forwardKernels.push_back(line.forward.back());
    line.backwardKernels.push_back(line.backward.back() + line.weight.back());
  }
  if (random() % 2) {
    line.activations = {0.3 * real(), 0.1 * real()};
    line.gradients = {0.3 * real(), 0.1 * real()};
  }
  if (random() % 3 == 0) line.blocking = random() % 2 ? 0 : std::min(1.0, real());
  return line;
}

struct Case {
  Schedule schedule;
  Pipeline line;
};

Case randomCase(std::mt19937_64& random, int run) {
  const ScheduleKind kinds[] = {ScheduleKind::GPipe,       ScheduleKind::OneForwardOneBackward,
                                ScheduleKind::Interleaved, ScheduleKind::ZeroBubbleH1,
                                ScheduleKind::ZeroBubbleV, ScheduleKind::DualPipe};
  Case made;
  made.schedule.kind = kinds[run % 6];
  int64_t p = 1 + static_cast<int64_t>(random() % 6);
  int64_t m = 1 + static_cast<int64_t>(random() % 24);
  int64_t v = 1;
  if (made.schedule.kind == ScheduleKind::Interleaved) {
    v = 2 + static_cast<int64_t>(random() % 3);
    m = p * (1 + m % 6);
  } else if (splitsBackward(made.schedule.kind)) {
    p = 2 * (1 + p % 3);
    m = 2 * p + 2 * (m % 8);
    if (made.schedule.kind != ScheduleKind::ZeroBubbleH1) v = 2;
  }
  made.schedule.chunks = v;
  made.line = randomPipeline(random, made.schedule.kind, p, v, m);
  return made;
}

using Key = std::tuple<int64_t, int64_t, int64_t>;  // stage, chunk, micro-batch

/// The pass before in the direction of forward passes; a negative stage where there is none.
Key before(const Case& c, const Pass& pass) {
  const int64_t p = c.line.stages;
  const bool folded =
      c.schedule.kind == ScheduleKind::ZeroBubbleV || c.schedule.kind == ScheduleKind::DualPipe;
  if (!folded && pass.chunk > 0 && pass.stage == 0) return {p - 1, pass.chunk - 1, pass.microbatch};
  if (!folded || pass.chunk == 0) return {pass.stage - 1, pass.chunk, pass.microbatch};
  if (pass.stage < p - 1) return {pass.stage + 1, 1, pass.microbatch};
  if (c.schedule.kind == ScheduleKind::DualPipe) return {-1, 0, 0};
  return {pass.stage, 0, pass.microbatch};
}

}  // namespace

TEST_CASE("Passes: each once, in order, after their data, none beside another", "[schedule]") {
  std::mt19937_64 random(41);
  for (int run = 0; run < 600; ++run) {
    const Case c = randomCase(random, run);
    const Passes listed = listPasses(c.schedule, c.line);
    CAPTURE(run, c.line.stages, c.line.chunks, c.line.microbatches);
    REQUIRE(listed.all);
    REQUIRE(listed.microbatches == c.line.microbatches);
    std::map<Key, const Pass*> forward, backward, weight;
    std::map<int64_t, const Pass*> last;
    for (const Pass& pass : listed.passes) {
      const Key key{pass.stage, pass.chunk, pass.microbatch};
      REQUIRE(pass.start >= 0);
      REQUIRE(pass.microbatch < c.line.microbatches);
      auto& ones = pass.work == Work::Forward  ? forward
                   : pass.work == Work::Weight ? weight
                                               : backward;
      REQUIRE(ones.emplace(key, &pass).second);
      const Pass*& before = last[pass.stage];
      const bool pair = before && before->paired && pass.paired && before->start == pass.start;
      if (before && !pair) REQUIRE(pass.start >= before->end);
      before = &pass;
    }
    const bool dual = c.schedule.kind == ScheduleKind::DualPipe;
    const auto each = static_cast<size_t>(c.line.stages * c.line.chunks * c.line.microbatches);
    REQUIRE(forward.size() == (dual ? each / 2 : each));
    REQUIRE(backward.size() == forward.size());
    for (const auto& [key, pass] : forward) {
      REQUIRE(backward.at(key)->start >= pass->end);
      const Key from = before(c, *pass);
      if (std::get<0>(from) < 0) continue;
      REQUIRE(pass->start >= forward.at(from)->end);
      REQUIRE(backward.at(from)->start >= backward.at(key)->end);
    }
    for (const auto& [key, pass] : weight) REQUIRE(pass->start >= backward.at(key)->end);
  }
}

TEST_CASE("Passes end when the evaluator's timeline does", "[schedule]") {
  std::mt19937_64 random(42);
  for (int run = 0; run < 600; ++run) {
    const Case c = randomCase(random, run);
    const Passes listed = listPasses(c.schedule, c.line);
    const Timeline timeline = schedule::run(c.schedule, c.line);
    CAPTURE(run, c.line.stages, c.line.chunks, c.line.microbatches);
    std::vector<double> ends(timeline.end.size(), 0);
    for (const Pass& pass : listed.passes) ends[pass.stage] = std::max(ends[pass.stage], pass.end);
    REQUIRE(listed.end == ends);
    for (size_t s = 0; s < ends.size(); ++s)
      REQUIRE(ends[s] == Approx(timeline.end[s]).epsilon(1e-9));
  }
}

TEST_CASE("Too many passes: all those of the first micro-batches", "[schedule]") {
  std::mt19937_64 random(43);
  for (int run = 0; run < 300; ++run) {
    const Case c = randomCase(random, run);
    const Passes all = listPasses(c.schedule, c.line);
    const Passes some = listPasses(c.schedule, c.line, static_cast<int64_t>(all.passes.size() / 2));
    CAPTURE(run, c.line.stages, c.line.chunks, c.line.microbatches);
    REQUIRE(some.microbatches >= 1);
    if (some.microbatches > 2) REQUIRE(some.passes.size() <= all.passes.size() / 2);
    REQUIRE(some.all == (some.microbatches == c.line.microbatches));
    std::vector<Pass> wanted;
    const bool dual = c.schedule.kind == ScheduleKind::DualPipe;
    for (const Pass& pass : all.passes) {
      const int64_t number =
          dual && pass.chunk == 1 ? pass.microbatch - c.line.microbatches / 2 : pass.microbatch;
      if (number < (dual ? some.microbatches / 2 : some.microbatches)) wanted.push_back(pass);
    }
    REQUIRE(some.passes.size() == wanted.size());
    for (size_t i = 0; i < wanted.size(); ++i) {
      CHECK(some.passes[i].start == wanted[i].start);
      CHECK(some.passes[i].end == wanted[i].end);
      CHECK(some.passes[i].microbatch == wanted[i].microbatch);
    }
  }
}

TEST_CASE("Passes of a step that nobody could list are bounded", "[schedule]") {
  std::mt19937_64 random(44);
  for (ScheduleKind kind : {ScheduleKind::OneForwardOneBackward, ScheduleKind::ZeroBubbleH1}) {
    Schedule schedule;
    schedule.kind = kind;
    const Pipeline line = randomPipeline(random, kind, 4, 1, int64_t{1} << 40);
    const Passes listed = listPasses(schedule, line, 1000);
    CHECK_FALSE(listed.all);
    CHECK(listed.passes.size() <= 1000);
    CHECK(listed.microbatches > 50);
  }
}
