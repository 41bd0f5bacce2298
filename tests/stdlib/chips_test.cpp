// Chips against their data sheets: peaks, memory, power and cores typed in from what the vendors print, and the sizes of
// number formats.
#include <catch2/catch.hpp>

#include "tests/check/check_text.h"

namespace sysdl::test {
namespace {

struct Sheet {
  const char *module, *chip, *format;
  double tera;  // dense TFLOP/s in that format
  double gib, gigabytesPerSecond, watts;
  int cores;
};

// One line a chip and format. Sparse rates of the sheets are halved.
constexpr Sheet kSheets[] = {
    {"nvidia_volta", "V100_SXM_16GB", "fp16", 125, 16, 900, 300, 80},
    {"nvidia_volta", "V100_SXM_32GB", "fp16", 125, 32, 900, 300, 80},
    {"nvidia", "A100_SXM_40GB", "bf16", 312, 40, 1555, 400, 108},
    {"nvidia", "A100_SXM_40GB", "int8", 624, 40, 1555, 400, 108},
    {"nvidia", "A100_SXM_80GB", "bf16", 312, 80, 2039, 400, 108},
    {"nvidia", "A100_SXM_80GB", "tf32", 156, 80, 2039, 400, 108},
    {"nvidia", "A100_PCIE_80GB", "bf16", 312, 80, 1935, 300, 108},
    {"nvidia", "H100_SXM_80GB", "bf16", 989.4, 80, 3350, 700, 132},
    {"nvidia", "H100_SXM_80GB", "fp8", 1978.9, 80, 3350, 700, 132},
    {"nvidia", "H100_SXM_80GB", "fp64", 66.9, 80, 3350, 700, 132},
    {"nvidia", "H100_PCIE_80GB", "bf16", 756.5, 80, 2000, 350, 114},
    {"nvidia", "H100_PCIE_80GB", "fp8", 1513, 80, 2000, 350, 114},
    {"nvidia", "H100_NVL_94GB", "bf16", 835.5, 94, 3938, 400, 132},
    {"nvidia", "H200_SXM", "bf16", 989.4, 141, 4800, 700, 132},
    {"nvidia", "H200_SXM", "fp8", 1978.9, 141, 4800, 700, 132},
    {"nvidia_blackwell", "B200", "bf16", 2250, 180, 7700, 1000, 148},
    {"nvidia_blackwell", "B200", "fp8", 4500, 180, 7700, 1000, 148},
    {"nvidia_blackwell", "B200", "nvfp4", 9000, 180, 7700, 1000, 148},
    {"nvidia_blackwell", "GB200", "bf16", 2500, 186, 8000, 1200, 152},
    {"nvidia_blackwell", "GB200", "fp8", 5000, 186, 8000, 1200, 152},
    {"nvidia_blackwell", "GB200", "nvfp4", 10000, 186, 8000, 1200, 152},
    {"nvidia_blackwell", "B300", "bf16", 2250, 270, 8000, 1100, 148},
    {"nvidia_blackwell", "B300", "nvfp4", 14000, 270, 8000, 1100, 148},
    {"nvidia_blackwell", "GB300", "bf16", 2500, 279, 8000, 1400, 152},
    {"nvidia_blackwell", "GB300", "nvfp4", 15000, 279, 8000, 1400, 152},
    {"nvidia_blackwell", "GB300", "int8", 165, 279, 8000, 1400, 152},
    {"nvidia_rtx", "L40S", "bf16", 362.05, 48, 864, 350, 142},
    {"nvidia_rtx", "L40S", "fp8", 733, 48, 864, 350, 142},
    {"nvidia_rtx", "RTX_4090", "bf16", 165.2, 24, 1008, 450, 128},
    {"nvidia_rtx", "RTX_4090", "fp8", 330.3, 24, 1008, 450, 128},
    {"nvidia_rtx", "RTX_3090", "bf16", 71, 24, 936, 350, 82},
    {"nvidia_rtx", "RTX_A6000", "bf16", 154.8, 48, 768, 300, 84},
    {"amd", "MI250X_GCD", "bf16", 191.5, 64, 1638.4, 280, 110},
    {"amd", "MI300X", "bf16", 1307.4, 192, 5300, 750, 304},
    {"amd", "MI300X", "fp8", 2614.9, 192, 5300, 750, 304},
    {"amd", "MI325X", "bf16", 1307.4, 256, 6000, 1000, 304},
    {"amd", "MI355X", "bf16", 2516.6, 288, 8000, 1400, 256},
    {"amd", "MI355X", "fp8", 5033.2, 288, 8000, 1400, 256},
    {"amd", "MI355X", "mxfp4", 10066.3, 288, 8000, 1400, 256},
    {"google", "TPU_v4", "bf16", 275, 32, 1200, 192, 2},
    {"google", "TPU_v5e", "bf16", 197, 16, 819, 200, 1},
    {"google", "TPU_v5e", "int8", 393, 16, 819, 200, 1},
    {"google", "TPU_v5p", "bf16", 459, 95, 2765, 450, 2},
    {"google", "TPU_v6e", "bf16", 918, 32, 1638, 300, 1},
    {"google", "TPU_v6e", "int8", 1836, 32, 1638, 300, 1},
    {"intel", "Gaudi2", "bf16", 432, 96, 2450, 600, 2},
    {"intel", "Gaudi2", "fp8", 865, 96, 2450, 600, 2},
    {"intel", "Gaudi3", "bf16", 1835, 128, 3700, 900, 8},
    {"amazon", "Trainium2", "bf16", 667, 96, 2900, 500, 8},
    {"amazon", "Trainium2", "fp8", 1299, 96, 2900, 500, 8},
};

constexpr const char* kModules[] = {
    "nvidia", "nvidia_volta", "nvidia_blackwell", "nvidia_rtx", "amd", "google", "intel", "amazon"};

struct Size {
  const char* format;
  double bytes;
};

// OCP Microscaling Formats 1.0: a scale byte for 32 elements. NVFP4: one for 16. DeepSeek-V3: four bytes for 128 x 128.
constexpr Size kSizes[] = {
    {"fp64", 8},        {"fp32", 4},        {"tf32", 4},
    {"bf16", 2},        {"fp16", 2},        {"fp8", 1},
    {"int8", 1},        {"int4", .5},       {"fp8_block", 1.000244140625},
    {"mxfp8", 1.03125}, {"mxfp6", 0.78125}, {"mxfp4", 0.53125},
    {"nvfp4", 0.5625},
};

TEST_CASE("chips have the peaks, memory, power and cores of their data sheets") {
  std::string text;
  for (const char* module : kModules) text += fmt::format("import std.chips.{}\n", module);
  text += "schema sheet {\n  rate: WorkRate\n  capacity: Data\n  bandwidth: Bandwidth\n  power: "
          "Power\n  cores: Int\n}\n";
  for (size_t i = 0; i < std::size(kSheets); ++i) {
    const Sheet& s = kSheets[i];
    text += fmt::format("sheet S{0} = sheet {{\n  rate = {1}.{2}.engine.tensor.rate[{3}]\n  "
                        "capacity = {1}.{2}.memory.hbm.capacity\n"
                        "  bandwidth = {1}.{2}.memory.hbm.bandwidth\n  power = {1}.{2}.power\n  "
                        "cores = {1}.{2}.cores\n}}\n",
                        i, s.module, s.chip, s.format);
  }
  CheckText t(text);
  REQUIRE(t.faults() == "");
  for (size_t i = 0; i < std::size(kSheets); ++i) {
    const Sheet& s = kSheets[i];
    INFO(s.chip << " " << s.format);
    std::string name = fmt::format("S{}", i);
    CHECK(t.number(name, "rate") == Approx(s.tera * 1e12).epsilon(1e-9));
    CHECK(t.number(name, "capacity") == Approx(s.gib * 1073741824).epsilon(1e-9));
    CHECK(t.number(name, "bandwidth") == Approx(s.gigabytesPerSecond * 1e9).epsilon(1e-9));
    CHECK(t.number(name, "power") == Approx(s.watts).epsilon(1e-9));
    CHECK(t.number(name, "cores") == s.cores);
  }
}

TEST_CASE("number formats have their sizes, scales included") {
  std::string text = "schema size {\n  bytes: Data\n}\n";
  for (const Size& s : kSizes)
    text += fmt::format("size S_{0} = size {{ bytes = size_of({0}) }}\n", s.format);
  CheckText t(text);
  REQUIRE(t.faults() == "");
  for (const Size& s : kSizes) {
    INFO(s.format);
    CHECK(t.number(fmt::format("S_{}", s.format), "bytes") == Approx(s.bytes).epsilon(1e-12));
  }
}

}  // namespace
}  // namespace sysdl::test
