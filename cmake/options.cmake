# The habits of every target of ours: C++20, warnings as errors, the same bits everywhere.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
endif()

# Results must not depend on whether the compiler fuses a multiply and an add, so it never may. Only what a
# target compiles itself is affected, never its users.
add_library(gestik_habits INTERFACE)
target_compile_options(gestik_habits INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wswitch -Werror -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # Clang counts int indices as conversions and does not know GCC's loop pragmas.
  target_compile_options(gestik_habits INTERFACE -Wno-sign-conversion -Wno-unknown-pragmas)
endif()
if(GESTIK_SANITIZE)
  target_compile_options(gestik_habits INTERFACE
    -fsanitize=${GESTIK_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(gestik_habits INTERFACE -fsanitize=${GESTIK_SANITIZE})
endif()

# gestik_test(ROOM SOURCES...): one test program per room, its cases listed in ctest by name.
function(gestik_test room)
  find_package(GTest REQUIRED)
  include(GoogleTest)
  add_executable(${room}_test ${ARGN})
  target_link_libraries(${room}_test PRIVATE
    gestik gestik_io gestik_habits GTest::gtest_main rapidcheck_gtest)
  target_compile_definitions(${room}_test PRIVATE GESTIK_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  gtest_discover_tests(${room}_test TEST_PREFIX ${room}/ DISCOVERY_TIMEOUT 60)
endfunction()
