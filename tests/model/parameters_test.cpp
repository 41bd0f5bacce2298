// Parameter counts of the library's models against exact published ones, and their sizes against
// published configurations. What the vocabulary is padded by does not count.
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/model/design_text.h"

using namespace sysdl;
using namespace sysdl::test;

namespace {

struct Published {
  const char* model;
  double parameters;
};

// BERT with its masked-word head, and ViT as timm's vit_large_patch16_224 and vit_huge_patch14_224 have them.
// Hugging Face model cards and `safetensors` indices: openai-community/gpt2 to gpt2-xl, meta-llama.
// DeepSeek-V3: 671,026,419,200 of its main model less the 14,848 correction biases of its routers, which are no weights.
constexpr Published kExact[] = {
    {"gpt.GPT2_Small", 124'439'808},           {"gpt.GPT2_Medium", 354'823'168},
    {"gpt.GPT2_Large", 774'030'080},           {"gpt.GPT2_XL", 1'557'611'200},
    {"llama.Llama2_7B", 6'738'415'616},        {"llama.Llama2_13B", 13'015'864'320},
    {"llama.Llama2_70B", 68'976'648'192},      {"llama.Llama3_8B", 8'030'261'248},
    {"llama.Llama3_70B", 70'553'706'496},      {"llama.Llama3_405B", 405'853'388'800},
    {"deepseek.DeepSeek_V3", 671'026'404'352}, {"qwen.Qwen3_8B", 8'190'735'360},
    {"qwen.Qwen3_32B", 32'762'123'264},        {"qwen.Qwen3_30B_A3B", 30'532'122'624},
    {"qwen.Qwen3_235B_A22B", 235'093'634'560}, {"moe.Mixtral_8x7B", 46'702'792'704},
    {"moe.Mixtral_8x22B", 140'620'634'112},    {"falcon.Falcon_40B", 41'303'293'952},
    {"encoder.BERT_base", 109'514'298},        {"encoder.BERT_large", 335'174'458},
    {"encoder.ViT_Large_16", 304'326'632},     {"encoder.ViT_Huge_14", 632'045'800},
};

// Rounded, as tables print them: Brown et al. 2020, table 2.1; Narayanan et al. 2021, table 1;
// Korthikanti et al. 2022, table 3.
constexpr Published kPrinted[] = {
    {"gpt.GPT3_Small", 125e6},        {"gpt.GPT3_Medium", 350e6},
    {"gpt.GPT3_Large", 760e6},        {"gpt.GPT3_XL", 1.3e9},
    {"gpt.GPT3_2_7B", 2.7e9},         {"gpt.GPT3_6_7B", 6.7e9},
    {"gpt.GPT3_13B", 13.0e9},         {"gpt.GPT3_175B", 175e9},
    {"gpt.Megatron_1_7B", 1.7e9},     {"gpt.Megatron_3_6B", 3.6e9},
    {"gpt.Megatron_7_5B", 7.5e9},     {"gpt.Megatron_18_4B", 18.4e9},
    {"gpt.Megatron_39_1B", 39.1e9},   {"gpt.Megatron_76_1B", 76.1e9},
    {"gpt.Megatron_145_6B", 145.6e9}, {"gpt.Megatron_310_1B", 310.1e9},
    {"gpt.Megatron_22B", 22e9},       {"gpt.Megatron_175B", 175e9},
    {"gpt_oss.GPT_OSS_20B", 20.91e9}, {"gpt_oss.GPT_OSS_120B", 116.83e9},
    {"gemma.Gemma3_27B", 27.0e9},     {"nemotron.Nemotron_H_56B", 56e9},
    {"deepseek.Kimi_K2", 1.026e12},   {"gpt.Megatron_530B", 529.6e9},
    {"gpt.Megatron_1T", 1008.0e9},
};

std::string designOf(const std::string& model, int64_t tp) {
  return fmt::format(R"(// A test.
sysdl 2026

import std.chips.nvidia
import std.models.deepseek
import std.models.encoder
import std.models.falcon
import std.models.gemma
import std.models.gpt
import std.models.gpt_oss
import std.models.llama
import std.models.moe
import std.models.nemotron
import std.models.qwen
import std.networks.dgx

design d {{
  model = {}
  chip = nvidia.H100_SXM_80GB {{ memory.hbm.capacity = 1_000 TB }}
  network = dgx.DGX_H100 {{ take = {} }}
  workload = training {{ batch = 1 }}
  plan.tp = {}
}}
)",
                     model, tp, tp);
}

/// The whole number after `"key":` in a configuration of Hugging Face.
int64_t read(const std::string& json, const std::string& key) {
  const size_t at = json.find("\"" + key + "\":");
  INFO(key);
  REQUIRE(at != std::string::npos);
  return std::stoll(json.substr(at + key.size() + 3));
}

}  // namespace

