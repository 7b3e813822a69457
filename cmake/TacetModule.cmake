# Where sums and draws are.
set(TACET_HOT "^tacet_(numeric|random|optimize)$")

# tacet_batches(<variable> <target> <sources...>): most of the time of compiling a file is reading
# headers, so twenty files are read as one, a file of their includes. Where sums and draws are it is
# ten: how much the compiler inlines depends on what stands beside it. They are named from the source
# tree on: these files are the same in every clone, and so is what a test says of its place, so that ccache
# finds in one clone what another has compiled (UNITY_BUILD of CMake writes absolute paths).
function(tacet_batches variable target)
  set(batches "")
  set(lines "")
  set(in_batch 0)
  tacet_size_of_batches(size ${target} ${ARGN})
  foreach(source IN LISTS ARGN)
    cmake_path(NORMAL_PATH source)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    string(APPEND lines "#include \"${source}\"\n")
    math(EXPR in_batch "${in_batch} + 1")
    if(in_batch EQUAL size)
      tacet_write_batch(batches ${target} "${lines}")
      set(lines "")
      set(in_batch 0)
    endif()
  endforeach()
  if(in_batch GREATER 0)
    tacet_write_batch(batches ${target} "${lines}")
  endif()
  set(${variable} ${batches} PARENT_SCOPE)
endfunction()

# tacet_size_of_batches(<variable> <target> <sources...>): about that, the same in all of a target: one
# that is nearly empty has the headers for little. Tests are less work for the compiler: there it is half
# as many again.
function(tacet_size_of_batches variable target)
  set(size ${TACET_BATCH_SIZE})
  if(target MATCHES "${TACET_HOT}")
    math(EXPR size "(${size} + 1) / 2")
  elseif(target MATCHES "_test$")
    math(EXPR size "${size} * 3 / 2")
  endif()
  list(LENGTH ARGN number)
  math(EXPR batches "(${number} + ${size} / 2) / ${size}")
  if(batches LESS 1)
    set(batches 1)
  endif()
  math(EXPR size "(${number} + ${batches} - 1) / ${batches}")
  set(${variable} ${size} PARENT_SCOPE)
endfunction()

# tacet_write_batch(<list> <target> <lines>): one more of these files, appended to the list.
function(tacet_write_batch list target lines)
  list(LENGTH ${list} number)
  set(batch ${CMAKE_CURRENT_BINARY_DIR}/batches/${target}_${number}.cc)
  file(CONFIGURE OUTPUT ${batch} CONTENT "${lines}")  # left alone when it is the same
  set(${list} ${${list}} ${batch} PARENT_SCOPE)
endfunction()

