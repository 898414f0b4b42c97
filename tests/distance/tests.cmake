set(distance_sources)
foreach(source near_contact_oracle_test subdistance_oracle_test closed_forms_test gjk_test
               gjk_lanes_test support_lanes_test separation_oracle_test epa_oracle_test)
  if(EXISTS ${CMAKE_CURRENT_LIST_DIR}/${source}.cpp)
    list(APPEND distance_sources ${source}.cpp)
  endif()
endforeach()
keepclear_test(distance SOURCES ${distance_sources} ROOMS shape distance LINK gmpxx gmp quadmath)
