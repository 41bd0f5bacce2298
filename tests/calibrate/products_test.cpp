// Products: constants are found again, real measurements are met, and each fault of a table is said.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/calibrate/calibrate_text.h"
#include "tests/check/check_text.h"

namespace sysdl::test {
namespace {

/// Times of products on a chip as the language evaluates them, without any symbolic input.
std::string timesOf(const std::string& chip, const std::string& format,
                    const std::vector<std::array<int, 3>>& sizes) {
  CheckText file(chip + "schema choice { format: Format }\nchoice chosen = choice { format = " +
                 format + " }\n" + "gemm product = gemm {}\n");
  check::Checker& c = file.checker;
  auto whole = [&](int size) { return c.integerValue(size, {}); };
  check::Value on, word = c.get(file.record("chosen"), "format");
  on.kind = check::ValueKind::Record;
  on.record = file.record("Known");
  std::string table = "m,n,k,format,time_us\n";
  for (size_t i = 0; i < sizes.size(); ++i) {
    auto [m, n, k] = sizes[i];
    check::Record* product = c.amendFixed(file.record("product"), {{c.name("on"), on},
                                                                   {c.name("format"), word},
                                                                   {c.name("m"), whole(m)},
                                                                   {c.name("n"), whole(n)},
                                                                   {c.name("k"), whole(k)}});
    auto seconds = c.real(c.get(product, "time"), {});
    INFO(file.faults());
    REQUIRE(seconds);
    table += fmt::format("{},{},{},{},{}\n", m, n, k, format, *seconds * 1e6);
  }
  return table;
}

std::vector<std::array<int, 3>> manySizes() {
  std::vector<std::array<int, 3>> sizes;
  for (int m : {1, 16, 128, 700, 2048, 8192}) {
    for (int n : {512, 4096, 10240}) {
      for (int k : {512, 3000, 16384}) sizes.push_back({m, n, k});
    }
  }
  return sizes;
}

std::string known(const std::string& constants) {
  return "import std.chips.nvidia\ngemm_fit known {\n  source \"of this test\" as assumed\n" +
         constants +
         "}\nchip Known = nvidia.H100_SXM_80GB {\n  sustained_clock = 1\n"
         "  engine.tensor.gemm[bf16] = known\n  engine.tensor.gemm[fp8] = known\n}\n";
}

std::string twenty(const std::string& rows) {
  std::string text = "m,n,k,dtype,time_us\n" + rows;
  for (int i = 1; i <= 20; ++i) text += fmt::format("{},4096,4096,bf16,{}\n", 64 * i, 20 + 3 * i);
  return text;
}

}  // namespace

TEST_CASE("constants are found again from times that the library's formula gives") {
  std::string table =
      timesOf(known("  sustained = 0.62\n  exposed_store = 0.45\n  overhead = 7.5 us\n"
                    "  bandwidth_share = 0.71\n"),
              "bf16", manySizes());
  CalibrateText calibration(table, productOptions());
  CHECK(calibration.faults().empty());
  const calibrate::Fit& fit = calibration.fit();
  CHECK(fit.rows == 54);
  CHECK(fit.fittedOn == 11);
  CHECK(fit.heldBack.rows == 43);
  CHECK(std::abs(fit.heldBack.worst) < 0.01);
  CHECK(calibration.constant(0, "sustained") == Approx(0.62).epsilon(0.005));
  CHECK(calibration.constant(0, "exposed_store") == Approx(0.45).epsilon(0.02));
  CHECK(calibration.constant(0, "overhead") == Approx(7.5e-6).epsilon(0.005));
  CHECK(calibration.constant(0, "bandwidth_share") == Approx(0.71).epsilon(0.005));
}

TEST_CASE("what quantizes an operand is found again where the chip has it") {
  std::string table = timesOf(known("  sustained = 0.7\n  exposed_store = 0.3\n  overhead = 10 us\n"
                                    "  bandwidth_share = 0.8\n  quantize = 5 B\n"),
                              "fp8", manySizes());
  CalibrateText calibration(table, productOptions());
  CHECK(std::abs(calibration.fit().heldBack.worst) < 0.01);
  CHECK(calibration.constant(0, "quantize") == Approx(5).epsilon(0.02));
}

TEST_CASE("what the rows do not determine stays as it was, and is marked") {
  // A single row of m = 1 is bound by memory alone.
  std::vector<std::array<int, 3>> sizes;
  for (int n = 2048; n <= 2048 * 40; n += 2048) sizes.push_back({1, n, 16384});
  std::string table =
      timesOf(known("  sustained = 0.62\n  exposed_store = 0.45\n  overhead = 7.5 us\n"
                    "  bandwidth_share = 0.71\n"),
              "bf16", sizes);
  CalibrateText calibration(table, productOptions());
  CHECK(std::abs(calibration.fit().heldBack.worst) < 0.01);
  CHECK(calibration.fit().constants[1].kept == calibrate::Kept::AsBefore);
  std::string text = calibrate::textOf(*calibration.result);
  CHECK(text.find("exposed_store = 0.3172 source \"as H100_SXM_80GB: these rows do not determine "
                  "it\" as assumed") != std::string::npos);
  CHECK(checked(text).empty());
}

TEST_CASE("a calibration does not depend on the order of rows") {
  std::string table =
      timesOf(known("  sustained = 0.62\n  exposed_store = 0.45\n  overhead = 7.5 us\n"
                    "  bandwidth_share = 0.71\n"),
              "bf16", manySizes());
  std::vector<std::string> lines;
  for (size_t at = 0; at < table.size(); at = table.find('\n', at) + 1)
    lines.push_back(table.substr(at, table.find('\n', at) - at));
  std::string reversed = lines.front() + "\n";
  for (size_t i = lines.size() - 1; i > 0; --i) reversed += lines[i] + "\n";
  CalibrateText forward(table, productOptions()), backward(reversed, productOptions());
  for (size_t i = 0; i < 4; ++i)
    CHECK(forward.fit().constants[i].value == backward.fit().constants[i].value);
}

TEST_CASE("real products of H100 are met within a tenth on rows held back") {
  const std::filesystem::path path = SYSDL_SOURCE_DIR "/../shared/measurements/kern_aic_gemm.csv";
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    WARN("skipped: there is no ../shared/measurements/kern_aic_gemm.csv");
    return;
  }
  const std::string table{std::istreambuf_iterator<char>(in), {}};
  Options options = productOptions();
  options.where = {"hardware=H100-SXM5-80GB", "dtype=bfloat16"};
  CalibrateText calibration(table, options);
  CHECK(calibration.fit().rows == 235);
  CHECK(calibration.fit().heldBack.median <= 0.1);
  CHECK(calibration.fit().heldBack.p90 <= 0.2);
  CHECK(checked(calibrate::textOf(*calibration.result)).empty());
}

