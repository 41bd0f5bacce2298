// Schedules against a brute-force simulation of the same rules, written here from Megatron-LM's
// loops: event by event, every micro-batch, no periods and no closed forms.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>
#include <vector>

#include "eval/schedule/schedule.h"
#include "eval/schedule/timeline.h"

namespace {

using namespace sysdl;
using schedule::Pipeline;
using schedule::Timeline;

struct Event {
  bool forward;
  int64_t microbatch, chunk;
};

/// Megatron-LM core/pipeline_parallel/schedules.py: forward_backward_pipelining_without_interleaving.
std::vector<Event> eventsOf1F1B(int64_t p, int64_t m, int64_t rank) {
  std::vector<Event> events;
  const int64_t warmUp = std::min(p - rank - 1, m);
  events.reserve(2 * static_cast<size_t>(m));
  for (int64_t i = 0; i < warmUp; ++i) events.push_back({true, i, 0});
  for (int64_t i = 0; i < m - warmUp; ++i) {
    events.push_back({true, warmUp + i, 0});
    events.push_back({false, i, 0});
  }
  for (int64_t i = m - warmUp; i < m; ++i) events.push_back({false, i, 0});
  return events;
}

/// forward_backward_pipelining_with_interleaving: the tables of (micro-batch, chunk) by step.
std::vector<Event> eventsOfInterleaved(int64_t p, int64_t v, int64_t m, int64_t rank) {
  std::vector<Event> forward, backward, events;
  for (int64_t group = 0; group < m; group += p) {
    for (int64_t chunk = 0; chunk < v; ++chunk) {
      for (int64_t i = 0; i < p; ++i) {
        forward.push_back({true, group + i, chunk});
        backward.push_back({false, group + i, v - 1 - chunk});
      }
    }
  }
  const auto total = static_cast<int64_t>(forward.size());
  int64_t warmUp = std::min((p - rank - 1) * 2 + (v - 1) * p, total);
  if (m == p) warmUp = total;
  for (int64_t k = 0; k < warmUp; ++k) events.push_back(forward[k]);
  for (int64_t k = 0; k < total - warmUp; ++k) {
    events.push_back(forward[warmUp + k]);
    events.push_back(backward[k]);
  }
  for (int64_t k = total - warmUp; k < total; ++k) events.push_back(backward[k]);
  return events;
}

std::vector<Event> eventsOfGPipe(int64_t m) {
  std::vector<Event> events;
  events.reserve(2 * static_cast<size_t>(m));
  for (int64_t i = 0; i < m; ++i) events.push_back({true, i, 0});
  for (int64_t i = 0; i < m; ++i) events.push_back({false, i, 0});
  return events;
}

std::vector<Event> eventsOf(const Schedule& kind, const Pipeline& line, int64_t rank) {
  if (kind.kind == ScheduleKind::GPipe) return eventsOfGPipe(line.microbatches);
  if (kind.chunks == 1) return eventsOf1F1B(line.stages, line.microbatches, rank);
  return eventsOfInterleaved(line.stages, line.chunks, line.microbatches, rank);
}

/// When each stage is free for good. Runs whatever can run until all has run.
std::vector<double> bruteForce(const Schedule& kind, const Pipeline& line) {
  const int64_t last = line.stages * line.chunks - 1;
  std::vector<std::vector<Event>> events(line.stages);
  for (int64_t s = 0; s < line.stages; ++s) events[s] = eventsOf(kind, line, s);
  std::map<std::tuple<bool, int64_t, int64_t>, double> arrival;  // at (direction, virtual, batch)
  std::vector<double> free(line.stages, 0);
  std::vector<size_t> next(line.stages, 0);
  for (bool moved = true; moved;) {
    moved = false;
    for (int64_t s = 0; s < line.stages; ++s) {
      while (next[s] < events[s].size()) {
        const Event e = events[s][next[s]];
        const int64_t u = e.chunk * line.stages + s;
        const bool receives = e.forward ? u > 0 : u < last;
        const bool sends = e.forward ? u < last : u > 0;
        double start = free[s];
        if (receives) {
          const auto data = arrival.find({e.forward, u, e.microbatch});
          if (data == arrival.end()) break;
          start = std::max(start, data->second);
        }
        const auto& border = e.forward ? line.activations : line.gradients;
        const double computed = start + (receives ? border.receive : 0) +
                                (e.forward ? line.forward[u] : line.backward[u]);
        free[s] = computed;
        if (sends) {
          arrival[{e.forward, e.forward ? u + 1 : u - 1, e.microbatch}] = computed + border.send;
          free[s] += line.blocking * border.send;
        }
        ++next[s];
        moved = true;
      }
    }
  }
  for (int64_t s = 0; s < line.stages; ++s) REQUIRE(next[s] == events[s].size());
  return free;
}

struct Random {
  std::mt19937_64 engine;
  explicit Random(uint64_t seed) : engine(seed) {}
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(engine() % static_cast<uint64_t>(high - low + 1));
  }
  double real() { return static_cast<double>(engine() >> 11) * 0x1p-53; }
};

