if(NOT TARGET keepclear_command)
  return()
endif()
find_package(nlohmann_json REQUIRED)
keepclear_test(
  apps
  SOURCES command_test.cpp failure_test.cpp poses_test.cpp inventory_test.cpp scene_test.cpp worlds_test.cpp fit_test.cpp box_test.cpp pairs_test.cpp certify_test.cpp certify_object_test.cpp guard_test.cpp guard_port_test.cpp
  LINK nlohmann_json::nlohmann_json keepclear::keepclear)
add_dependencies(test_apps keepclear_command)
target_compile_definitions(test_apps PRIVATE KEEPCLEAR_COMMAND="$<TARGET_FILE:keepclear_command>")