TEST_CASE("the example meets its rows") {
  std::ifstream in(SYSDL_SOURCE_DIR "/examples/calibrate/h100_gemm.csv", std::ios::binary);
  const std::string table{std::istreambuf_iterator<char>(in), {}};
  CalibrateText calibration(table, productOptions());
  CHECK(calibration.fit().heldBack.median <= 0.1);
  CHECK(checked(calibrate::textOf(*calibration.result)).empty());
}

TEST_CASE("every fault of a table of products is said, with its line") {
  CalibrateText calibration(twenty("x,16,16,bf16,1\n"
                                   "16,0,16,bf16,1\n"
                                   "16,16,-4,bf16,1\n"
                                   "16,16,2.5,bf16,1\n"
                                   "16,16,16,bf17,1\n"
                                   "16,16,16,,1\n"
                                   "16,16,16,bf16,0\n"
                                   "16,16,16,bf16,nan\n"
                                   "16,16,16,bf16,inf\n"
                                   "16,16,16,bf16,\n"
                                   "16,16,16,bf16\n"
                                   "16,16,16,bf16,\"1\n"
                                   "1e400,16,16,bf16,1e-400\n"),
                            productOptions());
  CHECK_FALSE(calibration.result);
  CHECK(calibration.faults() ==
        "2 `m` is `x`, and must be a whole number above 0\n"
        "3 `n` is `0`, and must be a whole number above 0\n"
        "4 `k` is `-4`, and must be a whole number above 0\n"
        "5 `k` is `2.5`, and must be a whole number above 0\n"
        "6 `bf17` is not a number format\n"
        "7 the format is missing\n"
        "8 the time `time_us` is `0`, and must be a number above 0\n"
        "9 the time `time_us` is `nan`, and must be a number above 0\n"
        "10 the time `time_us` is `inf`, and must be a number above 0\n"
        "11 the time `time_us` is empty, and must be a number above 0\n"
        "12 this row has 4 cells, and the table 5 columns\n"
        "13 a quote is not closed on its line\n"
        "14 `m` is `1e400`, and must be a whole number above 0\n"
        "14 the time `time_us` is `1e-400`, and must be a number above 0\n");
}

