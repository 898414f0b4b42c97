# The checker of certificates is tested without anything of the library.
if(NOT TARGET verify_core)
  return()
endif()
add_executable(
  test_verify verify/against_test.cpp verify/contained_test.cpp verify/meshes_test.cpp verify/braking_test.cpp verify/certificate_test.cpp
              verify/interval_test.cpp verify/rules_oracle_test.cpp)
target_link_libraries(test_verify PRIVATE verify_against GTest::gtest_main gmpxx gmp)
add_test(NAME verify COMMAND test_verify)
add_test(NAME verify_alone
         COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DNM=${CMAKE_NM}
                 -DPROGRAM=$<TARGET_FILE:keepclear-verify> -P ${CMAKE_CURRENT_LIST_DIR}/alone.cmake)
