// The main function of sysdl_tests, in a file of its own because it is slow to compile.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
