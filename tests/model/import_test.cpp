// Models made of Hugging Face configurations: parameters against published counts, and configurations that are refused.
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "driver/import/import.h"
#include "tests/model/design_text.h"

using namespace sysdl;
using namespace sysdl::test;

namespace {

const std::filesystem::path kConfigs = SYSDL_SOURCE_DIR "/../shared/hf_configs";

struct Card {
  const char* name;
  double parameters;  // of the language model; 0 where it cannot be imported
};

// Hugging Face model cards and safetensors indices; towers and layers for further tokens not counted. Gemma 4, GLM-5, MiniMax, Llama
// 4, Nemotron 3 Super and Ultra, and Qwen3.5 as their cards round them.
constexpr Card kCards[] = {
    {"MiniMaxAI--MiniMax-M2.5", 228.7e9},
    {"Qwen--Qwen3-0.6B", 596'049'920},
    {"Qwen--Qwen3-1.7B", 1'720'574'976},
    {"Qwen--Qwen3-235B-A22B", 235'093'634'560},
    {"Qwen--Qwen3-235B-A22B-FP8", 235'093'634'560},
    {"Qwen--Qwen3-30B-A3B", 30'532'122'624},
    {"Qwen--Qwen3-30B-A3B-FP8", 30'532'122'624},
    {"Qwen--Qwen3-32B", 32'762'123'264},
    {"Qwen--Qwen3-32B-FP8", 32'762'123'264},
    {"Qwen--Qwen3-32B-FP8-Static-PerTensor", 32'762'123'264},
    {"Qwen--Qwen3-8B", 8'190'735'360},
    {"Qwen--Qwen3-Coder-480B-A35B-Instruct", 480'154'875'392},
    {"Qwen--Qwen3.5-397B-A17B", 397e9},
    {"deepseek-ai--DeepSeek-R1", 671'026'419'200},
    {"deepseek-ai--DeepSeek-V3", 671'026'419'200},
    {"deepseek-ai--DeepSeek-V3.2", 671.9e9},
    {"deepseek-ai--DeepSeek-V4-Flash", 0},
    {"deepseek-ai--DeepSeek-V4-Pro", 0},
    {"google--gemma-4-26B-A4B", 25.2e9},
    {"meta-llama--Llama-2-13b-hf", 13'015'864'320},
    {"meta-llama--Llama-2-70b-hf", 68'976'648'192},
    {"meta-llama--Llama-4-Maverick-17B-128E-Instruct", 400e9},
    {"meta-llama--Llama-4-Scout-17B-16E-Instruct", 107.8e9},
    {"meta-llama--Meta-Llama-3.1-405B", 405'853'388'800},
    {"meta-llama--Meta-Llama-3.1-70B", 70'553'706'496},
    {"meta-llama--Meta-Llama-3.1-8B", 8'030'261'248},
    {"mistralai--Mixtral-8x22B-v0.1", 140'620'634'112},
    {"mistralai--Mixtral-8x7B-v0.1", 46'702'792'704},
    {"moonshotai--Kimi-K2-Instruct", 1.026e12},
    {"nvidia--MiniMax-M2.5-NVFP4", 228.7e9},
    {"nvidia--NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", 31'577'937'344},
    {"nvidia--NVIDIA-Nemotron-3-Super-120B-A12B-FP8", 120.6e9},
    {"nvidia--NVIDIA-Nemotron-3-Ultra-550B-A55B-BF16", 550e9},
    {"nvidia--Nemotron-H-56B-Base-8K", 56.3e9},
    {"nvidia--Qwen3.5-397B-A17B-NVFP4", 397e9},
    {"openai--gpt-oss-120b", 116'829'156'672},
    {"openai--gpt-oss-20b", 20'914'757'184},
    {"tiiuae--falcon-40b", 41'303'293'952},
    {"zai-org--GLM-5", 744e9},
};

std::string textOf(const std::filesystem::path& path) {
  std::ifstream stream(path);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// A design of the imported model in one file: what it imports first, then the value.
std::string designOf(const std::string& model) {
  return model + R"(
import std.chips.nvidia
import std.networks.dgx

design d {
  model = Imported
  chip = nvidia.H100_SXM_80GB { memory.hbm.capacity = 1_000 TB }
  network = dgx.DGX_H100 { take = 8 }
  workload = training { batch = 8 }
}
)";
}

/// The codes and messages of a refusal.
std::string refusalOf(const std::string& config) {
  Session session;
  CHECK(importHuggingFace("config.json", config, "", session).empty());
  std::string text;
  for (const Diagnostic& d : session.diagnostics.sorted(session.sources)) text += d.message + "\n";
  return text;
}

}  // namespace

TEST_CASE("Hugging Face configurations make models of the published size, or are refused",
          "[import]") {
  if (!std::filesystem::exists(kConfigs)) {
    WARN("skipped: there is no ../shared/hf_configs");
    return;
  }
  size_t found = 0;
  for (const Card& card : kCards) {
    INFO(card.name);
    const auto path = kConfigs / card.name / "config.json";
    REQUIRE(std::filesystem::exists(path));
    ++found;
    Session session;
    const std::string model = importHuggingFace(path.string(), textOf(path), "Imported", session);
    if (card.parameters == 0) {
      CHECK(model.empty());
      CHECK(session.diagnostics.errorCount() == 1);
      continue;
    }
    REQUIRE(session.diagnostics.errorCount() == 0);
    DesignText file(designOf(model));
    CHECK(file.results("d").parameters == Approx(card.parameters).epsilon(0.005));
  }
  const auto all = std::distance(std::filesystem::directory_iterator(kConfigs), {});
  CHECK(static_cast<size_t>(all) == found);
}

TEST_CASE("a configuration that lacks sizes says which, all at once", "[import]") {
  CHECK(
      refusalOf(R"({"model_type": "llama", "hidden_size": 8, "num_attention_heads": 2})") ==
      "`intermediate_size` is missing\n`num_hidden_layers` is missing\n`vocab_size` is missing\n");
  CHECK(refusalOf("[1, 2").starts_with("this is no JSON"));
  CHECK(refusalOf("[1, 2]") == "a configuration is an object, `{ … }`\n");
  CHECK(refusalOf("{}") == "`model_type` is missing\n");
  CHECK(refusalOf(R"({"model_type": "rwkv"})") == "no family `rwkv` is known\n");
  const std::string sizes = R"("hidden_size": 8, "num_attention_heads": 2, "num_hidden_layers": 2,
    "intermediate_size": 8, "vocab_size": 16)";
  CHECK(refusalOf("{\"model_type\": \"llama\", \"hidden_act\": \"gelu\", " + sizes + "}") ==
        "no block of the library has a layer of this kind with `gelu`\n");
  CHECK(refusalOf("{\"model_type\": \"llama\", \"num_key_value_heads\": \"two\", " + sizes + "}") ==
        "`num_key_value_heads` is no whole number of a size that a model can have\n");
}

TEST_CASE("what a configuration has and a model has not is said", "[import]") {
  Session session;
  const std::string text = importHuggingFace("Tiny/config.json", R"({"model_type": "llama",
    "hidden_size": 8, "num_attention_heads": 2, "num_hidden_layers": 2, "intermediate_size": 8,
    "vocab_size": 16, "rope_theta": NaN, "layer_drop": 0.5, "max_position_embeddings": 8192})",
                                             "", session);
  CHECK(session.diagnostics.errorCount() == 0);
  CHECK(text.find("// not mapped: `layer_drop` = 0.5.") != std::string::npos);
  CHECK(text.find("rope_theta") == std::string::npos);
  CHECK(text.find("llama.llama Tiny {") != std::string::npos);
  CHECK(text.find("sequence = 4_096") != std::string::npos);
}
