# A level of a network, from the output of nccl-tests and from a table.
cd "$SCRATCH"
{
  echo '# nThread 1 nGpus 2 minBytes 8 maxBytes 134217728 step: 2(factor)'
  echo '#  Rank  0 Group  0 Pid  1 on  node1 device  0 [0x07] NVIDIA A100-SXM4-80GB'
  echo '#  Rank  1 Group  0 Pid  1 on  node1 device  1 [0x0a] NVIDIA A100-SXM4-80GB'
  echo '#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong'
  echo '#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)'
  size=1024
  while [ $size -le 1073741824 ]; do
    echo "  $size $((size / 4)) float sum -1 $((11 + size / 230000)).5 0.1 0.1 0 12.5 0.1 0.1 0"
    size=$((size * 2))
  done
  echo '# Out of bounds values : 0 OK'
} > nccl.txt
sysdlc calibrate collectives --network DGX_A100 --measurements nccl.txt --collective all_reduce --fit-share 0.4 > net.sysdl
cat net.sysdl
sysdlc check --deny warnings net.sysdl && sysdlc fmt --check net.sysdl && echo "= fine"
sysdlc calibrate collectives --network DGX_A100 --measurements nccl.txt
echo "= $?"
{
  echo 'op,gpus,size,time_us,host'
  for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
    echo "all_gather,4,$((i * 1000000)),$((9 + 4 * i)),a"
    echo "all_gather,8,$((i * 1000000)),$((12 + 5 * i)),a"
    echo "broadcast,8,$((i * 1000000)),$((12 + 5 * i)),b"
  done
} > table.csv
sysdlc calibrate collectives --network DGX_A100 --measurements table.csv --where host=a --format json |
  sed -n -e '/"kind"/,/"constants"/p'
sysdlc calibrate collectives --network DGX_A100 --measurements table.csv --max-errors 1
echo "= $?"
