# tacet/base/version.h is made from the project's version and reaches every module through
# tacet_compiler, in the build tree as in an installed one.
set(TACET_GENERATED_DIR ${CMAKE_CURRENT_BINARY_DIR}/generated)
configure_file(tacet/base/version.h.in ${TACET_GENERATED_DIR}/tacet/base/version.h @ONLY)
target_include_directories(tacet_compiler INTERFACE $<BUILD_INTERFACE:${TACET_GENERATED_DIR}>)