Pipeline equalPipeline(int64_t p, int64_t v, int64_t m, double f, double b) {
  Pipeline line;
  line.stages = p;
  line.chunks = v;
  line.microbatches = m;
  line.forward.assign(static_cast<size_t>(p * v), f);
  line.backward.assign(static_cast<size_t>(p * v), b);
  return line;
}

enum class Shape { Wild, EndsDiffer, NearlyEqual, FewValues };

Pipeline randomPipeline(Random& random, int64_t p, int64_t v, int64_t m, Shape shape) {
  Pipeline line = equalPipeline(p, v, m, 1, 2);
  auto spread = [&](std::vector<double>& durations) {
    for (double& d : durations) {
      if (shape == Shape::Wild) d *= 0.05 + random.real();
      if (shape == Shape::NearlyEqual) d *= 1 + 1e-3 * random.real();
      if (shape == Shape::FewValues) d = static_cast<double>(random.between(1, 3));
    }
    if (shape == Shape::EndsDiffer) {
      durations.front() += random.real();
      durations.back() += random.real();
    }
  };
  spread(line.forward);
  spread(line.backward);
  if (random.between(0, 1)) {
    line.activations = {0.3 * random.real(), 0.1 * random.real()};
    line.gradients = {0.3 * random.real(), 0.1 * random.real()};
  }
  return line;
}

Schedule scheduleOf(ScheduleKind kind, int64_t chunks) {
  Schedule result;
  result.kind = kind;
  result.chunks = chunks;
  return result;
}

void requireAgree(const Schedule& kind, const Pipeline& line) {
  const Timeline ours = schedule::run(kind, line);
  const std::vector<double> theirs = bruteForce(kind, line);
  CAPTURE(line.stages, line.chunks, line.microbatches, line.blocking, ours.looked);
  CHECK(ours.exact);
  for (int64_t s = 0; s < line.stages; ++s) {
    CAPTURE(s);
    REQUIRE(ours.end[s] == Approx(theirs[s]).epsilon(1e-9).margin(1e-12));
  }
  REQUIRE(ours.makespan == *std::max_element(ours.end.begin(), ours.end.end()));
  REQUIRE(ours.bubble >= -1e-12 * ours.makespan);
}

constexpr Shape kShapes[] = {Shape::Wild, Shape::EndsDiffer, Shape::NearlyEqual, Shape::FewValues};

}  // namespace

TEST_CASE("1F1B agrees with brute force for random stages", "[schedule]") {
  Random random(1);
  for (int run = 0; run < 2000; ++run) {
    const int64_t p = random.between(1, 9);
    const int64_t m = random.between(1, run % 10 == 0 ? 400 : 40);
    Pipeline line = randomPipeline(random, p, 1, m, kShapes[run % 4]);
    requireAgree(scheduleOf(ScheduleKind::OneForwardOneBackward, 1), line);
  }
}

TEST_CASE("1F1B agrees with brute force where sends do not block", "[schedule]") {
  Random random(2);
  for (int run = 0; run < 1000; ++run) {
    const int64_t p = random.between(1, 9);
    const int64_t m = random.between(1, run % 10 == 0 ? 1500 : 80);
    Pipeline line = randomPipeline(random, p, 1, m, kShapes[run % 4]);
    line.blocking = run % 3 == 0 ? 0 : random.real();
    requireAgree(scheduleOf(ScheduleKind::OneForwardOneBackward, 1), line);
  }
}

TEST_CASE("Interleaved 1F1B agrees with brute force for random chunks", "[schedule]") {
  Random random(3);
  for (int run = 0; run < 1200; ++run) {
    const int64_t p = random.between(1, 6);
    const int64_t v = random.between(1, 4);
    const int64_t m = p * random.between(1, run % 10 == 0 ? 60 : 8);
    Pipeline line = randomPipeline(random, p, v, m, kShapes[run % 4]);
    if (run % 3 == 0) line.blocking = random.real();
    requireAgree(scheduleOf(ScheduleKind::Interleaved, v), line);
  }
}

