# The Python module: one ctest for each test_*.py here, with the module of the build tree; the stubs.
if(NOT TARGET keepclear_python)
  message(STATUS "skipped: the tests of the Python module (KEEPCLEAR_PYTHON)")
  return()
endif()

# Asks the library what the tests ask the module.
add_executable(raw_answers python/raw_answers.cpp)
target_compile_options(raw_answers PRIVATE ${quick_options})
target_link_libraries(raw_answers PRIVATE keepclear)

set(python_environment
    PYTHONPATH=${PROJECT_BINARY_DIR}/python
    KEEPCLEAR_RAW_ANSWERS=$<TARGET_FILE:raw_answers>
    KEEPCLEAR_ROOT=${PROJECT_SOURCE_DIR}
    PYTHONDONTWRITEBYTECODE=1
    KEEPCLEAR_FAST_MATH=$<TARGET_FILE:fast_math>)
if(TARGET keepclear_command)
  list(APPEND python_environment KEEPCLEAR_COMMAND=$<TARGET_FILE:keepclear_command>)
endif()

file(GLOB python_tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/test_*.py)
foreach(file ${python_tests})
  get_filename_component(name ${file} NAME_WE)
  string(REPLACE test_ python_ name ${name})
  add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} -m pytest -q -rs -p no:cacheprovider ${file})
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "${python_environment}" TIMEOUT 300)
endforeach()

# What the stubs say is there, as they say it.
add_test(NAME python_stubtest
         COMMAND ${Python3_EXECUTABLE} -m mypy.stubtest keepclear --concise --allowlist
                 ${CMAKE_CURRENT_LIST_DIR}/stubtest_allowlist.txt
         WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/python)
set_tests_properties(python_stubtest PROPERTIES ENVIRONMENT
                     "${python_environment};MYPYPATH=${PROJECT_BINARY_DIR}/python" TIMEOUT 300 COST 50)

# The campaign of the hash, briefly: python3 tests/campaigns/hash.py FOLDER --seed N --count N.
set(keepclear_data $ENV{KEEPCLEAR_DATA})
if(NOT keepclear_data)
  set(keepclear_data ${PROJECT_SOURCE_DIR}/../shared)
endif()
if(EXISTS ${keepclear_data}/robots)
  add_test(NAME python_hash_campaign
           COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/campaigns/hash.py
                   ${keepclear_data}/robots --count 80)
  set_tests_properties(python_hash_campaign PROPERTIES ENVIRONMENT "${python_environment}" TIMEOUT 300)
endif()
