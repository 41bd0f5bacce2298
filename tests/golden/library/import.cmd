# import hf: a small configuration, by its folder's name and by another; what is wrong with one, all at once; a family that no
# block can say; a file that is not there.
cd "$SCRATCH"
mkdir -p tiny--Model-1
cat >tiny--Model-1/config.json <<'END'
{
  "model_type": "qwen3_moe",
  "num_hidden_layers": 4,
  "hidden_size": 256,
  "num_attention_heads": 8,
  "num_key_value_heads": 2,
  "head_dim": 64,
  "num_experts": 16,
  "num_experts_per_tok": 2,
  "moe_intermediate_size": 128,
  "vocab_size": 1000,
  "max_position_embeddings": 32768,
  "rope_theta": 1000000.0,
  "num_nextn_predict_layers": 1,
  "layer_drop": 0.1
}
END
sysdlc import hf tiny--Model-1/config.json
echo "= $?"
sysdlc import hf tiny--Model-1/config.json --name mine >mine.sysdl
sysdlc check mine.sysdl
echo "= $?"
echo '{"model_type": "llama", "hidden_size": -1, "num_attention_heads": 0}' >wrong.json
sysdlc import hf wrong.json
echo "= $?"
echo '{"model_type": "deepseek_v4"}' >unknown.json
sysdlc import hf unknown.json
echo "= $?"
sysdlc import hf absent.json
echo "= $?"
sysdlc import onnx wrong.json
echo "= $?"