TEST_CASE("What takes thousands of micro-batches to show is found", "[schedule]") {
  // Nearly equal stages: the slowest takes over only when small differences have added up.
  Random random(7);
  for (int run = 0; run < 24; ++run) {
    const int64_t p = random.between(2, 5);
    const int64_t v = run % 4 == 0 ? 2 : 1;
    Pipeline line = randomPipeline(random, p, v, p * 3000, Shape::NearlyEqual);
    line.blocking = run % 2 == 0 ? 1 : 0.5;
    line.forward[static_cast<size_t>(random.between(0, p - 1))] *= 4;  // no closed form
    line.activations.send = 0.2 * random.real();
    requireAgree(scheduleOf(ScheduleKind::Interleaved, v), line);
  }
}

TEST_CASE("GPipe agrees with brute force for random stages", "[schedule]") {
  Random random(4);
  for (int run = 0; run < 500; ++run) {
    const int64_t p = random.between(1, 9);
    Pipeline line = randomPipeline(random, p, 1, random.between(1, 40), kShapes[run % 4]);
    line.blocking = random.real();
    requireAgree(scheduleOf(ScheduleKind::GPipe, 1), line);
  }
}

TEST_CASE("Equal stages: (m + p - 1)(f + b), and what sends add", "[schedule]") {
  const auto kind = scheduleOf(ScheduleKind::OneForwardOneBackward, 1);
  for (int64_t p : {1, 2, 3, 4, 8, 64}) {
    for (int64_t m : {1, 2, 3, 4, 5, 8, 63, 64, 65, 200}) {
      CAPTURE(p, m);
      Pipeline line = equalPipeline(p, 1, m, 1, 2);
      REQUIRE(schedule::run(kind, line).makespan == static_cast<double>((m + p - 1) * 3));
      line.activations.send = line.gradients.send = 0.25;
      // Down and up once with the first micro-batch; then a stage between the ends sends twice a
      // micro-batch, the last stage (two stages: either) once.
      const int64_t sends = p == 1 ? 0 : p == 2 || m < 2 ? m + 2 * p - 3 : 2 * (m + p) - 5;
      const double expected = static_cast<double>((m + p - 1) * 3) + 0.25 * double(sends);
      REQUIRE(schedule::run(kind, line).makespan == Approx(expected).epsilon(1e-12));
    }
  }
}

TEST_CASE("Equal chunks: the bubble of interleaved 1F1B is (p - 1)(f + b) / v", "[schedule]") {
  for (int64_t v : {2, 3, 6}) {
    for (int64_t p : {2, 3, 8, 16}) {
      for (int64_t rounds : {2, 3, 10}) {
        CAPTURE(p, v, rounds);
        const Timeline done = schedule::run(scheduleOf(ScheduleKind::Interleaved, v),
                                            equalPipeline(p, v, p * rounds, 1, 2));
        REQUIRE(done.bubble == Approx(static_cast<double>((p - 1) * 3)));
        REQUIRE(done.makespan == Approx(static_cast<double>((p * rounds * v + p - 1) * 3)));
      }
    }
  }
}

TEST_CASE("GPipe and 1F1B take equally long with equal stages", "[schedule]") {
  const Pipeline line = equalPipeline(8, 1, 32, 1, 2);
  REQUIRE(schedule::run(scheduleOf(ScheduleKind::GPipe, 1), line).makespan == 39 * 3);
}

