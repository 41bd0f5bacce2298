// Memory levels of kernels: bytes at each against closed forms, rules of overlap, and what no kernel may break.
#include <algorithm>
#include <cmath>

#include "tests/check/check_text.h"

namespace sysdl::test {
namespace {

/// A chip with round numbers and every level; `cache` in MiB.
std::string chipText(int cache) {
  return fmt::format(R"(
gemm_fit perfect {{
  sustained = 1
  exposed_store = 0
  overhead = 0 s
  bandwidth_share = 1
}}
chip round {{
  cores = 4
  power = 1 W
  elementwise_share = 1
  elementwise_overhead = 1 us
  engine tensor {{
    rate[fp16] = 0.01 TFLOP/s
    gemm[fp16] = perfect
  }}
  engine vector {{ rate[fp32] = 1 TFLOP/s }}
  memory hbm {{
    capacity = 80 GiB
    bandwidth = 1 TB/s
    latency = 1 us
    feeds = memory.l2
  }}
  memory l2 {{
    role = cache
    capacity = {} MiB
    bandwidth = 4 TB/s
  }}
  memory shared {{
    role = scratchpad
    capacity = 1 MiB
    bandwidth = 8 TB/s
  }}
  memory registers {{
    role = registers
    capacity = 1 MiB
    bandwidth = 32 TB/s
  }}
  memory host {{
    role = host
    capacity = 1 GiB
    bandwidth = 1 GB/s
  }}
}}
schema probe {{
  kernel: kernel
  role: MemoryRole
  derived moved: Data = sum([u.moved for u in kernel.levels if u.level.role == role] + [0 B])
  derived slowest: Time = max([u.time for u in kernel.levels])
  derived ideal: Time = kernel.ideal
  derived quantized: Time = kernel.quantized
  derived fitted: Time = kernel.time - kernel.overhead
  derived time: Time = kernel.time
}}
)",
                     cache);
}

constexpr const char* kRoles[] = {"main", "cache", "scratchpad", "registers", "host"};

std::string probes(const std::string& kernel) {
  std::string text;
  for (const char* role : kRoles)
    text += fmt::format("probe at_{0} = probe(kernel = {1}, role = {0})\n", role, kernel);
  return text;
}

TEST_CASE("a matrix product moves what tiles and caches make it move", "[levels]") {
  // 1024 x 4096 by 4096 x 512 in two bytes: 8 and 4 MiB, the result 1 MiB. 4 cores, tiles of 256 by 128.
  const double mib = 1048576;
  const double left = 8 * mib, right = 4 * mib, result = 1 * mib;
  struct Case {
    int cache;
    double main;
  };
  // 2 MiB: the weights stay, in two parts, and the left operand passes twice; to keep the activations would be four passes of
  // the right one (24 MiB), a square wave of 362 has 2 passes of the left and 3 of the right (28 MiB). 8 MiB: all once.
  for (const Case& c : {Case{2, 2 * left + right + result}, Case{8, left + right + result}}) {
    CheckText t(chipText(c.cache) +
                probes("gemm(on = round, m = 1_024, n = 512, k = 4_096, format = fp16)"));
    REQUIRE(t.faults() == "");
    CHECK(t.number("at_main", "moved") == Approx(c.main).epsilon(1e-12));
    // Four columns and four rows of tiles.
    CHECK(t.number("at_cache", "moved") == Approx(4 * left + 4 * right + result).epsilon(1e-12));
    // 16 tiles: each 4096 columns of 256 and 128 numbers in, then each read by warps of 64 by 64.
    const double perTile = 4096 * 2.0 * (256 + 128 + 256 * 128 * (1.0 / 64 + 1.0 / 64));
    CHECK(t.number("at_scratchpad", "moved") == Approx(16 * perTile).epsilon(1e-12));
    // mma.m16n8k16: 16 x 16 and 16 x 8 numbers of 2 bytes and 16 x 8 sums of 4 bytes in, the sums out, for 2048 multiply-adds.
    const double perMultiplyAdd = (256 * 2 + 128 * 2 + 2 * 128 * 4) / 2048.0;
    CHECK(t.number("at_registers", "moved") ==
          Approx(1024.0 * 512 * 4096 * perMultiplyAdd).epsilon(1e-12));
    CHECK(t.number("at_host", "moved") == 0);
  }
}

TEST_CASE("a product without a cache before its memory moves each operand once", "[levels]") {
  std::string chip = chipText(2);
  chip.erase(chip.find("    feeds = memory.l2\n"),
             std::string_view("    feeds = memory.l2\n").size());
  CheckText t(chip + probes("gemm(on = round, m = 1_024, n = 512, k = 4_096, format = fp16)"));
  REQUIRE(t.faults() == "");
  CHECK(t.number("at_main", "moved") == Approx(13 * 1048576.0).epsilon(1e-12));
}

TEST_CASE("an element-wise kernel moves the same through every level", "[levels]") {
  CheckText t(chipText(2) + probes("elementwise(on = round, extra = 1 GB)"));
  REQUIRE(t.faults() == "");
  for (const char* role : {"main", "cache", "scratchpad", "registers"}) {
    CHECK(t.number(fmt::format("at_{}", role), "moved") == Approx(1e9));
  }
  // 1 us to start; the memory's latency and 1 GB at 1 TB/s.
  CHECK(t.number("at_main", "time") == Approx(1e-6 + 1e-6 + 1e-3));
}

TEST_CASE("times of engine and levels join by the declared rule", "[levels]") {
  const char* rules[] = {"max", "sum", "pipelined", "rounded"};
  std::string text = "schema joint {\n  time: Time\n}\n";
  for (const char* rule : rules) {
    text += fmt::format("joint {0}_3 = joint {{ time = joined({0}, [2 s, 5 s, 1 s], 3) }}\n", rule);
    text += fmt::format("joint {0}_1 = joint {{ time = joined({0}, [2 s, 5 s, 1 s], 1) }}\n", rule);
  }
  CheckText t(text);
  REQUIRE(t.faults() == "");
  CHECK(t.number("max_3", "time") == Approx(5));
  CHECK(t.number("sum_3", "time") == Approx(8));
  // Three pieces of 2/3, 5/3, 1/3 s: the first passes all, two more follow at the pace of the longest.
  CHECK(t.number("pipelined_3", "time") == Approx((2 + 5 + 1) / 3.0 + 2 * 5 / 3.0));
  CHECK(t.number("pipelined_1", "time") == Approx(8));
  CHECK(t.number("rounded_3", "time") == Approx(std::cbrt(8 + 125 + 1)));
}

struct Shape {
  int m, n, k;
};
constexpr Shape kShapes[] = {{64, 64, 64},    {1, 4096, 4096},    {300, 500, 700},
                             {256, 128, 64},  {4096, 4096, 1024}, {8192, 128, 8192},
                             {2048, 257, 33}, {1024, 16384, 4096}};

TEST_CASE("no kernel is faster than a level or than its roofline", "[levels]") {
  std::string text = "import std.chips.nvidia\nimport std.chips.amd\n" + chipText(2);
  std::vector<std::string> names;
  for (const char* chip : {"round", "nvidia.A100_SXM_80GB", "nvidia.H100_SXM_80GB", "amd.MI300X"}) {
    for (const Shape& s : kShapes) {
      names.push_back(fmt::format("p{}", names.size()));
      text +=
          fmt::format("probe {} = probe(kernel = gemm(on = {}, m = {}, n = {}, k = {}, format = "
                      "fp16), role = main)\n",
                      names.back(), chip, s.m, s.n, s.k);
    }
  }
  CheckText t(text);
  REQUIRE(t.faults() == "");
  for (const std::string& name : names) {
    INFO(name);
    const double time = t.number(name, "time");
    CHECK(time >= t.number(name, "slowest") * (1 - 1e-12));
    CHECK(t.number(name, "ideal") <= t.number(name, "quantized") * (1 + 1e-12));
    CHECK(t.number(name, "quantized") <= time * (1 + 1e-12));
  }
}

TEST_CASE("a faster level never makes a kernel slower, a slow one binds it", "[levels]") {
  const char* levels[] = {"hbm", "l2", "shared", "registers"};
  std::string text = chipText(2);
  const char* shares[] = {"1e-6", "0.1", "1", "10"};
  for (size_t l = 0; l < std::size(levels); ++l) {
    for (size_t f = 0; f < std::size(shares); ++f) {
      text +=
          fmt::format("chip c{0}{1} = round {{ memory.{2}.bandwidth = base.memory.{2}.bandwidth "
                      "* {3} }}\n",
                      l, f, levels[l], shares[f]);
      for (size_t s = 0; s < std::size(kShapes); ++s) {
        text += fmt::format("probe p{0}_{1}_{2} = probe(kernel = gemm(on = c{0}{1}, m = {3}, n = "
                            "{4}, k = {5}, format "
                            "= fp16), role = main)\n",
                            l, f, s, kShapes[s].m, kShapes[s].n, kShapes[s].k);
      }
    }
  }
  CheckText t(text);
  REQUIRE(t.faults() == "");
  for (size_t l = 0; l < std::size(levels); ++l) {
    for (size_t s = 0; s < std::size(kShapes); ++s) {
      INFO(levels[l] << " " << s);
      double before = 1e9;
      for (size_t f = 0; f < std::size(shares); ++f) {
        const double time = t.number(fmt::format("p{}_{}_{}", l, f, s), "time");
        CHECK(time <= before * (1 + 1e-12));
        before = time;
      }
      CHECK(t.number(fmt::format("p{}_0_{}", l, s), "time") > before);
    }
  }
}

}  // namespace
}  // namespace sysdl::test
