# How our own code is compiled and linked: the interface library `sysdl_options`, and the functions that make a library
# or program of ours.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# As many jobs as cores (ninja alone starts two more, and each may take 1 GB).
cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
set_property(GLOBAL PROPERTY JOB_POOLS all=${cores})
set(CMAKE_JOB_POOL_COMPILE all)
set(CMAKE_JOB_POOL_LINK all)

# ccache and mold only save time. The base directory lets two clones share what they compiled.
find_program(SYSDL_CCACHE ccache)
if(SYSDL_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1 "${SYSDL_CCACHE}")
endif()
find_program(SYSDL_MOLD mold)

add_library(sysdl_options INTERFACE)
target_include_directories(sysdl_options INTERFACE "${PROJECT_SOURCE_DIR}")
# -ffp-contract=off: no fused multiply-add unless written, so that an answer has the same bytes on every machine.
target_compile_options(sysdl_options INTERFACE
  -ffp-contract=off
  "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wconversion;-Wno-sign-conversion;-Wshadow;-Werror>"
  # g++ 12's std::stable_sort uses what it deprecates itself; clang blames the caller.
  "$<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-deprecated-declarations>"
  -ffunction-sections -fdata-sections)
target_link_options(sysdl_options INTERFACE -Wl,--gc-sections -Wl,--as-needed)
if(SYSDL_MOLD)
  target_link_options(sysdl_options INTERFACE -fuse-ld=mold)
endif()

if(SYSDL_SANITIZE OR SYSDL_FUZZ)
  # Above the libraries of all folders: generated code and test code are instrumented too.
  set(sanitize "-fsanitize=${SYSDL_SANITIZE}" -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_compile_options(${sanitize})
  add_link_options(${sanitize})
  # g++ 12 takes instrumented parts of its own library, such as <regex>, for uses of what is not initialised.
  add_compile_options("$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized>")
  if(SYSDL_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link)
  endif()
else()
  # sysdlc then needs libc and libm only, and starts faster.
  target_link_options(sysdl_options INTERFACE -static-libstdc++ -static-libgcc)
endif()

# sysdl_library(NAME [OBJECT]): a library of ours; add its files with target_sources.
function(sysdl_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "OBJECT" "" "")
  if(arg_OBJECT)
    add_library(${name} OBJECT)
  else()
    add_library(${name} STATIC)
  endif()
  target_link_libraries(${name} PUBLIC sysdl_options)
  # A library without files yet still has to be one.
  cmake_language(EVAL CODE "cmake_language(DEFER CALL sysdl_fill_if_empty ${name})")
endfunction()

function(sysdl_fill_if_empty name)
  get_target_property(sources ${name} SOURCES)
  if(NOT sources)
    file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/generated/empty.cpp" CONTENT "")
    target_sources(${name} PRIVATE "${PROJECT_BINARY_DIR}/generated/empty.cpp")
  endif()
endfunction()

# sysdl_program(NAME): a program of ours; add its files with target_sources.
function(sysdl_program name)
  add_executable(${name})
  target_link_libraries(${name} PRIVATE sysdl_options)
endfunction()
