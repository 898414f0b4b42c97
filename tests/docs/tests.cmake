# The documents: their spelling, their links, the reference that is made of them and of the headers, and the
# commands and programs in the quick starts and the cookbook, which are run as they stand.
set(docs_python /usr/bin/python3)
set(docs_tests ${CMAKE_CURRENT_LIST_DIR})
find_program(KEEPCLEAR_ASPELL aspell)
find_program(KEEPCLEAR_DOXYGEN doxygen)

add_test(NAME docs_links COMMAND ${docs_python} ${docs_tests}/links.py)
add_test(NAME docs_checks COMMAND ${docs_python} ${docs_tests}/checks_test.py)
if(KEEPCLEAR_ASPELL)
  add_test(NAME docs_spelling COMMAND ${docs_python} ${docs_tests}/spelling.py)
else()
  message(STATUS "skipped: the spelling of the documents (aspell, aspell-en)")
endif()
if(KEEPCLEAR_DOXYGEN)
  add_test(NAME docs_reference COMMAND ${PROJECT_SOURCE_DIR}/scripts/reference ${PROJECT_BINARY_DIR}/reference
                                       ${PROJECT_BINARY_DIR}/python)
else()
  message(STATUS "skipped: the reference (doxygen)")
endif()

# Programs in documents are compiled without the flags of this build: not where it is instrumented.
if(KEEPCLEAR_PYTHON AND TARGET keepclear_command AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize|--coverage")
  foreach(document quickstart_planner quickstart_controller quickstart_safety cookbook python)
    add_test(
      NAME docs_${document}
      COMMAND
        ${docs_python} ${docs_tests}/run_blocks.py --command $<TARGET_FILE:keepclear_command> --verify
        $<TARGET_FILE:keepclear-verify> --library $<TARGET_FILE:keepclear_shared> --module
        ${PROJECT_BINARY_DIR}/python docs/${document}.md)
    set_tests_properties(docs_${document} PROPERTIES TIMEOUT 300 COST 12)
  endforeach()
else()
  message(STATUS "skipped: what the documents show (KEEPCLEAR_PYTHON, KEEPCLEAR_APPS)")
endif()