TEST_CASE("a heading that does not suffice is said once") {
  CHECK(CalibrateText("", productOptions()).faults() == "1 the table is empty\n");
  CHECK(CalibrateText("\n\n", productOptions()).faults() == "1 the table is empty\n");
  CHECK(CalibrateText("m,n\n1,2\n", productOptions()).faults() ==
        "1 the table has no column `format` or `dtype`\n"
        "1 the table has no column `k`\n"
        "1 the table has no column of times: `time_us`, `latency_us`, `time_ms` or `time_s`, or "
        "`value` and `unit`\n");
  CHECK(CalibrateText("m,n,k,m,dtype,time_us\n", productOptions()).faults() ==
        "1 there are two columns `m`\n");
  CHECK(CalibrateText("m,n,k,dtype,time_us\n", productOptions()).faults() ==
        "1 there are no measurements in it\n");
  CHECK(CalibrateText(std::string("m\0", 2), productOptions()).faults() ==
        "1 this is no text: it holds a zero byte\n");
}

TEST_CASE("rows are refused where the chip has no rate, or that are too few, or too large") {
  CHECK(CalibrateText(twenty("16,16,16,nvfp4,1\n"), productOptions()).faults() ==
        "2 `H100_SXM_80GB` has no rate for nvfp4\n");
  CHECK(CalibrateText("m,n,k,dtype,time_us\n16,16,16,bf16,1\n", productOptions()).faults() ==
        "2 too few rows of bf16: 0 to fit 4 constants on, 1 to judge them by\n");
  CHECK(CalibrateText(twenty("9000000000000000,9000000000000000,16,bf16,1\n"), productOptions())
            .faults() ==
        "2 no time can be predicted for 9000000000000000 x 9000000000000000 x 16\n");
}

TEST_CASE("tables may be quoted, name formats as programs do, and give times with a unit") {
  std::string table = "\xef\xbb\xbf\"M\", N ,k,note,DType,value,unit\r\n";
  for (int i = 1; i <= 20; ++i) {
    table += fmt::format("\"{}\", 4096 ,4.096e3,\"a, \"\"b\"\"\",torch.bfloat16,{},ms\r\n", 64 * i,
                         0.020 + 0.003 * i);
  }
  CalibrateText calibration(table, productOptions());
  CHECK(calibration.faults().empty());
  CalibrateText plain(twenty(""), productOptions());
  for (size_t i = 0; i < 4; ++i)
    CHECK(calibration.fit().constants[i].value == plain.fit().constants[i].value);
  CHECK(CalibrateText("m,n,k,dtype,value,unit\n1,1,1,bf16,5,GB/s\n", productOptions()).faults() ==
        "2 the unit of a time is `s`, `ms`, `us` or `ns`, not `GB/s`\n");
}

TEST_CASE("rows of the same sizes are fitted on together, or held back together") {
  std::vector<calibrate::Row> rows;
  for (int64_t size = 1; size <= 10; ++size) {
    for (int copy = 0; copy < 3; ++copy) rows.emplace_back().sizes = {1, size, size, size};
  }
  std::vector<bool> chosen = calibrate::chooseRows(rows, 0.2);
  for (size_t i = 0; i < rows.size(); ++i) CHECK(chosen[i] == (i / 3 == 2 || i / 3 == 7));
  chosen = calibrate::chooseRows(rows, 0.5);
  CHECK(std::ranges::count(chosen, true) == 15);
}

}  // namespace sysdl::test
