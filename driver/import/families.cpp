// One function for each family: which keys make which fields, and what is refused.
#include "driver/import/families.h"

#include <algorithm>

#include "fmt/format.h"
#include "fmt/ranges.h"

namespace sysdl {
namespace {

std::string grouped(int64_t value) {
  std::string digits = std::to_string(value), text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += '_';
    text += digits[i];
  }
  return text;
}

/// Sizes of the residual stream and of attention.
void setTrunk(ImportedModel& m, Config& c) {
  const int64_t layers = c.need("num_hidden_layers"), hidden = c.need("hidden_size"),
                heads = c.need("num_attention_heads");
  m.set("layers", layers);
  m.set("hidden", hidden);
  m.set("heads", heads);
  m.setUnless("kv_heads", c.integerOr("num_key_value_heads", heads), heads);
  const bool divides = heads > 0 && hidden % heads == 0;
  const int64_t headDim = c.integerOr("head_dim", divides ? hidden / heads : 0);
  if (headDim == 0 && !c.refused())
    c.refuse("hidden_size", "`hidden_size` does not divide over the heads");
  m.setUnless("head_dim", headDim, divides ? hidden / heads : 0);
}

void setWords(ImportedModel& m, Config& c) {
  m.set("vocabulary", c.need("vocab_size"));
  constexpr int64_t kUsual = 4'096;  // tokens of a training sequence
  const int64_t longest = c.integerOr("max_position_embeddings", kUsual);
  m.set("sequence", std::min(longest, kUsual));
  if (longest > kUsual)
    m.notes.push_back(fmt::format("sequences may have up to {} tokens", grouped(longest)));
}

/// Gated experts as `std.models.moe` has them.
void setExperts(ImportedModel& m, Config& c, std::string_view count, std::string_view width) {
  m.set("experts", c.need(count));
  m.set("active_experts", c.need("num_experts_per_tok"));
  m.set("expert_ffn", c.need(width));
}

void mustBe(Config& c, std::string_view key, bool holds, std::string_view what) {
  if (!holds) c.refuse(key, fmt::format("no block of the library has {}", what));
}

void needSilu(Config& c) {
  const std::string activation = c.text("hidden_act");
  mustBe(c, "hidden_act", activation.empty() || activation == "silu",
         fmt::format("a layer of this kind with `{}`", activation));
}

void noBiases(Config& c) {
  mustBe(c, "attention_bias", !c.flag("attention_bias"), "attention of this kind with biases");
  mustBe(c, "mlp_bias", !c.flag("mlp_bias"), "feed-forward layers of this kind with biases");
}

void setTied(ImportedModel& m, Config& c) {
  if (c.flag("tie_word_embeddings")) m.set("tie_embeddings", "true");
}

void noteSliding(ImportedModel& m, Config& c) {
  if (!c.has("sliding_window")) return;
  if (!c.flag("use_sliding_window", true)) return;
  m.notes.push_back("attention sees all keys here, not only those of `sliding_window`");
}

ImportedModel llama(Config& c) {
  ImportedModel m{"std.models.llama", "llama", {}, {}};
  setTrunk(m, c);
  m.set("ffn", c.need("intermediate_size"));
  setTied(m, c);
  setWords(m, c);
  needSilu(c);
  noBiases(c);
  noteSliding(m, c);
  return m;
}

ImportedModel qwen3(Config& c) {
  ImportedModel m{"std.models.qwen", "qwen3", {}, {}};
  setTrunk(m, c);
  m.set("ffn", c.need("intermediate_size"));
  setTied(m, c);
  setWords(m, c);
  needSilu(c);
  noBiases(c);
  noteSliding(m, c);
  return m;
}

ImportedModel qwen3Moe(Config& c) {
  ImportedModel m{"std.models.qwen", "qwen3_moe", {}, {}};
  setTrunk(m, c);
  setExperts(m, c, "num_experts", "moe_intermediate_size");
  setWords(m, c);
  needSilu(c);
  noBiases(c);
  noteSliding(m, c);
  mustBe(c, "decoder_sparse_step", c.integerOr("decoder_sparse_step", 1) == 1,
         "experts of this kind in some layers only");
  mustBe(c, "mlp_only_layers", !c.has("mlp_only_layers"),
         "experts of this kind in some layers only");
  mustBe(c, "tie_word_embeddings", !c.flag("tie_word_embeddings"),
         "a tied head beside experts of this kind");
  c.integer("intermediate_size");  // of layers without experts, which there are none of
  return m;
}

ImportedModel mixtral(Config& c) {
  ImportedModel m{"std.models.moe", "mixtral", {}, {}};
  setTrunk(m, c);
  setExperts(m, c, "num_local_experts", "intermediate_size");
  setWords(m, c);
  needSilu(c);
  noteSliding(m, c);
  return m;
}

ImportedModel minimax(Config& c) {
  ImportedModel m{"std.models.minimax", "minimax", {}, {}};
  setTrunk(m, c);
  setExperts(m, c, "num_local_experts", "intermediate_size");
  setWords(m, c);
  needSilu(c);
  mustBe(c, "qk_norm_type", c.text("qk_norm_type") == "per_layer",
         "norms of queries and keys of this kind");
  mustBe(c, "shared_intermediate_size", c.integerOr("shared_intermediate_size", 0) == 0,
         "experts of this kind that all tokens pass");
  return m;
}

ImportedModel gptOss(Config& c) {
  ImportedModel m{"std.models.gpt_oss", "gpt_oss", {}, {}};
  setTrunk(m, c);
  setExperts(m, c, "num_local_experts", "intermediate_size");
  m.set("window", c.need("sliding_window"));
  setWords(m, c);
  needSilu(c);
  mustBe(c, "attention_bias", c.flag("attention_bias", true), "attention with sinks and no biases");
  std::vector<std::string> kinds;
  bool alternates = true;
  for (const std::string& type : c.words("layer_types").value_or(std::vector<std::string>{})) {
    const bool known = type == "sliding_attention" || type == "full_attention";
    mustBe(c, "layer_types", known, fmt::format("layers of the type `{}`", type));
    alternates &= type == (kinds.size() % 2 == 0 ? "sliding_attention" : "full_attention");
    kinds.push_back(type);
  }
  if (!alternates) m.set("pattern", fmt::format("[{}]", fmt::join(kinds, ", ")));
  return m;
}

/// The period of layers that attend to all keys, where the last of each period does; 0 where there is none.
int64_t fullEvery(const std::vector<std::string>& types) {
  auto first = std::ranges::find(types, "full_attention");
  if (first == types.end()) return 0;
  const auto period = static_cast<size_t>(first - types.begin()) + 1;
  for (size_t i = 0; i < types.size(); ++i) {
    if ((types[i] == "full_attention") != ((i + 1) % period == 0)) return 0;
  }
  return static_cast<int64_t>(period);
}

void setFullEvery(ImportedModel& m, Config& c, int64_t preset) {
  const auto types = c.words("layer_types");
  const int64_t period = types ? fullEvery(*types) : c.integerOr("full_attention_interval", preset);
  mustBe(c, "layer_types", period > 0, "layers in this order");
  m.setUnless("full_every", period, preset);
}

ImportedModel llama4(Config& c) {
  ImportedModel m{"std.models.llama4", "llama4", {}, {}};
  setTrunk(m, c);
  m.set("ffn", c.need("intermediate_size_mlp"));
  setExperts(m, c, "num_local_experts", "intermediate_size");
  m.set("shared_ffn", c.need("intermediate_size"));
  m.setUnless("moe_every", c.integerOr("interleave_moe_layer_step", 1), 1);
  m.setUnless("chunk", c.integerOr("attention_chunk_size", 8'192), 8'192);
  setWords(m, c);
  needSilu(c);
  noBiases(c);
  mustBe(c, "tie_word_embeddings", !c.flag("tie_word_embeddings"), "a tied head of this kind");
  return m;
}

ImportedModel gemma4(Config& c) {
  ImportedModel m{"std.models.gemma", "gemma_moe", {}, {}};
  mustBe(c, "enable_moe_block", c.flag("enable_moe_block"), "Gemma 4's layers without experts");
  setTrunk(m, c);
  m.set("global_kv_heads", c.need("num_global_key_value_heads"));
  m.set("global_head_dim", c.need("global_head_dim"));
  m.set("ffn", c.need("intermediate_size"));
  m.set("experts", c.need("num_experts"));
  m.set("active_experts", c.need("top_k_experts"));
  m.set("expert_ffn", c.need("moe_intermediate_size"));
  m.set("window", c.need("sliding_window"));
  setFullEvery(m, c, 6);
  setWords(m, c);
  noBiases(c);
  mustBe(c, "attention_k_eq_v", c.flag("attention_k_eq_v"), "keys and values of their own here");
  mustBe(c, "tie_word_embeddings", c.flag("tie_word_embeddings", true), "a head of its own here");
  mustBe(c, "hidden_size_per_layer_input", c.integerOr("hidden_size_per_layer_input", 0) == 0,
         "an embedding of its own for each layer");
  mustBe(c, "num_kv_shared_layers", c.integerOr("num_kv_shared_layers", 0) == 0,
         "layers that share keys and values");
  c.integer("vocab_size_per_layer_input");
  return m;
}

ImportedModel gemma3(Config& c) {
  ImportedModel m{"std.models.gemma", "gemma", {}, {}};
  setTrunk(m, c);
  m.set("ffn", c.need("intermediate_size"));
  m.set("window", c.need("sliding_window"));
  m.setUnless("full_every", c.integerOr("sliding_window_pattern", 6), 6);
  setWords(m, c);
  noBiases(c);
  return m;
}

ImportedModel deepseek(Config& c, bool sparse) {
  ImportedModel m{"std.models.deepseek", sparse ? "deepseek_sparse" : "deepseek", {}, {}};
  m.set("layers", c.need("num_hidden_layers"));
  m.set("dense_layers", c.need("first_k_dense_replace"));
  m.set("hidden", c.need("hidden_size"));
  m.set("heads", c.need("num_attention_heads"));
  c.integer("num_key_value_heads");  // as many as heads once the latent is unfolded
  c.integer("head_dim");
  c.integer("qk_head_dim");
  m.set("query_rank", c.need("q_lora_rank"));
  m.set("latent_rank", c.need("kv_lora_rank"));
  m.set("nope_dim", c.need("qk_nope_head_dim"));
  m.set("rope_dim", c.need("qk_rope_head_dim"));
  m.set("value_dim", c.need("v_head_dim"));
  if (sparse) {
    m.set("index_heads", c.need("index_n_heads"));
    m.set("index_dim", c.need("index_head_dim"));
    m.set("selected", c.need("index_topk"));
  }
  m.set("ffn", c.need("intermediate_size"));
  setExperts(m, c, "n_routed_experts", "moe_intermediate_size");
  m.set("shared_ffn", c.need("n_shared_experts") * c.need("moe_intermediate_size"));
  setWords(m, c);
  needSilu(c);
  noBiases(c);
  mustBe(c, "moe_layer_freq", c.integerOr("moe_layer_freq", 1) == 1,
         "latent attention with experts in some layers only");
  mustBe(c, "tie_word_embeddings", !c.flag("tie_word_embeddings"), "a tied head of this kind");
  return m;
}

ImportedModel falcon(Config& c) {
  ImportedModel m{"std.models.falcon", "falcon", {}, {}};
  const int64_t hidden = c.need("hidden_size"), heads = c.need("num_attention_heads");
  m.set("layers", c.need("num_hidden_layers"));
  m.set("hidden", hidden);
  m.set("heads", heads);
  m.setUnless("kv_heads", c.integerOr("num_kv_heads", heads), heads);
  m.setUnless("ffn", c.integerOr("ffn_hidden_size", 4 * hidden), 4 * hidden);
  m.set("vocabulary", c.need("vocab_size"));
  m.set("sequence", 2'048);
  mustBe(c, "new_decoder_architecture", c.flag("new_decoder_architecture"),
         "Falcon's older layers, with one norm");
  mustBe(c, "bias", !c.flag("bias"), "Falcon's layers with biases");
  mustBe(c, "tie_word_embeddings", c.flag("tie_word_embeddings", true),
         "a Falcon with a head of its own");
  c.flag("multi_query");
  c.flag("parallel_attn");
  return m;
}

/// A Mamba or gated delta layer's sizes.
std::vector<std::string> nemotronPattern(ImportedModel& m, Config& c) {
  std::vector<std::string> kinds;
  const auto add = [&](std::string_view key, const std::string& type, std::string_view one) {
    const std::pair<std::string_view, const char*> known[] = {
        {"mamba", "mamba"}, {"attention", "full_attention"}, {"mlp", "mlp"}, {"moe", "moe"},
        {"M", "mamba"},     {"*", "full_attention"},         {"-", "mlp"},   {"E", "moe"}};
    for (const auto& [word, kind] : known) {
      if (type == word) return kinds.emplace_back(kind), void();
    }
    c.refuse(key, fmt::format("no block of the library is a layer `{}`", one));
  };
  if (c.has("layers_block_type")) {
    for (const std::string& type :
         c.words("layers_block_type").value_or(std::vector<std::string>{}))
      add("layers_block_type", type, type);
  } else {
    const std::string pattern = c.text("hybrid_override_pattern");
    for (char letter : pattern)
      add("hybrid_override_pattern", std::string(1, letter), std::string(1, letter));
    if (pattern.empty()) c.need("hybrid_override_pattern");
  }
  m.set("layers", static_cast<int64_t>(kinds.size()));
  const int64_t layers = c.integerOr("num_hidden_layers", static_cast<int64_t>(kinds.size()));
  if (layers != static_cast<int64_t>(kinds.size()) && !kinds.empty())
    c.refuse("num_hidden_layers",
             fmt::format("the pattern has {} layers, not {}", kinds.size(), layers));
  return kinds;
}

ImportedModel nemotron(Config& c) {
  ImportedModel m{"std.models.nemotron", "nemotron", {}, {}};
  const std::vector<std::string> kinds = nemotronPattern(m, c);
  const int64_t hidden = c.need("hidden_size");
  m.set("hidden", hidden);
  m.set("heads", c.need("num_attention_heads"));
  m.set("kv_heads", c.need("num_key_value_heads"));
  m.set("head_dim", c.has("head_dim") ? c.need("head_dim") : c.need("attention_head_dim"));
  const auto hasKind = [&](std::string_view kind) { return std::ranges::count(kinds, kind) > 0; };
  const bool experts = hasKind("moe");
  if (experts) {
    setExperts(m, c, "n_routed_experts", "moe_intermediate_size");
    m.set("shared_ffn", c.need("moe_shared_expert_intermediate_size"));
    if (c.has("moe_latent_size")) m.set("latent", c.need("moe_latent_size"));
    c.integer("n_shared_experts");
  }
  const int64_t ffn = c.need("intermediate_size");
  if (hasKind("mlp") || !experts) m.set("ffn", ffn);
  m.set("ssm_heads", c.need("mamba_num_heads"));
  m.set("ssm_head_dim", c.need("mamba_head_dim"));
  m.set("ssm_groups", c.need("n_groups"));
  m.set("ssm_state", c.need("ssm_state_size"));
  m.setUnless("ssm_chunk", c.integerOr("chunk_size", 128), 128);
  m.setUnless("conv_width", c.integerOr("conv_kernel", 4), 4);
  m.set("pattern", fmt::format("[{}]", fmt::join(kinds, ", ")));
  setWords(m, c);
  noBiases(c);
  mustBe(c, "use_bias", !c.flag("use_bias"), "such layers with biases");
  mustBe(c, "mamba_proj_bias", !c.flag("mamba_proj_bias"), "Mamba layers with biases");
  mustBe(c, "tie_word_embeddings", !c.flag("tie_word_embeddings"), "a tied head of this kind");
  const std::string activation = c.text("mlp_hidden_act");
  mustBe(c, "mlp_hidden_act", activation == "relu2",
         fmt::format("such layers with `{}`", activation));
  c.integer("expand");  // what the numbers of heads say
  return m;
}

ImportedModel qwenNext(Config& c) {
  ImportedModel m{"std.models.qwen_next", "qwen_next", {}, {}};
  setTrunk(m, c);
  setExperts(m, c, "num_experts", "moe_intermediate_size");
  m.set("shared_ffn", c.need("shared_expert_intermediate_size"));
  m.set("ssm_heads", c.need("linear_num_value_heads"));
  m.set("ssm_head_dim", c.need("linear_value_head_dim"));
  m.set("ssm_groups", c.need("linear_num_key_heads"));
  m.set("ssm_state", c.need("linear_key_head_dim"));
  m.setUnless("conv_width", c.integerOr("linear_conv_kernel_dim", 4), 4);
  setFullEvery(m, c, 4);
  setWords(m, c);
  needSilu(c);
  noBiases(c);
  mustBe(c, "mlp_only_layers", !c.has("mlp_only_layers"),
         "experts of this kind in some layers only");
  mustBe(c, "tie_word_embeddings", !c.flag("tie_word_embeddings"), "a tied head of this kind");
  c.integer("full_attention_interval");
  c.flag("attn_output_gate");
  return m;
}

ImportedModel bert(Config& c) {
  ImportedModel m{"std.models.encoder", "bert", {}, {}};
  const int64_t hidden = c.need("hidden_size");
  m.set("layers", c.need("num_hidden_layers"));
  m.set("hidden", hidden);
  m.set("heads", c.need("num_attention_heads"));
  m.setUnless("ffn", c.need("intermediate_size"), 4 * hidden);
  m.set("vocabulary", c.need("vocab_size"));
  m.set("sequence", c.need("max_position_embeddings"));
  return m;
}

ImportedModel gpt2(Config& c) {
  ImportedModel m{"std.models.gpt", "gpt", {}, {}};
  const int64_t hidden = c.need("n_embd");
  m.set("layers", c.need("n_layer"));
  m.set("hidden", hidden);
  m.set("heads", c.need("n_head"));
  m.setUnless("ffn", c.integerOr("n_inner", 4 * hidden), 4 * hidden);
  m.set("vocabulary", c.need("vocab_size"));
  m.set("sequence", c.has("n_positions") ? c.need("n_positions") : c.need("n_ctx"));
  return m;
}

struct Family {
  std::string_view type;
  ImportedModel (*make)(Config&);
};

constexpr Family kFamilies[] = {
    {"llama", llama},
    {"mistral", llama},
    {"qwen3", qwen3},
    {"qwen3_moe", qwen3Moe},
    {"mixtral", mixtral},
    {"minimax_m2", minimax},
    {"gpt_oss", gptOss},
    {"llama4", llama4},
    {"llama4_text", llama4},
    {"gemma3", gemma3},
    {"gemma3_text", gemma3},
    {"gemma4", gemma4},
    {"gemma4_text", gemma4},
    {"deepseek_v3", [](Config& c) { return deepseek(c, false); }},
    {"kimi_k2", [](Config& c) { return deepseek(c, false); }},
    {"deepseek_v32", [](Config& c) { return deepseek(c, true); }},
    {"glm_moe_dsa", [](Config& c) { return deepseek(c, true); }},
    {"falcon", falcon},
    {"nemotron_h", nemotron},
    {"qwen3_next", qwenNext},
    {"qwen3_5_moe", qwenNext},
    {"qwen3_5_moe_text", qwenNext},
    {"bert", bert},
    {"gpt2", gpt2},
};

/// Families that are known, and what of them no block can say.
constexpr std::pair<std::string_view, std::string_view> kUnknown[] = {
    {"deepseek_v4", "attention over compressed keys and values, hyper-connections of several "
                    "residual streams, and "
                    "experts that are chosen by a hash"},
    {"qwen2", "biases on queries, keys and values and none on the output"},
    {"deepseek_v2",
     "latent attention without a latent of the queries, or with a choice of nodes by groups"},
};

}  // namespace

void ImportedModel::set(std::string_view field, int64_t value) { set(field, grouped(value)); }

void ImportedModel::set(std::string_view field, std::string value) {
  fields.emplace_back(field, std::move(value));
}

void ImportedModel::setUnless(std::string_view field, int64_t value, int64_t preset) {
  if (value != preset) set(field, value);
}

ImportedModel importModel(Config& c) {
  const std::string type = c.text("model_type");
  c.has("architectures");
  for (const Family& family : kFamilies) {
    if (type != family.type) continue;
    ImportedModel m = family.make(c);
    bool further = false;
    for (const char* key :
         {"num_nextn_predict_layers", "mtp_num_hidden_layers", "use_mtp", "num_mtp_modules"})
      further |= c.has(key);
    if (further) m.notes.push_back("layers that predict further tokens are left out");
    for (const char* tower : {"vision_config", "audio_config"}) {
      if (c.has(tower)) m.notes.push_back(fmt::format("the tower of `{}` is left out", tower));
    }
    if (c.has("quantization_config") || c.has("expert_dtype"))
      m.notes.push_back(
          "its weights are stored quantized: the workload's `precision` says in which format");
    return m;
  }
  for (const auto& [name, why] : kUnknown) {
    if (type != name) continue;
    c.refuse("model_type", fmt::format("a model of the family `{}` cannot be imported", type),
             fmt::format("no block of the library has {}", why));
    return {};
  }
  std::vector<std::string_view> known;
  for (const Family& family : kFamilies) known.push_back(family.type);
  c.refuse("model_type",
           type.empty() ? "`model_type` is missing" : fmt::format("no family `{}` is known", type),
           fmt::format("known are {}; a family of your own is a block in a .sysdl file",
                       fmt::join(known, ", ")));
  return {};
}

}  // namespace sysdl
