// Networks against their data sheets: devices that a level joins, and what one device sends each way, typed in from what
// the vendors print.
#include <catch2/catch.hpp>

#include "tests/check/check_text.h"

namespace sysdl::test {
namespace {

struct Sheet {
  const char *module, *network, *level;
  int size;
  double gigabytesPerSecond;  // one device, one direction; 100 Gbit/s are 12.5
};

constexpr Sheet kSheets[] = {
    {"dgx", "DGX1_V100", "node", 8, 150},          // 6 links of 25 GB/s
    {"dgx", "DGX1_V100", "rail", 660, 6.25},       // 4 x 100 Gbit/s for 8 GPUs
    {"dgx", "DGX2_V100", "node", 16, 150},         //
    {"dgx", "DGX2_V100", "rail", 96, 6.25},        // 8 x 100 Gbit/s for 16 GPUs
    {"dgx", "DGX_A100", "node", 8, 300},           // 600 GB/s both ways
    {"dgx", "DGX_A100", "rail", 560, 25},          // 8 x 200 Gbit/s
    {"dgx", "DGX_H100", "node", 8, 450},           // 900 GB/s both ways
    {"dgx", "DGX_H100", "rail", 1024, 50},         // 8 x 400 Gbit/s
    {"dgx", "DGX_H200", "node", 8, 450},           //
    {"dgx", "DGX_H200", "rail", 1024, 50},         //
    {"dgx", "DGX_B200", "node", 8, 900},           // 1,800 GB/s both ways
    {"dgx", "DGX_B200", "rail", 1024, 50},         //
    {"dgx", "DGX_B300", "node", 8, 900},           //
    {"dgx", "DGX_B300", "rail", 1024, 100},        // 8 x 800 Gbit/s
    {"nvl72", "GB200_NVL72", "rack", 72, 900},     //
    {"nvl72", "GB200_NVL72", "rail", 8, 50},       //
    {"nvl72", "GB300_NVL72", "rack", 72, 900},     //
    {"nvl72", "GB300_NVL72", "rail", 8, 100},      //
    {"pcie", "L40S_PAIR", "node", 2, 32},          //
    {"pcie", "L40S_FOUR", "node", 4, 32},          //
    {"pcie", "L40S_EIGHT", "node", 8, 32},         //
    {"pcie", "PCIE4", "node", 8, 31.5},            // 16 lanes of 16 GT/s, 128 of 130 bits
    {"pcie", "PCIE5", "node", 8, 63},              //
    {"amd", "MI300X_NODES", "node", 8, 448},       // 7 links of 64 GB/s
    {"amd", "MI300X_NODES", "rail", 128, 50},      //
    {"amd", "MI355X_NODES", "node", 8, 535.5},     // 7 links of 76.5 GB/s
    {"intel", "GAUDI2_NODES", "node", 8, 262.5},   // 21 x 100 Gbit/s
    {"intel", "GAUDI2_NODES", "rail", 128, 37.5},  // 3 x 100 Gbit/s
    {"intel", "GAUDI3_NODES", "node", 8, 525},     // 21 x 200 Gbit/s
    {"intel", "GAUDI3_NODES", "rail", 128, 75},    // 3 x 200 Gbit/s
    {"aws", "P4D", "efa", 128, 6.25},              // 400 Gbit/s for 8 GPUs
    {"aws", "P5", "efa", 128, 50},                 // 3,200 Gbit/s for 8 GPUs
    {"aws", "P5EN", "efa", 128, 50},               //
    {"aws", "P6_B200", "efa", 128, 50},            //
};

TEST_CASE("networks have the sizes and bandwidths of their data sheets") {
  std::string text = "schema sheet {\n  size: Int\n  each_way: Bandwidth\n}\n";
  for (const char* module : {"amd", "aws", "dgx", "intel", "nvl72", "pcie"}) {
    text += fmt::format("import std.networks.{}\n", module);
  }
  for (size_t i = 0; i < std::size(kSheets); ++i) {
    const Sheet& s = kSheets[i];
    text += fmt::format("sheet S{0} = sheet {{\n  size = {1}.{2}.level.{3}.shape.size\n  each_way "
                        "= {1}.{2}.level.{3}.each_way\n}}\n",
                        i, s.module, s.network, s.level);
  }
  CheckText t(text);
  REQUIRE(t.faults() == "");
  for (size_t i = 0; i < std::size(kSheets); ++i) {
    const Sheet& s = kSheets[i];
    INFO(s.network << " " << s.level);
    CHECK(t.number(fmt::format("S{}", i), "size") == s.size);
    CHECK(t.number(fmt::format("S{}", i), "each_way") ==
          Approx(s.gigabytesPerSecond * 1e9).epsilon(1e-9));
  }
}

}  // namespace
}  // namespace sysdl::test