TEST_CASE("The cost of a schedule does not grow with micro-batches", "[schedule]") {
  Random random(5);
  for (int run = 0; run < 400; ++run) {
    const int64_t p = random.between(2, 12);
    const int64_t v = run % 2 == 0 ? 1 : random.between(2, 4);
    const Shape shape = kShapes[run / 2 % 4];
    const auto kind = scheduleOf(ScheduleKind::Interleaved, v);
    Pipeline line = randomPipeline(random, p, v, 1'000'000 * p, shape);
    if (run % 5 == 0) line.blocking = random.real();
    const Timeline million = schedule::run(kind, line);
    line.microbatches = 1'000'000'000 * p;
    const Timeline billion = schedule::run(kind, line);
    CAPTURE(p, v, line.blocking, million.looked);
    const int64_t step = 2 * p;
    const int64_t period = step * (v == 1 ? 1 : p * v);
    // Equal stages between different ends, as real models have: filling, draining, some periods.
    if (shape == Shape::EndsDiffer) {
      REQUIRE(million.looked <= 40 * period + step * (2 * p * v + 3 * p));
    }
    // Any stages: each change of the slowest path costs a few periods, and there are only so many.
    REQUIRE(million.looked <= 1000 * period + step * (2 * p * v + 3 * p));
    REQUIRE(billion.looked <= million.looked + 100 * period);
    REQUIRE(billion.makespan == Approx(1000 * million.makespan).epsilon(1e-2));
  }
}

TEST_CASE("No schedule beats the way down, the busiest stage and the way up", "[schedule]") {
  Random random(8);
  for (int run = 0; run < 400; ++run) {
    const int64_t p = random.between(1, 8);
    const int64_t v = run % 2 == 0 ? 1 : random.between(2, 3);
    const auto kind = scheduleOf(ScheduleKind::Interleaved, v);
    Pipeline line = randomPipeline(random, p, v, p * random.between(1, 9), kShapes[run / 2 % 4]);
    if (run % 3 == 0) line.blocking = random.real();
    const Timeline timeline = schedule::run(kind, line);
    const std::vector<double> least = schedule::leastEnds(schedule::lanesOf(line));
    for (int64_t s = 0; s < p; ++s) REQUIRE(timeline.end[s] >= least[s] * (1 - 1e-12));
  }
  const Pipeline equal = equalPipeline(8, 3, 64, 1, 2);
  const Timeline timeline = schedule::run(scheduleOf(ScheduleKind::Interleaved, 3), equal);
  REQUIRE(timeline.makespan == Approx(schedule::leastEnds(schedule::lanesOf(equal))[0]));
}

TEST_CASE("Absurd sizes are estimated, in bounded time", "[schedule]") {
  Pipeline line = equalPipeline(100'000, 2, INT64_MAX, 1, 2);
  line.forward.back() = 2;
  const Timeline many = schedule::run(scheduleOf(ScheduleKind::Interleaved, 2), line);
  REQUIRE(!many.exact);
  REQUIRE(many.looked <= 200'000);
  for (ScheduleKind kind : {ScheduleKind::GPipe, ScheduleKind::OneForwardOneBackward}) {
    line = equalPipeline(4, 1, INT64_MAX, 1, 2);
    REQUIRE(schedule::run(scheduleOf(kind, 1), line).makespan >= 3e18);
  }
}

TEST_CASE("The cost of 1F1B is linear in the stages where the ends differ", "[schedule]") {
  Pipeline line = equalPipeline(512, 1, 100'000, 1, 2);
  line.forward.back() = 1.5;
  line.backward.back() = 3;
  const Timeline done = schedule::run(scheduleOf(ScheduleKind::OneForwardOneBackward, 1), line);
  REQUIRE(done.looked <= 4 * line.stages);
  REQUIRE(done.critical == 511);
  REQUIRE(done.makespan == Approx(511 * 3 + 100'000 * 4.5));
}

TEST_CASE("A longer pass or one more micro-batch never shortens a step", "[schedule]") {
  Random random(6);
  for (int run = 0; run < 400; ++run) {
    const int64_t p = random.between(1, 8);
    const int64_t v = run % 2 == 0 ? 1 : random.between(2, 3);
    const auto kind = scheduleOf(ScheduleKind::Interleaved, v);
    Pipeline line = randomPipeline(random, p, v, p * random.between(2, 30), kShapes[run / 2 % 4]);
    const Timeline before = schedule::run(kind, line);
    for (double busy : before.busy) REQUIRE(before.makespan >= busy * (1 - 1e-12));
    Pipeline longer = line;
    const auto u = static_cast<size_t>(random.between(0, p * v - 1));
    (run % 3 == 0 ? longer.forward : longer.backward)[u] *= 1.5;
    REQUIRE(schedule::run(kind, longer).makespan >= before.makespan * (1 - 1e-12));
    Pipeline twice = line;
    twice.microbatches *= 2;
    const double doubled = schedule::run(kind, twice).makespan;
    REQUIRE(doubled >= before.makespan);
    REQUIRE(doubled <= 2 * before.makespan * (1 + 1e-12));
  }
}
