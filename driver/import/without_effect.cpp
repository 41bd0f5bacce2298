// Keys of configurations that change neither the sizes of a model nor what it costs.
#include <algorithm>
#include <array>

#include "driver/import/families.h"

namespace sysdl {

bool isWithoutEffect(std::string_view key) {
  // Whole groups by how they begin or end.
  constexpr std::array<std::string_view, 7> kEnds{"_token_id", "_token_index", "_eps",  "_epsilon",
                                                  "_dropout",  "_loss_coef",   "_noise"};
  constexpr std::array<std::string_view, 4> kBegins{"rope_", "time_step_", "vision_soft_",
                                                    "output_"};
  const auto ends = [&](std::string_view end) { return key.ends_with(end); };
  const auto begins = [&](std::string_view begin) { return key.starts_with(begin); };
  if (std::ranges::any_of(kEnds, ends) || std::ranges::any_of(kBegins, begins)) return true;
  constexpr std::array<std::string_view, 49> kKeys{
      "_name_or_path",
      "architectures",
      "attn_type_list",  // what the layers' types say
      "auto_map",
      "aux_loss_alpha",
      "compress_rope_theta",
      "dtype",
      "ep_size",
      "experts_per_token",
      "final_logit_softcapping",
      "hidden_activation",
      "index_topk_freq",
      "indexer_rope_interleave",
      "initial_context_length",
      "initializer_range",
      "apply_residual_connection_post_layernorm",
      "mamba_hidden_act",
      "mamba_ssm_cache_dtype",
      "mamba_ssm_dtype",
      "max_window_layers",
      "moe_shared_expert_overlap",
      "mtp_hybrid_override_pattern",  // of layers that are left out
      "mtp_layers_block_type",
      "mtp_transformer_layers",
      "mtp_use_dedicated_embeddings",
      "norm_topk_prob",
      "num_logits_to_keep",
      "partial_rotary_factor",
      "pretraining_tp",
      "rescale_prenorm_residual",
      "residual_in_fp32",
      "rotary_dim",
      "routed_scaling_factor",
      "scoring_func",
      "seq_aux",
      "sliding_window_pattern",
      "swiglu_limit",
      "topk_method",
      "torch_dtype",
      "transformers_version",
      "use_bidirectional_attention",
      "use_cache",
      "use_conv_bias",
      "use_mamba_kernels",
      "use_qk_norm",
      "use_routing_bias",  // corrections of a choice, no weights
      "use_sliding_window",
      "vocab_size_per_layer_input",
      "id2label",
  };
  return std::ranges::find(kKeys, key) != kKeys.end();
}

}  // namespace sysdl
