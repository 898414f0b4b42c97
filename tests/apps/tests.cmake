if(NOT TARGET keepclear_command)
  return()
endif()
find_package(nlohmann_json REQUIRED)
find_package(PNG REQUIRED)
keepclear_test(
  apps
  SOURCES command_test.cpp failure_test.cpp poses_test.cpp inventory_test.cpp scene_test.cpp worlds_test.cpp fit_test.cpp box_test.cpp pairs_test.cpp certify_test.cpp certify_object_test.cpp certificate_test.cpp guard_test.cpp guard_delays_test.cpp guard_port_test.cpp report_test.cpp live_ring_test.cpp shard_test.cpp view_test.cpp
  LINK nlohmann_json::nlohmann_json keepclear::keepclear fmt::fmt PNG::PNG
  TOGETHER "command failure worlds fit box certify_object"
           "poses inventory scene pairs certify shard"
           "guard guard_delays guard_port report live_ring")
add_dependencies(test_apps keepclear_command)
target_compile_definitions(test_apps PRIVATE KEEPCLEAR_COMMAND="$<TARGET_FILE:keepclear_command>")
# What a running guard shows is read here as the page reads it.
target_sources(test_apps PRIVATE ${PROJECT_SOURCE_DIR}/apps/keepclear/live_ring.cpp
                                 ${PROJECT_SOURCE_DIR}/apps/keepclear/raster.cpp)
target_include_directories(test_apps PRIVATE ${PROJECT_SOURCE_DIR}/apps/keepclear)
# The longest programs start first, also where no run before told how long they take.
set_tests_properties(apps PROPERTIES COST 100)
