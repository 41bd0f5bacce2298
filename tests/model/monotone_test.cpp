// Better hardware is never slower, a larger batch never faster, and no design beats its chip.
#include <catch2/catch.hpp>

#include <array>

#include "tests/model/design_text.h"

using namespace sysdl;
using namespace sysdl::test;

namespace {

std::vector<GptText> designs() {
  GptText small;
  small.batch = 16;
  GptText tensor = small;
  tensor.tp = 4;
  tensor.hidden = 2048;
  GptText sequence = tensor;
  sequence.sp = true;
  sequence.recompute = "selective";
  GptText pipeline = sequence;
  pipeline.pp = 4;
  pipeline.dp = 2;
  pipeline.chunks = 2;
  pipeline.recompute = "full";
  GptText data = small;
  data.dp = 16;
  data.zero = 1;
  GptText fused = pipeline;
  fused.recompute = "none";
  fused.more = "model.attention_kernel = flash";
  return {small, tensor, sequence, pipeline, data, fused};
}

double stepOf(GptText d, const std::string& more) {
  d.more += "\n  " + more;
  DesignText file(d.text());
  return file.results("d").time.step;
}

}  // namespace

TEST_CASE("a better part is never slower", "[model]") {
  // Each is amended to growing multiples of its value: each step may not take longer than the one
  // before.
  const std::array<std::string, 8> kParts = {
      "chip.memory.hbm.bandwidth = {} * 2_039 GB/s",
      "chip.engine.tensor.rate[fp16] = {} * 312 TFLOP/s",
      "chip.engine.vector.rate[fp32] = {} * 19.5 TFLOP/s",
      "network.level.node.each_way = {} * 300 GB/s",
      "network.level.rail.each_way = {} * 25 GB/s",
      "network.level.node.latency = 0.746 us / {}",
      "network.level.rail.latency = 10 us / {}",
      "chip.elementwise_overhead = 3 us / {}",
  };
  for (const GptText& d : designs()) {
    for (const std::string& part : kParts) {
      INFO(part);
      double before = stepOf(d, fmt::format(fmt::runtime(part), 0.3));
      for (double factor : {1.0, 1.1, 16.0}) {
        const double now = stepOf(d, fmt::format(fmt::runtime(part), factor));
        CHECK(now <= before * (1 + 1e-12));
        before = now;
      }
    }
  }
}

TEST_CASE("utilization lies between 0 and 1, and hardware's is not below the model's", "[model]") {
  for (const GptText& d : designs()) {
    DesignText file(d.text());
    const double model = file.field("d", "model_flops_utilization");
    CHECK(model > 0);
    CHECK(model < 1);
    CHECK(file.field("d", "hardware_flops_utilization") >= model);
    CHECK(file.field("d", "hardware_flops_utilization") < 1);
  }
}

TEST_CASE("twice the batch takes between once and twice as long", "[model]") {
  for (const GptText& d : designs()) {
    GptText twice = d;
    twice.batch *= 2;
    DesignText once(d.text()), doubled(twice.text());
    const double one = once.results("d").time.step, two = doubled.results("d").time.step;
    CHECK(two >= one);
    CHECK(two <= 2 * one * (1 + 1e-9));
  }
}

TEST_CASE("the parts of a step sum to it", "[model]") {
  for (const GptText& d : designs()) {
    DesignText file(d.text());
    const StepTime& time = file.results("d").time;
    double sum = time.forward + time.backward + time.recompute + time.bubble + time.optimizer;
    for (const MeshAxisTime& axis : time.exposed) sum += axis.exposed;
    CHECK(sum == Approx(time.step));
    CHECK(time.bubble >= 0);
  }
}