TEST_CASE("parameters equal published exact counts, however the vocabulary is split", "[model]") {
  for (const Published& published : kExact) {
    INFO(published.model);
    // GPT-2 has 12, 16, 20 or 25 heads, BERT's smaller one 12; all others a multiple of 8.
    const std::string_view name = published.model;
    const bool small = name.starts_with("gpt.GPT2") || name == "encoder.BERT_base";
    for (int64_t tp : small ? std::vector<int64_t>{1} : std::vector<int64_t>{1, 8}) {
      DesignText file(designOf(published.model, tp));
      CHECK(file.results("d").parameters == published.parameters);
    }
  }
  DesignText split(designOf("gpt.GPT2_Medium", 8));
  CHECK(split.results("d").parameters == 354'823'168);
}

TEST_CASE("parameters round to what the tables print", "[model]") {
  for (const Published& published : kPrinted) {
    INFO(published.model);
    DesignText file(designOf(published.model, 1));
    // 1,652 million is printed as 1.7 billion.
    CHECK(file.results("d").parameters == Approx(published.parameters).epsilon(0.03));
  }
}

TEST_CASE("Llama's sizes equal those of its configurations", "[model]") {
  const std::filesystem::path folder = SYSDL_SOURCE_DIR "/../shared/hf_configs";
  if (!std::filesystem::exists(folder)) {
    WARN("skipped: there is no ../shared/hf_configs");
    return;
  }
  constexpr std::pair<const char*, const char*> kConfigs[] = {
      {"llama.Llama2_13B", "meta-llama--Llama-2-13b-hf"},
      {"llama.Llama2_70B", "meta-llama--Llama-2-70b-hf"},
      {"llama.Llama3_8B", "meta-llama--Meta-Llama-3.1-8B"},
      {"llama.Llama3_70B", "meta-llama--Meta-Llama-3.1-70B"},
      {"llama.Llama3_405B", "meta-llama--Meta-Llama-3.1-405B"},
  };
  for (auto [model, config] : kConfigs) {
    INFO(model);
    std::ifstream stream(folder / config / "config.json");
    std::stringstream json;
    json << stream.rdbuf();
    DesignText file(designOf(model, 1));
    auto size = [&](std::string_view axis) -> int64_t {
      for (const Axis& a : file.lowered("d").inputs->model.axes) {
        if (file.names().text(a.name) == axis) return a.unpadded ? a.unpadded : a.size;
      }
      return 0;
    };
    CHECK(size("hidden") == read(json.str(), "hidden_size"));
    CHECK(size("heads") == read(json.str(), "num_attention_heads"));
    CHECK(size("kv_heads") == read(json.str(), "num_key_value_heads"));
    CHECK(size("ffn") == read(json.str(), "intermediate_size"));
    CHECK(size("vocab") == read(json.str(), "vocab_size"));
    CHECK(file.lowered("d").inputs->model.parts[1].repeat == read(json.str(), "num_hidden_layers"));
  }
}
