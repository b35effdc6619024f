# `gestik eval erik` gives the same files on one rank and on two; only times may differ.
#   cmake -DTOOL=... -DMPIRUN=... -DWORK=... -P check_mpi.cmake

cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})

# evaluate(FOLDER RANKS EXPECTED_CODE [OPTIONS...])
function(evaluate folder ranks expected)
  execute_process(
    COMMAND ${MPIRUN} -n ${ranks} ${TOOL} eval erik --skeleton A,C --solver erik --postures 60 --orientations 50
      --threads 1 --out ${WORK}/${folder} ${ARGN}
    RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output TIMEOUT 30)
  if(NOT code EQUAL expected)
    message(FATAL_ERROR "${ranks} ranks: exit code ${code}, not ${expected}\n${output}")
  endif()
endfunction()

# The results without their times.
function(read_results folder result)
  file(READ ${WORK}/${folder}/results.json results)
  string(REGEX REPLACE "\"us\": {[^}]*}" "" results "${results}")
  file(READ ${WORK}/${folder}/histograms.csv histograms)
  if(NOT results MATCHES "\"samples\": 3000")
    message(FATAL_ERROR "${folder}: no results\n${results}")
  endif()
  set(${result} "${results}${histograms}" PARENT_SCOPE)
endfunction()

evaluate(one 1 0)
evaluate(two 2 0)
read_results(one one)
read_results(two two)
if(NOT one STREQUAL two)
  message(FATAL_ERROR "two ranks give other numbers than one: compare the files in ${WORK}")
endif()

# Everyone hears of what the first refuses, and nobody waits for ever.
file(WRITE ${WORK}/left/checkpoint.0 "rubbish")
evaluate(left 2 2 --resume)
