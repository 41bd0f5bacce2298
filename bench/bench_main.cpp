// The main function of sysdl_bench. Benchmarks register themselves from the other files of this folder.
#include <benchmark/benchmark.h>

BENCHMARK_MAIN();
