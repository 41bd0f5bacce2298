# The constants of a chip: the text checks and is in canonical form, and a design can use it.
cd "$SCRATCH" && cp "$OLDPWD/../../../examples/calibrate/h100_gemm.csv" gemm.csv
sysdlc calibrate gemm --chip H100_SXM_80GB --measurements gemm.csv > my_h100.sysdl && cat my_h100.sysdl
sysdlc check --deny warnings my_h100.sysdl && sysdlc fmt --check my_h100.sysdl && echo "= fine"
sysdlc new design design.sysdl
sed -i -e '/^import std.chips/s/.*/import "my_h100.sysdl"/' -e 's/nvidia.H100_SXM_80GB/my_h100.H100_SXM_80GB_calibrated/' design.sysdl
sysdlc eval design.sysdl --get fits
sysdlc calibrate gemm --chip H100_SXM_80GB --measurements gemm.csv --format json |
  sed -n -e '/"kind"/,/"text"/p' | sed -E -e 's/"text": .*/"text": …/' -e 's/([0-9]\.[0-9]{4})[0-9]+/\1/g'
# A chip of one's own, and a format that it has no constants for.
sysdlc new chip mine.sysdl && sed -i 's/rate.bf16. = 1_000 TFLOP.s/&\n    rate[fp16] = 1_000 TFLOP\/s/' mine.sysdl
sed -e 's/,bfloat16,/,half,/' gemm.csv > half.csv
sysdlc calibrate gemm --chip Mine --file ./mine.sysdl --measurements half.csv --fit-share 0.5 > own.sysdl && cat own.sysdl
sysdlc check --deny warnings own.sysdl && sysdlc fmt --check own.sysdl && echo "= fine"
