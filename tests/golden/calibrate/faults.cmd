# What is wrong with measurements is said with its place, all of it; then nothing is printed.
cd "$SCRATCH"
printf 'm,n,k,dtype,time_us\n4096,4096,0,bf16,181.3\n4096,x,4096,bf16,-1\n4096,4096,4096,int8_wo,1\n4096,4096\n' > gemm.csv
sysdlc calibrate gemm --chip H100_SXM_80GB --measurements gemm.csv
echo "= $?"
printf 'm,n,dtype,value,unit\n' > gemm.csv
sysdlc calibrate gemm --chip H100_SXM_80GB --measurements gemm.csv --format json
echo "= $?"
printf 'm,n,k,dtype,time_us\n4096,4096,4096,nvfp4,181.3\n4096,4096,4096,bf16,181.3\n' > gemm.csv
sysdlc calibrate gemm --chip H100_SXM_80GB --measurements gemm.csv
echo "= $?"
sysdlc calibrate gemm --chip H100_SXM_80GB --measurements gemm.csv --where dtype=fp8
echo "= $?"
sysdlc calibrate gemm --chip H100_SXM_80GB --measurements gemm.csv --where type=fp8
echo "= $?"
