# The program in README.md is examples/01_aim.cpp, to the letter, so that it can't rot.
#   cmake -DSOURCE=... -P check_readme.cmake

cmake_minimum_required(VERSION 3.25)
file(READ ${SOURCE}/README.md readme)
file(READ ${SOURCE}/examples/01_aim.cpp program)
string(FIND "${readme}" "```cpp\n${program}```\n" found)
if(found EQUAL -1)
  message(FATAL_ERROR "README.md does not hold the text of examples/01_aim.cpp; copy it into its ```cpp block")
endif()
