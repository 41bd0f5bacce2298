// The text form of a whole graph.
#include "frontend/lower/dump.h"

#include <catch2/catch.hpp>

#include "tests/unit/part_builder.h"

using namespace sysdl;
using namespace sysdl::test;

TEST_CASE("a graph as text", "[lower]") {
  GptPlan plan;
  plan.tp = 4;
  plan.dp = 4;
  plan.pp = 2;
  plan.sp = true;
  plan.zero = 1;
  plan.recompute = Recompute::Full;
  Design design({}, plan);
  design.model.parts.clear();
  PartBuilder b(design, "ffn", 6);
  TensorId x = b.input("x", {"batch", "seq", "hidden"});
  TensorId h = b.norm("norm", x);
  TensorId f = b.contract("f", h, {"hidden"}, {"ffn"}, "w_1");
  TensorId z = b.contract("z", f, {"ffn"}, {"hidden"}, "w_2");
  b.output(b.add("out", x, z));
  b.finish();
  Graph graph = design.graph();
  // clang-format off
  const std::string_view expected = R"(devices 32, data ranks 4
stages 0 to 1: [3 ffn]
part ffn x 6
  forward
    all_gather norm over tp, 4 ranks (4 node), 16384 B: Sharded(seq over tp) -> Replicated
    kernel w_1 batch=1 seq=64 hidden=128 ffn=128
    kernel w_2 batch=1 seq=64 ffn=128 hidden=128
    reduce_scatter z over tp, 4 ranks (4 node), 16384 B: Partial(tp) -> Sharded(seq over tp)
  recompute
    all_gather norm over tp, 4 ranks (4 node), 16384 B: Sharded(seq over tp) -> Replicated
    kernel w_1 batch=1 seq=64 hidden=128 ffn=128
    kernel w_2 batch=1 seq=64 ffn=128 hidden=128
    reduce_scatter z over tp, 4 ranks (4 node), 16384 B: Partial(tp) -> Sharded(seq over tp)
  backward
    all_gather z over tp, 4 ranks (4 node), 16384 B: Sharded(seq over tp) -> Replicated, gradient
    kernel w_2 batch=1 seq=64 ffn=128 hidden=128
    kernel w_2 batch=1 seq=64 ffn=128 hidden=128
    all_gather norm over tp, 4 ranks (4 node), 16384 B: Sharded(seq over tp) -> Replicated, re-gather, overlappable
    kernel w_1 batch=1 seq=64 hidden=128 ffn=128
    kernel w_1 batch=1 seq=64 hidden=128 ffn=128
    reduce_scatter norm over tp, 4 ranks (4 node), 16384 B: Partial(tp) -> Sharded(seq over tp), gradient
  optimizer
    all_reduce norm.gain over tp, 4 ranks (4 node), 512 B: Partial(tp) -> Replicated, gradient, bucket 1
    reduce_scatter norm.gain over dp, 4 ranks (2 node * 2 cluster), 512 B: Partial(dp) -> Stored(dp), gradient, bucket 2
    all_gather norm.gain over dp, 4 ranks (2 node * 2 cluster), 256 B: Stored(dp) -> Replicated, updated weights, bucket 3
    all_reduce norm.shift over tp, 4 ranks (4 node), 512 B: Partial(tp) -> Replicated, gradient, bucket 1
    reduce_scatter norm.shift over dp, 4 ranks (2 node * 2 cluster), 512 B: Partial(dp) -> Stored(dp), gradient, bucket 2
    all_gather norm.shift over dp, 4 ranks (2 node * 2 cluster), 256 B: Stored(dp) -> Replicated, updated weights, bucket 3
    reduce_scatter w_1 over dp, 4 ranks (2 node * 2 cluster), 65536 B: Partial(dp) -> Stored(dp), gradient, bucket 2
    all_gather w_1 over dp, 4 ranks (2 node * 2 cluster), 32768 B: Stored(dp) -> Replicated, updated weights, bucket 3
    reduce_scatter w_2 over dp, 4 ranks (2 node * 2 cluster), 65536 B: Partial(dp) -> Stored(dp), gradient, bucket 2
    all_gather w_2 over dp, 4 ranks (2 node * 2 cluster), 32768 B: Stored(dp) -> Replicated, updated weights, bucket 3
  memory
    kept 4096 B, transient 20480 B
    parameters 33024 of 131328, stepped 8256
    weights 66048 B, gradients 132096 B, optimizer 99072 B
border
    point_to_point out over pp, 2 ranks (2 cluster), 4096 B: stage -> next stage
border backward
    point_to_point out over pp, 2 ranks (2 cluster), 4096 B: gradient, stage -> stage before
)";
  // clang-format on
  CHECK(dump(graph, design.model, design.plan, design.machine, design.names) == expected);
}
