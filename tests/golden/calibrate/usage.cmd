# A command line that is wrong, chips and files that are not there.
cd "$SCRATCH" && printf 'm,n,k,dtype,time_us\n' > gemm.csv
run() {
  echo "\$ sysdlc calibrate $*" >&2
  sysdlc calibrate "$@"
  echo "= $?" >&2
}
run
run gem
run gemm
run gemm --chip H100_SXM_80GB
run collectives --chip H100_SXM_80GB --measurements gemm.csv
run gemm --chip H100_SXM_80GB --network DGX_H100 --measurements gemm.csv
run gemm --chip H100_SXM_80G --measurements gemm.csv
run gemm --chip DGX_H100 --measurements gemm.csv
run gemm --chip H100_SXM_80GB --measurements nothing.csv
run gemm --chip H100_SXM_80GB --measurements .
run gemm --chip H100_SXM_80GB --measurements gemm.csv --file nothing.sysdl
run gemm --chip H100_SXM_80GB --measurements gemm.csv --file /nothing.sysdl
run gemm --chip H100_SXM_80GB --measurements gemm.csv --fit-share 1
run gemm --chip H100_SXM_80GB --measurements gemm.csv --where dtype
run collectives --network DGX_H100 --measurements gemm.csv --ranks 1
