find_package(fcl REQUIRED)
set(scene_rooms shape distance robot scene)
keepclear_test(
  scene
  SOURCES robots_oracle_test.cpp pairs_test.cpp query_test.cpp query_robots_test.cpp
          query_oracle_test.cpp batch_test.cpp world_test.cpp verdict_golden_test.cpp
          builtin_test.cpp humanoid_test.cpp octree_test.cpp scene_file_test.cpp
          moveit_scene_test.cpp
          compile_test.cpp compile_rules_test.cpp compile_limits_test.cpp scene_query_test.cpp
          solid_excess_oracle_test.cpp watch_test.cpp watch_change_test.cpp lint_test.cpp model_file_test.cpp model_test.cpp model_property_test.cpp
  ROOMS ${scene_rooms}
  LINK fcl quadmath nlohmann_json::nlohmann_json
  TOGETHER "robots_oracle pairs query verdict_golden humanoid compile_rules"
           "query_robots query_oracle batch world builtin compile"
           "octree scene_file moveit_scene compile_limits"
           "scene_query lint model_file model"
           "watch watch_change model_property")

# Crowded worlds against brute force and other libraries: too long for the sanitizers.
keepclear_test(
  crowd
  FOLDER scene
  SOURCES octree_property_test.cpp scene_query_oracle_test.cpp watch_oracle_test.cpp
          mbm_oracle_test.cpp fit_test.cpp
  ROOMS ${scene_rooms}
  LINK fcl quadmath gmpxx gmp nlohmann_json::nlohmann_json
  TOGETHER "scene_query_oracle watch_oracle mbm_oracle fit")
set_tests_properties(crowd PROPERTIES COST 80)

# A program each: they replace operator new.
foreach(name query octree watch)
  set(program test_scene_${name}_alloc)
  add_executable(${program} scene/${name}_alloc_test.cpp)
  target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  foreach(room ${scene_rooms})
    target_link_libraries(${program} PRIVATE keepclear_${room})
  endforeach()
  target_link_libraries(${program} PRIVATE GTest::gtest_main)
  target_compile_definitions(${program}
                             PRIVATE KEEPCLEAR_CORPUS="${CMAKE_CURRENT_SOURCE_DIR}/corpus")
  add_test(NAME scene_${name}_alloc COMMAND ${program})
endforeach()

add_test(NAME scene_schema
         COMMAND /usr/bin/python3 ${CMAKE_CURRENT_SOURCE_DIR}/scene/schema_test.py
                 ${PROJECT_SOURCE_DIR}/docs/scene.schema.json
                 ${CMAKE_CURRENT_SOURCE_DIR}/corpus/scene)
