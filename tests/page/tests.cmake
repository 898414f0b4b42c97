# The page in a real browser. Needs Node.js with what viewer/package.json names for tests, and Chromium.
find_program(KEEPCLEAR_NODE node)
find_program(KEEPCLEAR_CHROMIUM chromium)
if(TARGET keepclear_command AND KEEPCLEAR_NODE AND KEEPCLEAR_CHROMIUM
   AND EXISTS ${PROJECT_SOURCE_DIR}/viewer/node_modules/puppeteer-core)
  add_test(NAME page_types COMMAND ${KEEPCLEAR_NODE} node_modules/typescript/bin/tsc --noEmit
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/viewer)
  add_test(NAME page COMMAND ${KEEPCLEAR_NODE} --test ${CMAKE_CURRENT_LIST_DIR}/page_test.mjs)
  set_tests_properties(
    page
    PROPERTIES ENVIRONMENT
               "KEEPCLEAR_ROOT=${PROJECT_SOURCE_DIR};KEEPCLEAR_COMMAND=$<TARGET_FILE:keepclear_command>;KEEPCLEAR_CHROMIUM=${KEEPCLEAR_CHROMIUM};KEEPCLEAR_OUTPUT=${PROJECT_BINARY_DIR}/page"
               TIMEOUT 300 COST 90)
else()
  message(STATUS "skipped: the tests of the page (scripts/page --tools, chromium)")
endif()
