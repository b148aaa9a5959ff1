# One CMake target per layer. `discreet_layer(numeric LINKS PkgConfig::GMP)` compiles src/numeric/*.cc
# into discreet_numeric, so that a new file needs no line here. It uses the layers that
# src/layers.txt names before it, but for those behind a wall. LINKS: other libraries. SHARED: also
# for a shared library, Python's module. HOT: one object per file, since the time of its inner loops
# is measured. COLD: it reads words and prints others, so -O1 is enough. The property DISCREET_LAYERS
# names all layers, for programs that may use any (benchmarks, fuzz targets). A layer may have
# subfolders (src/engine/duckdb/*.cc). Includes are written from src/: "random/coin.h".
# discreet_tests(kernel base numeric ...) makes the test program kernel_test of these layers'
# *_test.cc. SLOW: `./dev test fast` leaves it out. AS_SHIPPED: with the product's flags, because it
# instantiates templates of the layers that it tests, and the linker takes the first instance it sees.

# discreet_below(name OUT): the targets of the layers that `name` may use, lowest first.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/layers.txt)
function(discreet_below name out)
  file(STRINGS ${CMAKE_SOURCE_DIR}/src/layers.txt lines REGEX "^[a-z]")
  set(below)
  foreach(line ${lines})
    string(REGEX REPLACE "#.*" "" line "${line}")
    string(REGEX MATCHALL "[a-z]+" words "${line}")
    list(POP_FRONT words layer)
    if(layer STREQUAL name)
      list(POP_FRONT words)  # `not`
      list(REMOVE_ITEM below ${words} "")
      list(TRANSFORM below PREPEND discreet_)
      set(${out} ${below} PARENT_SCOPE)
      return()
    endif()
    list(APPEND below ${layer})
  endforeach()
  message(FATAL_ERROR "src/layers.txt has no layer '${name}'")
endfunction()

# discreet_unity(target MOST): compiles the files of a target MOST at a time or somewhat fewer, as if they were one file, so that
# headers, and what is made of their templates, are compiled once for all of them. Names in unnamed namespaces must differ within a
# layer; a test file has a namespace of its own. With -DDISCREET_UNITY=OFF one at a time, for work on a few files.
function(discreet_unity target most)
  get_target_property(sources ${target} SOURCES)
  list(LENGTH sources n)
  math(EXPR batches "(${n} + ${most} - 1) / ${most}")
  math(EXPR size "(${n} + ${batches} - 1) / ${batches}")
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${DISCREET_UNITY} UNITY_BUILD_BATCH_SIZE ${size})
endfunction()

# discreet_lightly(target): -O1 in a release.
function(discreet_lightly target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  # With it gcc 12 sees ghosts in std::string.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds -Wno-restrict -Wno-stringop-overread
                         -Wno-stringop-overflow -Wno-maybe-uninitialized>)
endfunction()

