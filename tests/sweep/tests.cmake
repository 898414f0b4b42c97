# The operators and the chains are judged in 113 bits.
set(sweep_tests cover_oracle_test.cpp stage_oracle_test.cpp operators_oracle_test.cpp
    chain_oracle_test.cpp orbit_oracle_test.cpp fat_oracle_test.cpp)
keepclear_test(
  sweep SOURCES ${sweep_tests} ROOMS shape distance robot scene motion sweep LINK quadmath
  TOGETHER "operators_oracle chain_oracle orbit_oracle fat_oracle")

# Whole worlds: plans, volumes, clearances.
set(sweep_rooms shape distance robot scene motion sweep)
keepclear_test(
  sweep_worlds
  FOLDER sweep
  SOURCES plan_test.cpp sweep_test.cpp sweep_oracle_test.cpp swept_body_oracle_test.cpp
  ROOMS ${sweep_rooms}
  LINK quadmath
  TOGETHER "plan sweep sweep_oracle swept_body_oracle")

# It replaces operator new. Motions, braking and the guard are asked likewise.
add_executable(test_sweep_alloc sweep/sweep_alloc_test.cpp certify/motion_alloc_test.cpp guard/guard_alloc_test.cpp
               motion/braking_alloc_test.cpp)
target_include_directories(test_sweep_alloc PRIVATE ${PROJECT_SOURCE_DIR}/tests)
foreach(room ${sweep_rooms} certify guard)
  target_link_libraries(test_sweep_alloc PRIVATE keepclear_${room})
endforeach()
target_link_libraries(test_sweep_alloc PRIVATE GTest::gtest_main)
add_test(NAME sweep_alloc COMMAND test_sweep_alloc)
