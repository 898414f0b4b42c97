if(NOT TARGET keepclear_python OR NOT TARGET keepclear_command)
  return()
endif()
get_directory_property(batch_python DIRECTORY ${PROJECT_SOURCE_DIR}/python
                       DEFINITION Python3_EXECUTABLE)
add_test(NAME batch COMMAND ${batch_python} -B -m pytest -q -p no:cacheprovider
                            ${CMAKE_CURRENT_SOURCE_DIR}/batch)
set_tests_properties(
  batch
  PROPERTIES
    TIMEOUT 600 COST 60 ENVIRONMENT
    "PYTHONPATH=${PROJECT_BINARY_DIR}/python;KEEPCLEAR_COMMAND=$<TARGET_FILE:keepclear_command>")
