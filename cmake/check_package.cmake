# The installed package as a user meets it: installs BUILD into a folder of its own, moves that elsewhere, builds and
# runs SOURCE/examples against it as a project of their own, and once more with the readers' libraries hidden, which
# must leave the core usable.
#   cmake -DSOURCE=... -DBUILD=... -DWORK=... -DCOMPILER=... -P check_package.cmake

cmake_minimum_required(VERSION 3.25)

function(step)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "failed: ${command}\n${output}")
  endif()
endfunction()

function(try_examples folder)
  step(${CMAKE_COMMAND} -S ${SOURCE}/examples -B ${WORK}/${folder} -G Ninja -DCMAKE_CXX_COMPILER=${COMPILER}
    -DCMAKE_PREFIX_PATH=${WORK}/moved ${ARGN})
  step(${CMAKE_COMMAND} --build ${WORK}/${folder})
  step(${CMAKE_CTEST_COMMAND} --test-dir ${WORK}/${folder} --output-on-failure --no-tests=error)
endfunction()

file(REMOVE_RECURSE ${WORK})
step(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/installed)
file(RENAME ${WORK}/installed ${WORK}/moved)

# Every header that can be reached is there, and no test.
file(GLOB_RECURSE headers RELATIVE ${WORK}/moved/include ${WORK}/moved/include/*)
foreach(header ${headers})
  if(NOT header MATCHES "[.]h$" OR header MATCHES "_test[.]")
    message(FATAL_ERROR "${header} should not be installed")
  endif()
  file(STRINGS ${WORK}/moved/include/${header} includes REGEX "^#include \"")
  foreach(include ${includes})
    string(REGEX REPLACE "^#include \"(.*)\"$" "\\1" include "${include}")
    if(NOT include IN_LIST headers)
      message(FATAL_ERROR "${header} is installed without ${include}, which it includes")
    endif()
  endforeach()
endforeach()

try_examples(with_io)
if(NOT EXISTS ${WORK}/with_io/01_aim)
  message(FATAL_ERROR "gestik::io was not found in the installed package")
endif()
try_examples(core_only -DCMAKE_DISABLE_FIND_PACKAGE_urdfdom=ON -DCMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON)
if(EXISTS ${WORK}/core_only/01_aim)
  message(FATAL_ERROR "01_aim was built without the readers' libraries")
endif()
