// The collectives that follow from the library's own layers, for degrees 1 to 64.
#include <catch2/catch.hpp>

#include "tests/model/design_text.h"

using namespace sysdl;
using namespace sysdl::test;

namespace {

constexpr int64_t kDegrees[] = {1, 2, 4, 8, 16, 32, 64};
constexpr uint32_t kEmbedding = 0, kLayer = 1, kHead = 2;

GptText wide() {
  GptText d;
  d.layers = 64;
  d.hidden = 4096;
  d.heads = 64;
  d.batch = 64;
  return d;
}

/// Counts over one graph, by kind and mesh axis.
struct Counter {
  const EvaluatedDesign& design;
  const NameTable& names;

  const Graph& graph() const { return *design.graph; }
  const PartGraph& layer() const { return graph().parts[kLayer]; }

  int64_t of(const std::vector<Issue>& issues, CollectiveKind kind, std::string_view axis) const {
    int64_t count = 0;
    for (const Issue& issue : issues) {
      if (!issue.collective) continue;
      const CollectiveNode& node = graph().collectives[issue.index];
      count += node.kind == kind && node.group.axes.size() == 1 &&
               names.text(design.inputs->plan.mesh[node.group.axes[0]].name) == axis;
    }
    return count;
  }
  static int64_t all(const std::vector<Issue>& issues) {
    int64_t count = 0;
    for (const Issue& issue : issues) count += issue.collective;
    return count;
  }
  int64_t reGathers(const std::vector<Issue>& issues) const {
    int64_t count = 0;
    for (const Issue& issue : issues) {
      if (!issue.collective) continue;
      const CollectiveNode& node = graph().collectives[issue.index];
      count +=
          node.kind == CollectiveKind::AllGather && node.why.find("re-gather") != std::string::npos;
    }
    return count;
  }
  int64_t parametersOf(uint32_t part) const {
    int64_t count = 0;
    for (const Tensor& tensor : design.inputs->model.parts[part].tensors) count += tensor.parameter;
    return count;
  }
};

std::string llama(int64_t tp, bool sp) {
  return fmt::format(R"(// A test.
sysdl 2026

import std.chips.nvidia
import std.models.llama
import std.networks.dgx

design d {{
  model = llama.Llama3_70B
  chip = nvidia.H100_SXM_80GB
  network = dgx.DGX_H100 {{ take = {} }}
  workload = training {{ batch = 1 }}
  plan {{
    tp = {}
    sp = {}
  }}
}}
)",
                     tp, tp, sp);
}

}  // namespace

TEST_CASE("GPT's layer, tensor parallel: two all-reduces forward, two backward", "[model]") {
  for (int64_t degree : kDegrees) {
    GptText d = wide();
    d.tp = degree;
    DesignText file(d.text());
    Counter counter{file.lowered("d"), file.names()};
    const int64_t two = degree > 1 ? 2 : 0;
    CHECK(counter.of(counter.layer().forward, CollectiveKind::AllReduce, "tp") == two);
    CHECK(counter.of(counter.layer().backward, CollectiveKind::AllReduce, "tp") == two);
    CHECK(Counter::all(counter.layer().forward) == two);
    CHECK(Counter::all(counter.layer().backward) == two);
    CHECK(Counter::all(counter.layer().optimizer) == 0);
    for (const CollectiveNode& node : counter.graph().collectives) {
      if (node.part != kLayer) continue;
      CHECK(node.bytes == 2048.0 * 4096 * 2);
      CHECK(node.group.ranks == degree);
    }
  }
}

TEST_CASE("GPT's layer, sequence parallel: pairs of gather and reduce-scatter, and re-gathers",
          "[model]") {
  for (int64_t degree : kDegrees) {
    GptText d = wide();
    d.tp = degree;
    d.sp = true;
    DesignText file(d.text());
    Counter counter{file.lowered("d"), file.names()};
    const PartGraph& layer = counter.layer();
    const int64_t two = degree > 1 ? 2 : 0;
    CHECK(counter.of(layer.forward, CollectiveKind::AllGather, "tp") == two);
    CHECK(counter.of(layer.forward, CollectiveKind::ReduceScatter, "tp") == two);
    CHECK(Counter::all(layer.forward) == 2 * two);
    CHECK(counter.reGathers(layer.backward) == two);
    CHECK(counter.of(layer.backward, CollectiveKind::AllGather, "tp") == two + two);
    CHECK(counter.of(layer.backward, CollectiveKind::ReduceScatter, "tp") == two);
    CHECK(Counter::all(layer.backward) == 3 * two);
    // Gains and shifts of two norms, and the two biases that are added to slices of the sequence.
    CHECK(counter.of(layer.optimizer, CollectiveKind::AllReduce, "tp") == 3 * two);
    CHECK(Counter::all(layer.optimizer) == 3 * two);
  }
}