# The standard library's headers, compiled once for all layers above the kernel and once more for those
# with -O1. Without unity builds, and so for `./dev lint`, each file stands on its own includes.
if(DISCREET_UNITY)
  file(WRITE ${CMAKE_BINARY_DIR}/standard_header.cc "")
  foreach(header standard_header standard_header_lightly)
    add_library(${header} OBJECT ${CMAKE_BINARY_DIR}/standard_header.cc)
    target_compile_options(${header} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
    target_precompile_headers(${header} PRIVATE <algorithm> <array> <atomic> <chrono> <condition_variable> <filesystem> <fstream>
                              <functional> <map> <memory> <mutex> <optional> <set> <sstream> <string> <string_view> <thread>
                              <unordered_map> <utility> <variant> <vector>)
  endforeach()
  discreet_lightly(standard_header_lightly)
endif()

# discreet_test_options(target): what test programs are compiled with; equal for all that share a precompiled header.
function(discreet_test_options target)
  target_link_libraries(${target} PRIVATE ${RAPIDCHECK} GTest::gtest)
  target_compile_definitions(${target} PRIVATE DISCREET_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  if(NOT ARG_AS_SHIPPED)
    discreet_lightly(${target})
  endif()
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endfunction()

if(DISCREET_TESTS)
  find_package(GTest REQUIRED)
  find_library(RAPIDCHECK rapidcheck REQUIRED)
  # Test programs are most of a build from nothing. They share one precompiled header and are compiled with -O1, but for
  # those that are marked; the layers that they test are the shipped objects.
  file(WRITE ${CMAKE_BINARY_DIR}/test_header.cc "")
  add_library(test_header OBJECT ${CMAKE_BINARY_DIR}/test_header.cc)
  discreet_test_options(test_header)
  target_precompile_headers(test_header PRIVATE <gtest/gtest.h> <rapidcheck.h> <algorithm> <fstream> <functional> <map> <optional>
                            <sstream> <string> <vector>)
endif()

function(discreet_layer name)
  cmake_parse_arguments(ARG "SHARED;HOT;COLD" "" "LINKS" ${ARGN})
  discreet_below(${name} below)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cc
       ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*/*.cc)
  list(FILTER sources EXCLUDE REGEX "/nocompile/")
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$|/main\\.cc$")
  if(sources)
    add_library(discreet_${name} STATIC ${sources})
    target_include_directories(discreet_${name} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
    target_link_libraries(discreet_${name} PUBLIC ${below} ${ARG_LINKS})
    if(ARG_SHARED)
      # The same objects are linked into the program and into Python's module. Hidden, and never to be replaced by another
      # library's, so that calls and data are as direct as in a program.
      set_target_properties(discreet_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden)
      target_compile_options(discreet_${name} PRIVATE -fno-semantic-interposition)
    endif()
    if(NOT ARG_HOT)
      discreet_unity(discreet_${name} 20)
    endif()
    set(header standard_header)
    if(ARG_COLD)
      discreet_lightly(discreet_${name})
      set(header standard_header_lightly)
    endif()
    if(DISCREET_UNITY AND NOT ARG_SHARED)
      target_compile_options(discreet_${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
      target_precompile_headers(discreet_${name} REUSE_FROM ${header})
    endif()
  else()
    add_library(discreet_${name} INTERFACE)
    target_include_directories(discreet_${name} INTERFACE ${CMAKE_CURRENT_SOURCE_DIR})
    target_link_libraries(discreet_${name} INTERFACE ${below} ${ARG_LINKS})
  endif()
  set_property(GLOBAL APPEND PROPERTY DISCREET_LAYERS discreet_${name})
  if(DISCREET_TESTS)
    discreet_nocompile(${name})
  endif()
endfunction()

function(discreet_tests name)
  if(NOT DISCREET_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "SLOW;AS_SHIPPED" "" "" ${ARGN})
  set(layers ${ARG_UNPARSED_ARGUMENTS})
  set(tests)
  foreach(layer ${layers})
    file(GLOB_RECURSE of_layer CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${layer}/*_test.cc)
    list(APPEND tests ${of_layer})
  endforeach()
  list(TRANSFORM layers PREPEND discreet_)
  add_executable(${name}_test ${tests})
  discreet_test_options(${name}_test)
  target_link_libraries(${name}_test PRIVATE ${layers} GTest::gtest_main)
  if(NOT ARG_AS_SHIPPED)
    target_precompile_headers(${name}_test REUSE_FROM test_header)
  endif()
  discreet_unity(${name}_test 8)
  add_test(NAME ${name} COMMAND ${name}_test --gtest_brief=1)
  # Property tests repeat the same cases in every run; `RC_PARAMS=seed=N build/bin/${name}_test` tries others.
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "RC_PARAMS=seed=1")
  if(NOT ARG_SLOW)
    set_tests_properties(${name} PROPERTIES LABELS fast)
  endif()
endfunction()

# Must-not-compile tests: src/<layer>/nocompile/*.cc. Each compiles as it stands, and with -DMISUSE it must
# fail with a message that matches the regular expression in its `// expect:` line. What they include is
# compiled once for all cases of a layer, which takes most of their time away.
function(discreet_nocompile name)
  file(GLOB cases CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/nocompile/*.cc)
  if(NOT cases)
    return()
  endif()
  set(headers ${CMAKE_CURRENT_BINARY_DIR}/nocompile_${name}.h)
  set(run ${CMAKE_COMMAND} -DCXX=${CMAKE_CXX_COMPILER} -DHEADERS=${headers} -DINCLUDE=${CMAKE_SOURCE_DIR}/src)
  set(script -P ${CMAKE_SOURCE_DIR}/cmake/nocompile.cmake)
  add_test(NAME nocompile.${name} COMMAND ${run} "-DCASES=${cases}" ${script})
  set_tests_properties(nocompile.${name} PROPERTIES LABELS fast FIXTURES_SETUP nocompile_${name})
  foreach(case ${cases})
    get_filename_component(stem ${case} NAME_WE)
    add_test(NAME nocompile.${name}.${stem} COMMAND ${run} -DCASE=${case} ${script})
    set_tests_properties(nocompile.${name}.${stem} PROPERTIES LABELS fast FIXTURES_REQUIRED nocompile_${name})
  endforeach()
endfunction()
