// Matrix FLOPs of a step against the closed forms of the literature: attention unfused, causal not
// halved.
#include <catch2/catch.hpp>

#include <cmath>

#include "tests/model/design_text.h"

using namespace sysdl;
using namespace sysdl::test;

namespace {

struct Sizes {
  int64_t layers, hidden, heads;
};

double real(int64_t n) { return static_cast<double>(n); }

/// `factor` B S L h^2 (1 + S / (6 h) + V / (`head` L h)). Narayanan et al. 2021 (arXiv:2104.04473),
/// equation 3 and appendix: 96 and 16 with full recompute, 72 and 12 without.
double closedForm(const GptText& d, double factor, double head) {
  const double h = real(d.hidden), s = real(d.sequence), l = real(d.layers);
  // The vocabulary that is computed with: a multiple of 128 on each tensor-parallel rank.
  const double multiple = 128 * real(d.tp);
  const double v = std::ceil(real(d.vocabulary) / multiple) * multiple;
  return factor * real(d.batch) * s * l * h * h * (1 + s / (6 * h) + v / (head * l * h));
}

/// What selective recompute adds: the two products of attention, 4 B S^2 h a layer.
double attention(const GptText& d) {
  return 4 * real(d.batch) * real(d.sequence) * real(d.sequence) * real(d.hidden) * real(d.layers);
}

std::vector<GptText> designs() {
  std::vector<GptText> result;
  for (Sizes sizes :
       {Sizes{8, 1024, 16}, Sizes{24, 2048, 32}, Sizes{32, 4096, 64}, Sizes{96, 12288, 96}}) {
    for (int64_t sequence : {512, 2048, 4096}) {
      for (auto [tp, pp, dp] : {std::array<int64_t, 3>{1, 1, 1}, {8, 1, 1}, {2, 4, 2}, {8, 8, 4}}) {
        GptText d;
        d.layers = sizes.layers;
        d.hidden = sizes.hidden;
        d.heads = sizes.heads;
        d.sequence = sequence;
        d.tp = tp;
        d.pp = pp;
        d.dp = dp;
        d.batch = 16 * dp;
        d.microbatch = 2;
        // Sizes that fit no A100 are as good: memory is not judged here.
        d.more = "chip.memory.hbm.capacity = 100 TB";
        result.push_back(d);
      }
    }
  }
  return result;
}

}  // namespace

TEST_CASE("matrix FLOPs with full recompute: 96 B S L h^2 (1 + S/6h + V/16Lh)", "[model]") {
  for (GptText d : designs()) {
    d.recompute = "full";
    DesignText file(d.text());
    CHECK(file.results("d").hardwareFlops == Approx(closedForm(d, 96, 16)).epsilon(1e-3));
    CHECK(file.results("d").modelFlops == Approx(closedForm(d, 72, 12)).epsilon(1e-3));
  }
}

TEST_CASE("matrix FLOPs without recompute: 72 B S L h^2 (1 + S/6h + V/12Lh)", "[model]") {
  for (const GptText& d : designs()) {
    DesignText file(d.text());
    CHECK(file.results("d").hardwareFlops == Approx(closedForm(d, 72, 12)).epsilon(1e-3));
    CHECK(file.results("d").modelFlops == file.results("d").hardwareFlops);
  }
}

// Korthikanti et al. print 72 B S L h^2 (1 + S/3h + …), which counts attention's recompute three
// times.
TEST_CASE("matrix FLOPs with selective recompute: attention's products once more", "[model]") {
  for (GptText d : designs()) {
    d.recompute = "selective";
    d.sp = d.tp > 1;
    DesignText file(d.text());
    CHECK(file.results("d").modelFlops == Approx(closedForm(d, 72, 12)).epsilon(1e-3));
    CHECK(file.results("d").hardwareFlops ==
          Approx(closedForm(d, 72, 12) + attention(d)).epsilon(1e-3));
  }
}

// FlashAttention-2's convention (arXiv:2307.08691, section 4.2): 6 S parameters + 12 L h S^2 a
// sequence.
TEST_CASE("matrix FLOPs of fused attention are those of unfused attention", "[model]") {
  GptText d;
  d.tp = 2;
  d.batch = 16;
  GptText flash = d;
  flash.more = "model.attention_kernel = flash";
  DesignText unfused(d.text()), fused(flash.text());
  CHECK(fused.results("d").modelFlops == unfused.results("d").modelFlops);
  CHECK(fused.results("d").time.step < unfused.results("d").time.step);
}