TEST_CASE("inputs that a GPT layer keeps gathered are not gathered again", "[model]") {
  GptText d = wide();
  d.tp = 8;
  d.sp = true;
  d.more = "plan.keep_gathered = true";
  DesignText file(d.text());
  Counter counter{file.lowered("d"), file.names()};
  CHECK(counter.reGathers(counter.layer().backward) == 0);
  CHECK(counter.of(counter.layer().backward, CollectiveKind::AllGather, "tp") == 2);
}

TEST_CASE("full recompute repeats the forward collectives", "[model]") {
  for (bool sp : {false, true}) {
    GptText d = wide();
    d.tp = 8;
    d.sp = sp;
    d.recompute = "full";
    DesignText file(d.text());
    Counter counter{file.lowered("d"), file.names()};
    CHECK(Counter::all(counter.layer().recompute) == Counter::all(counter.layer().forward));
    CHECK(counter.reGathers(counter.layer().backward) == (sp ? 2 : 0));
  }
}

TEST_CASE("data parallel: one gradient reduction a parameter a step", "[model]") {
  for (int64_t degree : kDegrees) {
    GptText d = wide();
    d.dp = degree;
    DesignText file(d.text());
    Counter counter{file.lowered("d"), file.names()};
    for (uint32_t part : {kEmbedding, kLayer, kHead}) {
      const PartGraph& graph = counter.graph().parts[part];
      // The head's weight is the embedding's, which is on the same stage.
      const int64_t own = counter.parametersOf(part) - (part == kHead);
      CHECK(Counter::all(graph.forward) == 0);
      CHECK(Counter::all(graph.backward) == 0);
      CHECK(counter.of(graph.optimizer, CollectiveKind::AllReduce, "dp") == (degree > 1 ? own : 0));
      CHECK(Counter::all(graph.optimizer) == (degree > 1 ? own : 0));
    }
  }
}

TEST_CASE("ZeRO-1: a reduce-scatter and an all-gather a parameter a step", "[model]") {
  GptText d = wide();
  d.dp = 8;
  d.zero = 1;
  DesignText file(d.text());
  Counter counter{file.lowered("d"), file.names()};
  const auto& issues = counter.layer().optimizer;
  CHECK(counter.of(issues, CollectiveKind::ReduceScatter, "dp") == counter.parametersOf(kLayer));
  CHECK(counter.of(issues, CollectiveKind::AllGather, "dp") == counter.parametersOf(kLayer));
  CHECK(Counter::all(issues) == 2 * counter.parametersOf(kLayer));
}

TEST_CASE("pipeline: point to point at each border, and the tied weight's gradient", "[model]") {
  for (int64_t degree : kDegrees) {
    for (int64_t tp : {1, 4}) {
      for (bool sp : {false, true}) {
        GptText d = wide();
        d.pp = degree;
        d.tp = tp;
        d.sp = sp;
        DesignText file(d.text());
        Counter counter{file.lowered("d"), file.names()};
        const Graph& graph = counter.graph();
        // Ranks that hold the same values each send a slice, which the receivers gather.
        const bool gathers = tp > 1 && !sp;
        for (const auto* border : {&graph.boundary, &graph.boundaryBackward}) {
          if (degree == 1) {
            CHECK(border->empty());
            continue;
          }
          REQUIRE(border->size() == (gathers ? 2 : 1));
          const CollectiveNode& send = graph.collectives[border->front()];
          CHECK(send.kind == CollectiveKind::PointToPoint);
          CHECK(send.bytes == 2048.0 * 4096 * 2 / static_cast<double>(tp));
          if (gathers) CHECK(graph.collectives[border->back()].kind == CollectiveKind::AllGather);
        }
        CHECK(graph.tied.size() == (degree > 1 ? 1 : 0));
      }
    }
  }
}

TEST_CASE("one device: no collective at all", "[model]") {
  DesignText file(wide().text());
  CHECK(file.lowered("d").graph->collectives.empty());
}

TEST_CASE("Llama's layer: the same collectives, and sums for key-value heads held in copies",
          "[model]") {
  for (int64_t degree : kDegrees) {
    for (bool sp : {false, true}) {
      DesignText file(llama(degree, sp));
      Counter counter{file.lowered("d"), file.names()};
      const PartGraph& layer = counter.layer();
      const int64_t two = degree > 1 ? 2 : 0;
      CHECK(Counter::all(layer.forward) == (sp ? 2 * two : two));
      CHECK(Counter::all(layer.backward) == (sp ? 3 * two : two));
      // Eight key-value heads: more ranks hold copies of w_k and w_v, and of their gradients a part
      // each.
      const int64_t copies = degree > 8 ? 2 : 0;
      CHECK(Counter::all(layer.optimizer) == (sp ? two : 0) + copies);
    }
  }
}
