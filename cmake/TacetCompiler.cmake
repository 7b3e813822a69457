# One interface target carries what every module is compiled with.
add_library(tacet_compiler INTERFACE)
target_compile_features(tacet_compiler INTERFACE cxx_std_20)
# Contraction would let two builds round differently; bit-reproducible results forbid it.
target_compile_options(tacet_compiler INTERFACE $<BUILD_INTERFACE:-ffp-contract=off>)
# Keeps the parts of Eigen that are not under MPL-2.0 out.
target_compile_definitions(tacet_compiler INTERFACE EIGEN_MPL2_ONLY)
# Programs of others leave out what they do not call: 1.2 MB of 6.
target_link_options(tacet_compiler INTERFACE $<INSTALL_INTERFACE:-Wl,--gc-sections>)
set(_tacet_warnings -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow
                    -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual
                    -Wdouble-promotion -Wformat=2
                    # Options are structs whose absent fields mean the default.
                    -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # At -O3 GCC 12 sees what is not there inside headers that it has inlined: uninitialised limbs in
  # Boost's integers, overlapping copies in libstdc++'s strings (GCC bug 105651). ASan, UBSan and
  # the warnings of the other presets watch the same things.
  list(APPEND _tacet_warnings -Wno-maybe-uninitialized -Wno-restrict)
endif()
# Another project that takes this tree into its build chooses the warnings of its own code.
if(NOT PROJECT_IS_TOP_LEVEL)
  add_compile_options(${_tacet_warnings})
  set(_tacet_warnings "")
endif()
target_compile_options(tacet_compiler INTERFACE "$<BUILD_INTERFACE:${_tacet_warnings}>")
if(TACET_WARNINGS_AS_ERRORS AND PROJECT_IS_TOP_LEVEL)
  target_compile_options(tacet_compiler INTERFACE $<BUILD_INTERFACE:-Werror>)
elseif(TACET_WARNINGS_AS_ERRORS)
  add_compile_options(-Werror)
endif()
# Hardening of what ships. Sanitizers have checks of their own at the same places, and FORTIFY needs
# an optimising build.
if(NOT TACET_SANITIZE)
  set(_tacet_optimising "$<CONFIG:Release,RelWithDebInfo,MinSizeRel>")
  set(_tacet_hardening -fstack-protector-strong "$<${_tacet_optimising}:-U_FORTIFY_SOURCE>"
                       "$<${_tacet_optimising}:-D_FORTIFY_SOURCE=2>")
  if(PROJECT_IS_TOP_LEVEL)
    target_compile_options(tacet_compiler INTERFACE "$<BUILD_INTERFACE:${_tacet_hardening}>")
  else()
    add_compile_options(${_tacet_hardening})
  endif()
endif()
include(CheckPIESupported)
check_pie_supported(LANGUAGES CXX)
# An instrumented program starts in two thirds of the time where nothing of it is relocated.
if(TACET_SANITIZE MATCHES "address")
  set(CMAKE_CXX_LINK_OPTIONS_PIE -no-pie)
endif()
add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack)
if(TACET_SANITIZE)
  add_compile_options(-fsanitize=${TACET_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${TACET_SANITIZE})
  # Checks of each pointer before it is used are a third of the compilation. ASan stops at the use
  # itself; the preset `ubsan` has these too.
  if(TACET_SANITIZE MATCHES "address" AND TACET_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize=null,alignment)
  endif()
endif()
if(TACET_FUZZERS)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(TACET_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()

# GCC collects its own garbage from 128 MB on, again and again, a seventh of the time of compiling. It
# may use 1 GB before.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND PROJECT_IS_TOP_LEVEL)
  add_compile_options(--param=ggc-min-heapsize=1000000)
endif()

# A compilation is done once for all clones: paths count from the source tree.
find_program(TACET_CCACHE ccache)
if(TACET_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER AND PROJECT_IS_TOP_LEVEL)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros ${TACET_CCACHE})
endif()

# tacet_precompile(<target> <further headers...>)
#
# Most of the time of compiling is reading these headers. Every file still includes what it needs:
# presets without TACET_PRECOMPILE show it.
function(tacet_precompile target)
  target_precompile_headers(
    ${target} PRIVATE <algorithm> <array> <cmath> <cstddef> <cstdint> <filesystem> <functional>
    <limits> <memory> <numeric> <optional> <span> <string> <string_view> <utility> <variant>
    <vector> <fmt/format.h> <nlohmann/json.hpp> ${ARGN})
  tacet_lets_ccache_read(${target})
endfunction()

# tacet_precompiled_as(<precompiled> <target>): the target reads what was precompiled there.
function(tacet_precompiled_as precompiled target)
  if(TARGET ${precompiled})
    target_precompile_headers(${target} REUSE_FROM ${precompiled})
    tacet_lets_ccache_read(${target})
  endif()
endfunction()

function(tacet_lets_ccache_read target)
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endfunction()

# tacet_for_tests(<target>): what is tested is compiled as it ships; for the tests themselves -Og takes
# three quarters of the time of -O1, and they run about as fast.
function(tacet_for_tests target)
  if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
    target_compile_options(${target} PRIVATE -Og)
  endif()
endfunction()

# The libraries share one precompiled header, and the tests another: programs are compiled with other
# flags.
if(TACET_PRECOMPILE)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/precompiled.cc CONTENT "\n")
  add_library(tacet_precompiled OBJECT ${PROJECT_BINARY_DIR}/generated/precompiled.cc)
  if(TACET_BUILD_TESTS)
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/precompiled_test.cc
         CONTENT "int main() {}\n")
    add_executable(tacet_precompiled_test ${PROJECT_BINARY_DIR}/generated/precompiled_test.cc)
  endif()
endif()
