# A schema, a field, a unit with a prefix, a value; what is not there.
sysdlc doc memory_level
echo
sysdlc doc megatron.zero
echo
sysdlc doc TFLOP
echo
sysdlc doc nvidia.a100_gemm
echo
sysdlc doc round --file ../eval/machine.sysdl | head -3
sysdlc doc memory_levle
echo "= $?"
sysdlc doc
echo "= $?"
