find_package(fcl REQUIRED)
set(scene_rooms shape distance robot scene)
keepclear_test(
  scene
  SOURCES robots_oracle_test.cpp pairs_test.cpp query_test.cpp query_robots_test.cpp
          query_oracle_test.cpp batch_test.cpp world_test.cpp verdict_golden_test.cpp
  ROOMS ${scene_rooms}
  LINK fcl quadmath)

# Alone: it replaces operator new.
add_executable(test_scene_alloc scene/query_alloc_test.cpp)
target_include_directories(test_scene_alloc PRIVATE ${PROJECT_SOURCE_DIR}/tests)
foreach(room ${scene_rooms})
  target_link_libraries(test_scene_alloc PRIVATE keepclear_${room})
endforeach()
target_link_libraries(test_scene_alloc PRIVATE GTest::gtest_main)
target_compile_definitions(test_scene_alloc
                           PRIVATE KEEPCLEAR_CORPUS="${CMAKE_CURRENT_SOURCE_DIR}/corpus")
add_test(NAME scene_alloc COMMAND test_scene_alloc)