# Sources in which a fault is planted stand alone, so that one object can stand for them.
file(GLOB patches CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/faults/*.patch)
set(TACET_FAULTY "")
foreach(patch ${patches})
  file(STRINGS ${patch} lines REGEX "^(\\+\\+\\+ b/|Sources: ).*[.]cc$")
  string(REGEX MATCHALL "tacet/[^ ;]+[.]cc" lines "${lines}")
  list(APPEND TACET_FAULTY ${lines})
endforeach()

# tacet_in_batches(<variable> <target> <sources...>): what the target compiles. Kernels that a file
# compiles once for each kind of processor stay by themselves, what includes Asio or Beast, and TACET_FAULTY.
function(tacet_in_batches variable target)
  set(${variable} ${ARGN} PARENT_SCOPE)
  if(NOT TACET_BATCHES)
    return()
  endif()
  set(kernels "HWY_TARGET_INCLUDE")
  set(network "boost/(asio|beast)|http/(tls|connection).h")
  set(lone "")
  set(others "")
  foreach(source IN LISTS ARGN)
    file(STRINGS ${source} alone REGEX "${kernels}|${network}" LIMIT_COUNT 1)
    file(RELATIVE_PATH place ${PROJECT_SOURCE_DIR} ${source})
    if(alone OR place IN_LIST TACET_FAULTY)
      list(APPEND lone ${source})
    else()
      list(APPEND others ${source})
    endif()
  endforeach()
  tacet_batches(batches ${target} ${others})
  set(${variable} ${batches} ${lone} PARENT_SCOPE)
endfunction()

# tacet_batched(<target>): a type of one file is none of a header, as the compiler takes it for there.
function(tacet_batched target)
  if(TACET_BATCHES)
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# tacet_talks(<compiled files...>): what asks, books and prints is no hot loop, and is compiled for
# size. GCC has no use there for headers that were precompiled for speed.
function(tacet_talks)
  if(NOT ARGN)
    return()
  endif()
  set(talking ${ARGN})
  list(FILTER talking EXCLUDE REGEX "_kernels\\.cc$")  # which are there for speed
  if(talking)
    set_source_files_properties(${talking} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-Os>)
  endif()
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    set_source_files_properties(${ARGN} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  endif()
endfunction()

# tacet_in_sections(<target>): a program that links with --gc-sections leaves out what it does not
# call.
function(tacet_in_sections target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-ffunction-sections>
                                           $<$<CONFIG:Release>:-fdata-sections>)
endfunction()

# tacet_computes(<name>): instrumented, -Og compiles in two thirds of the time of -O1, and only where
# tests spend theirs it is not worth it.
function(tacet_computes name)
  if(TACET_SANITIZE AND name MATCHES "^(numeric|random|accounting|mechanism|optimize|learn)$")
    target_compile_options(tacet_${name} PRIVATE -O1)
  endif()
endfunction()

# tacet_not_sanitized(<result> <name> <tests...>): what a sanitized build takes out of the quick tier of
# a module, as the end of a filter of GoogleTest. A line that names no test is an error.
function(tacet_not_sanitized result name)
  set(filter "")
  if(TACET_SANITIZE)
    file(STRINGS ${PROJECT_SOURCE_DIR}/cmake/not_sanitized.txt lines REGEX "^${name} ")
    foreach(line ${lines})
      string(REPLACE " " ";" words "${line}")
      list(GET words 1 suite)
      list(GET words 2 test)
      string(APPEND filter ":${suite}.${test}")
      set(found "")
      foreach(source ${ARGN})
        file(STRINGS ${source} found REGEX "${test}\\)")
        if(found)
          break()
        endif()
      endforeach()
      if(NOT found)
        message(FATAL_ERROR "cmake/not_sanitized.txt names a test that ${name} does not have: ${line}")
      endif()
    endforeach()
  endif()
  set(${result} "${filter}" PARENT_SCOPE)
endfunction()

# tacet_module(<name> ROOMS <folders...> TALKS <folders...> WORKS <files...>
#              DEPENDS <lower modules...> LIBRARIES <third party...>)
#
# A folder is a module is a target: every .cc that is not a test goes into the library tacet_<name>;
# every *_test.cc into the one test program <name>_test. Suites whose name ends in "Long" form the
# long tier, all others the quick one.
#
# ROOMS are the folders of a large module, lowest first, "." being the module's own level: a room
# includes only what stands before it. scripts/check_floors reads that order here and holds it. Rooms
# of TALKS are compiled for size, but for their files of WORKS, which a server runs for each report.
function(tacet_module name)
  cmake_parse_arguments(ARG "" "" "ROOMS;TALKS;WORKS;DEPENDS;LIBRARIES" ${ARGN})
  if(NOT ARG_ROOMS)
    set(ARG_ROOMS .)
  endif()
  set(sources "")
  set(talking "")
  set(headers "")
  set(tests "")
  foreach(room ${ARG_ROOMS})
    set(kind sources)
    if(room IN_LIST ARG_TALKS)
      set(kind talking)
    endif()
    file(GLOB found CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${room}/*.cc)
    list(APPEND ${kind} ${found})
    file(GLOB found CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${room}/*.h)
    list(APPEND headers ${found})
    file(GLOB found CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${room}/*_test.cc)
    list(APPEND tests ${found})
  endforeach()
  if(tests)
    list(REMOVE_ITEM sources ${tests})
    list(REMOVE_ITEM talking ${tests})
  endif()
  list(TRANSFORM ARG_WORKS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  foreach(file IN LISTS ARG_WORKS)
    if(NOT file IN_LIST talking)
      message(FATAL_ERROR "no room of TALKS in ${name} has ${file}")
    endif()
  endforeach()
  if(ARG_WORKS)
    list(REMOVE_ITEM talking ${ARG_WORKS})
    list(APPEND sources ${ARG_WORKS})
  endif()
  list(TRANSFORM ARG_DEPENDS PREPEND tacet_)
  if(sources OR talking)
    tacet_in_batches(compiled tacet_${name} ${sources})
    tacet_in_batches(small tacet_${name}_talk ${talking})
    tacet_talks(${small})
    add_library(tacet_${name} ${compiled} ${small} ${headers})  # static, or as BUILD_SHARED_LIBS says
    tacet_in_sections(tacet_${name})
    tacet_computes(${name})
    # The same compilation for both kinds.
    set_target_properties(tacet_${name} PROPERTIES DEFINE_SYMBOL "" INSTALL_RPATH "$ORIGIN" VERSION
                          ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    tacet_precompiled_as(tacet_precompiled tacet_${name})
    tacet_batched(tacet_${name})
    set(scope PUBLIC)
  else()
    add_library(tacet_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(tacet::${name} ALIAS tacet_${name})
  target_include_directories(
    tacet_${name} ${scope} $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(tacet_${name} ${scope} ${ARG_DEPENDS} ${ARG_LIBRARIES} tacet_compiler)
  set_target_properties(tacet_${name} PROPERTIES EXPORT_NAME ${name})
  set_property(GLOBAL APPEND PROPERTY TACET_MODULES tacet_${name})

  if(TACET_BUILD_TESTS AND tests)
    # Several tests are read as one too; each has a namespace of its own for that.
    tacet_batches(compiled ${name}_test ${tests})
    add_executable(${name}_test ${compiled})
    target_link_libraries(${name}_test PRIVATE tacet_${name} tacet_test_support GTest::gtest_main)
    tacet_for_tests(${name}_test)
    tacet_precompiled_as(tacet_precompiled_test ${name}_test)
    tacet_not_sanitized(left_out ${name} ${tests})
    add_test(NAME ${name} COMMAND ${name}_test --gtest_filter=-*Long.*${left_out} --gtest_brief=1)
    # The large programs begin first, the largest of them at once: none is left running alone at the
    # end.
    set(cost 100)
    if(name MATCHES "^(learn|accounting)$")
      set(cost 200)
    endif()
    set_tests_properties(${name} PROPERTIES LABELS quick TIMEOUT 1800 COST ${cost})
    set(long_suites "")
    foreach(test ${tests})
      file(STRINGS ${test} found REGEX "^TEST(_F|_P)?\\([A-Za-z0-9]*Long,")
      list(APPEND long_suites ${found})
    endforeach()
    if(long_suites)
      add_test(NAME ${name}_long COMMAND ${name}_test --gtest_filter=*Long.* --gtest_brief=1)
      set_tests_properties(${name}_long PROPERTIES LABELS long TIMEOUT 7200)
    endif()
  endif()
endfunction()
