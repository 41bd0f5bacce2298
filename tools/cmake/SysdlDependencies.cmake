# The libraries of others, each as an interface library with SYSTEM includes: sysdl_llvm, sysdl_antlr, sysdl_fmt,
# sysdl_cli11, sysdl_eigen. All are static or header-only. Debian's exported CMake targets are not used: those of LLVM drag in
# libz3 and more, those of ANTLR ask for libuuid, and neither is needed.

# sysdl_find(VAR FILE PACKAGE PLACES...): the folder of a header or the path of a library, or a sentence that says what
# to install.
function(sysdl_find var file package)
  if(file MATCHES "\\.(a|so)$")
    find_library(${var} NAMES "${file}" PATHS ${ARGN})
  else()
    find_path(${var} NAMES "${file}" PATHS ${ARGN})
  endif()
  if(NOT ${var})
    message(FATAL_ERROR "${file} not found: install the Debian package ${package} (tools/packages.txt lists them all)")
  endif()
  mark_as_advanced(${var})
endfunction()

find_package(Threads REQUIRED)

# LLVM's Support and ADT. Never libLLVM.so: it costs 25 ms and 48 MB at every start.
set(SYSDL_LLVM_ROOT /usr/lib/llvm-14 CACHE PATH "Where LLVM 14 is installed")
sysdl_find(SYSDL_LLVM_INCLUDE llvm/ADT/StringRef.h llvm-14-dev "${SYSDL_LLVM_ROOT}/include")
sysdl_find(SYSDL_LLVM_SUPPORT libLLVMSupport.a llvm-14-dev "${SYSDL_LLVM_ROOT}/lib")
sysdl_find(SYSDL_LLVM_DEMANGLE libLLVMDemangle.a llvm-14-dev "${SYSDL_LLVM_ROOT}/lib")
sysdl_find(SYSDL_TINFO libtinfo.a libtinfo-dev)
sysdl_find(SYSDL_ZLIB libz.a zlib1g-dev)
add_library(sysdl_llvm INTERFACE)
target_include_directories(sysdl_llvm SYSTEM INTERFACE "${SYSDL_LLVM_INCLUDE}")
target_link_libraries(sysdl_llvm INTERFACE "${SYSDL_LLVM_SUPPORT}" "${SYSDL_LLVM_DEMANGLE}" "${SYSDL_TINFO}"
  "${SYSDL_ZLIB}" Threads::Threads ${CMAKE_DL_LIBS})

# fmt: Debian has no static archive, so ir/support/fmt_impl.cpp compiles its non-template part.
sysdl_find(SYSDL_FMT_INCLUDE fmt/format-inl.h libfmt-dev)
add_library(sysdl_fmt INTERFACE)
target_include_directories(sysdl_fmt SYSTEM INTERFACE "${SYSDL_FMT_INCLUDE}")

# ANTLR's tool (Java, at build time) and C++ runtime. Version 4.7.2 writes u8"" literals where C++20 wants char.
find_program(SYSDL_ANTLR4 antlr4)
if(NOT SYSDL_ANTLR4)
  message(FATAL_ERROR "antlr4 not found: install the Debian package antlr4 (tools/packages.txt lists them all)")
endif()
sysdl_find(SYSDL_ANTLR_INCLUDE antlr4-runtime.h libantlr4-runtime-dev /usr/include/antlr4-runtime)
sysdl_find(SYSDL_ANTLR_LIBRARY libantlr4-runtime.a libantlr4-runtime-dev)
add_library(sysdl_antlr INTERFACE)
target_include_directories(sysdl_antlr SYSTEM INTERFACE "${SYSDL_ANTLR_INCLUDE}")
target_compile_options(sysdl_antlr INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-fno-char8_t>")
target_link_libraries(sysdl_antlr INTERFACE "${SYSDL_ANTLR_LIBRARY}" Threads::Threads)

sysdl_find(SYSDL_CLI11_INCLUDE CLI/CLI.hpp libcli11-dev)
add_library(sysdl_cli11 INTERFACE)
target_include_directories(sysdl_cli11 SYSTEM INTERFACE "${SYSDL_CLI11_INCLUDE}")

# Eigen, for its port of MINPACK's least squares (driver/calibrate).
sysdl_find(SYSDL_EIGEN_INCLUDE unsupported/Eigen/NonLinearOptimization libeigen3-dev /usr/include/eigen3)
add_library(sysdl_eigen INTERFACE)
target_include_directories(sysdl_eigen SYSTEM INTERFACE "${SYSDL_EIGEN_INCLUDE}")
