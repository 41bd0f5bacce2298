// Collectives: constants of a level are found again from tables and from the output of nccl-tests.
#include <cmath>

#include "tests/calibrate/calibrate_text.h"

namespace sysdl::test {
namespace {

constexpr const char* kHeading = "#       size         count      type   redop    root     time   "
                                 "algbw   busbw #wrong     time   "
                                 "algbw   busbw #wrong\n";

/// A ring over 300 GB/s each way at an efficiency of 0.7: Thakur et al. 2005, with what chunks add.
double ring(double bytes, int ranks, int sweeps) {
  double transfer = sweeps * (ranks - 1) * bytes / ranks / (300e9 * 0.7);
  return 6e-6 + sweeps * (ranks - 1) * 1.5e-6 + transfer + std::sqrt(20e-6 * transfer);
}

std::string logOf(int ranks, int hosts, const std::string& more = {}) {
  std::string text = "# Collective test starting: all_reduce_perf\n";
  for (int rank = 0; rank < ranks; ++rank) {
    text +=
        fmt::format("#  Rank {:2} Group  0 Pid  {} on   node{} device {:2} [0x07] NVIDIA A100\n",
                    rank, 100 + rank, rank * hosts / ranks, rank * hosts % ranks);
  }
  text += std::string("#\n") + kHeading + more;
  for (double bytes = 65536; bytes < 2e9; bytes *= 2) {
    double us = ring(bytes, ranks, 2) * 1e6;
    text += fmt::format("{:12.0f} {:12.0f} float sum -1 {:.3f} 1.0 1.0 0 {:.3f} 1.0 1.0 N/A\n",
                        bytes, bytes / 4, us, 1.1 * us);
  }
  return text + "# Out of bounds values : 0 OK\n";
}

std::string table() {
  std::string text = "op,gpus,size_bytes,latency_us\n";
  for (int ranks : {2, 4, 8}) {
    for (double bytes = 4096; bytes < 4e9; bytes *= 2) {
      text +=
          fmt::format("all_reduce,{},{:.0f},{:.4f}\n", ranks, bytes, 1e6 * ring(bytes, ranks, 2));
      text +=
          fmt::format("AllGather,{},{:.0f},{:.4f}\n", ranks, bytes, 1e6 * ring(bytes, ranks, 1));
    }
  }
  return text;
}

}  // namespace

TEST_CASE("constants of a level are found again from rings of several sizes") {
  CalibrateText calibration(table(), collectiveOptions());
  CHECK(calibration.faults().empty());
  CHECK(std::abs(calibration.fit().heldBack.worst) < 0.01);
  CHECK(calibration.constant(0, "efficiency") == Approx(0.7).epsilon(0.005));
  CHECK(calibration.constant(0, "latency") == Approx(1.5e-6).epsilon(0.01));
  CHECK(calibration.constant(0, "startup") == Approx(6e-6).epsilon(0.02));
  CHECK(calibration.constant(0, "ramp") == Approx(20e-6).epsilon(0.02));
  CHECK(checked(calibrate::textOf(*calibration.result)).empty());
}

TEST_CASE("one number of ranks does not tell latency from startup, which stays") {
  Options options = collectiveOptions();
  options.fitShare = "0.4";
  CalibrateText calibration(logOf(8, 1), options);
  CHECK(calibration.result->groups[0].group == "node");
  CHECK(std::abs(calibration.fit().heldBack.worst) < 0.01);
  CHECK(calibration.constant(0, "efficiency") == Approx(0.7).epsilon(0.005));
  // The network's 9.8 us and 14 steps make the same as 6 us and 14 x 1.5 us.
  CHECK(calibration.constant(0, "startup") == Approx(9.8e-6));
  CHECK(calibration.constant(0, "latency") ==
        Approx((6e-6 + 14 * 1.5e-6 - 9.8e-6) / 14).epsilon(0.01));
  CHECK(calibrate::textOf(*calibration.result).find("these rows do not determine it") !=
        std::string::npos);
}

TEST_CASE("one rank a node calibrates the level between nodes") {
  Options options = collectiveOptions();
  options.fitShare = "0.4";
  CalibrateText calibration(logOf(4, 4), options);
  INFO(calibration.faults());
  REQUIRE(calibration.result);
  CHECK(calibration.result->groups[0].group == "rail");
}

TEST_CASE("every fault of a log is said, with its line") {
  std::string faulty = "0 0 float sum -1 5.0 0.0 0.0 0 5.0 0.0 0.0 0\n"
                       "8192 2048 float sum -1 zzz 0.0 0.0 0 5.0 0.0 0.0 0\n"
                       "8192 2048 float sum -1 5.0 0.0 0.0 3 5.0 0.0 0.0 0\n"
                       "node1:35:35 [0] NCCL INFO Connected all rings\n"
                       "mpirun: killed\n"
                       "8192\n";
  CalibrateText calibration(logOf(2, 1, faulty), collectiveOptions());
  CHECK_FALSE(calibration.result);
  CHECK(calibration.faults() == "6 the size `0` must be a whole number above 0\n"
                                "7 the time `zzz` must be a number above 0\n"
                                "8 nccl-tests found wrong results here\n"
                                "10 this is neither a comment nor a row of nccl-tests\n"
                                "11 this row has 1 columns, too few for its heading\n");
}

TEST_CASE("a log that does not say what ran needs to be told") {
  std::string log = std::string(kHeading) + "8192 2048 float sum -1 5.0 0.0 0.0 0 5.0 0.0 0.0 0\n";
  CHECK(CalibrateText(log, collectiveOptions()).faults() ==
        "2 the log does not say how many ranks took part\n"
        "2 the log does not say which collective this is\n");
  CHECK(CalibrateText(kHeading, collectiveOptions()).faults() ==
        "1 there are no measurements in it\n");
}

TEST_CASE("ranks that the network cannot hold are refused, and levels calibrated one by one") {
  auto faultsOf = [](const std::string& rows, const std::string& level = {}) {
    Options options = collectiveOptions();
    options.level = level;
    return CalibrateText("op,gpus,size_bytes,latency_us\n" + rows, options).faults();
  };
  CHECK(faultsOf("all_reduce,12,1024,9\n") ==
        "2 12 ranks do not fill groups of 8 on the level `node` of `DGX_A100`\n");
  CHECK(faultsOf("all_reduce,8000000,1024,9\n") ==
        "2 1000000 ranks do not fill groups of 560 on the level `rail` of `DGX_A100`\n");
  CHECK(faultsOf("all_reduce,8,1024,9\nall_reduce,16,1024,9\n") ==
        "2 these 8 ranks reach up to the level `node`, and `rail` is calibrated\n");
  CHECK(faultsOf("all_reduce,8,1024,9\n", "spine") == "2 `DGX_A100` has no level `spine`\n");
  CHECK(faultsOf("broadcast,8,1024,9\n") ==
        "2 `broadcast` is not a collective that can be calibrated\n");
  CHECK(faultsOf("all_reduce,1,1024,9\n") == "2 one rank alone exchanges nothing\n");
}

}  // namespace sysdl::test
