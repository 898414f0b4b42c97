# Build facts, man pages, completion and Debian packages of the commands as built.
if(NOT TARGET keepclear_command OR CMAKE_CXX_FLAGS MATCHES "-fsanitize|--coverage")
  return()
endif()
set(both $<TARGET_FILE:keepclear_command> $<TARGET_FILE:keepclear-verify>)
add_test(NAME version COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/packages/version_test.sh
                              $<TARGET_FILE:keepclear_command> ${PROJECT_VERSION} ${CMAKE_BUILD_TYPE})
add_test(NAME man COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/packages/man_test.sh ${both} ${PROJECT_BINARY_DIR}/man)
add_test(NAME completion COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/packages/completion_test.sh ${both})
add_test(NAME packages COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/packages/packages_test.sh ${PROJECT_BINARY_DIR}
                               ${PROJECT_VERSION})
set_tests_properties(man packages PROPERTIES SKIP_RETURN_CODE 77)
set_tests_properties(packages PROPERTIES COST 80)
