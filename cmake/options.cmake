# The habits of every target of ours: C++20, warnings as errors, the same bits everywhere. Nothing here
# reaches a user's targets: variables end with this folder, and gestik_habits is linked privately.

if((GESTIK_TOOL OR GESTIK_TESTS OR GESTIK_BENCH OR GESTIK_FUZZ) AND NOT GESTIK_IO)
  message(FATAL_ERROR "The tool, the tests, the benchmarks and the fuzz targets read files: they need GESTIK_IO=ON.")
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, RelWithDebInfo or Debug" FORCE)
  endif()
endif()

# gestik_merge(TARGET): compiles its sources a few at a time. Most of what a file takes goes into the templates of
# Eigen, nlohmann-json and CLI11 that it uses, and files that are compiled together share them.
function(gestik_merge target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${GESTIK_MERGE} UNITY_BUILD_BATCH_SIZE 7)
endfunction()

add_library(gestik_habits INTERFACE)
if(MSVC)
  # /fp:precise, the default, never fuses a multiply and an add.
  target_compile_options(gestik_habits INTERFACE /W4 $<$<BOOL:${GESTIK_WERROR}>:/WX>)
else()
  # Results must not depend on whether the compiler fuses a multiply and an add, so it never may.
  # A switch that forgets a joint type is an error even where warnings are not.
  target_compile_options(gestik_habits INTERFACE
    -Wall -Wextra -Wpedantic -Wconversion -Wswitch -Werror=switch $<$<BOOL:${GESTIK_WERROR}>:-Werror>
    -ffp-contract=off)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC 12 sees overlaps in "text" + std::string that are not there (its bug 105329).
    target_compile_options(gestik_habits INTERFACE -Wno-restrict)
  elseif(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    # Clang counts int indices as conversions and does not know GCC's loop pragmas.
    target_compile_options(gestik_habits INTERFACE -Wno-sign-conversion -Wno-unknown-pragmas)
  endif()
endif()
if(GESTIK_SANITIZE)
  target_compile_options(gestik_habits INTERFACE
    -fsanitize=${GESTIK_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(gestik_habits INTERFACE -fsanitize=${GESTIK_SANITIZE})
endif()

# For tests, after gestik_habits: what is under test is checked for undefined behaviour; checking the tests too would
# double their time.
add_library(gestik_lenient INTERFACE)
if(GESTIK_SANITIZE)
  target_compile_options(gestik_lenient INTERFACE -fno-sanitize=undefined)
endif()

if(GESTIK_TESTS)
  find_package(GTest)
  find_package(rapidcheck)
  if(NOT GTest_FOUND OR NOT rapidcheck_FOUND)
    message(FATAL_ERROR "The tests need GoogleTest and RapidCheck: run `scripts/setup test`, "
      "or configure with -DGESTIK_TESTS=OFF.")
  endif()
  include(GoogleTest)
endif()

# gestik_test(ROOM SOURCES...): one test program per room, its cases listed in ctest by name.
function(gestik_test room)
  add_executable(${room}_test ${ARGN})
  target_link_libraries(${room}_test PRIVATE
    gestik gestik_io gestik_habits GTest::gtest_main rapidcheck_gtest gestik_lenient)
  target_compile_definitions(${room}_test PRIVATE GESTIK_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  gestik_merge(${room}_test)
  # The time goes into compiling the tests, not into running them.
  target_compile_options(${room}_test PRIVATE $<$<CONFIG:Release>:-O1>)
  # What every test reads is read once, for the first program.
  if(TARGET base_test AND NOT room STREQUAL base)
    target_precompile_headers(${room}_test REUSE_FROM base_test)
  else()
    target_precompile_headers(${room}_test PRIVATE
      <Eigen/Core> <Eigen/Geometry> <gtest/gtest.h> <rapidcheck/gtest.h>)
  endif()
  # RapidCheck draws the same cases every time here; run a test program by itself for fresh ones.
  gtest_discover_tests(${room}_test TEST_PREFIX ${room}/ DISCOVERY_TIMEOUT 60
    PROPERTIES ENVIRONMENT RC_PARAMS=seed=1)
endfunction()
