# Tests of the project as a whole.

add_test(NAME house/readme COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR}
  -P ${PROJECT_SOURCE_DIR}/cmake/check_readme.cmake)

if(GESTIK_INSTALL AND NOT GESTIK_SANITIZE)
  add_test(NAME house/package COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DBUILD=${PROJECT_BINARY_DIR}
    -DWORK=${PROJECT_BINARY_DIR}/package -DCOMPILER=${CMAKE_CXX_COMPILER}
    -P ${PROJECT_SOURCE_DIR}/cmake/check_package.cmake)
endif()
