set(distance_sources)
foreach(source near_contact_oracle_test subdistance_oracle_test closed_forms_test gjk_test
               support_lanes_test separation_oracle_test epa_oracle_test half_space_oracle_test
               primitive_oracle_test coincident_oracle_test)
  list(APPEND distance_sources ${source}.cpp)
endforeach()
# The search in lanes is tested where the room has it.
get_target_property(distance_room keepclear_distance SOURCES)
if(EXISTS ${CMAKE_CURRENT_LIST_DIR}/gjk_lanes_test.cpp AND "distance/gjk_lanes.cpp" IN_LIST
                                                           distance_room)
  list(APPEND distance_sources gjk_lanes_test.cpp)
endif()
keepclear_test(
  distance SOURCES ${distance_sources} ROOMS shape distance LINK gmpxx gmp quadmath
  TOGETHER "near_contact_oracle subdistance_oracle support_lanes separation_oracle primitive_oracle
            coincident_oracle"
           "closed_forms gjk epa_oracle half_space_oracle gjk_lanes")
