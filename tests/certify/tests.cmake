keepclear_test(
  certify
  SOURCES srdf_writer_test.cpp box_query_test.cpp box_oracle_test.cpp classify_test.cpp
          motion_oracle_test.cpp motion_bounds_test.cpp near_boxes_oracle_test.cpp sums_oracle_test.cpp
          motion_balls_test.cpp
          motion_query_test.cpp step_oracle_test.cpp toleranced_test.cpp object_query_test.cpp toleranced_property_test.cpp
  ROOMS shape distance robot scene motion sweep certify
  LINK gmpxx gmp quadmath
  TOGETHER "srdf_writer box_query box_oracle"
           "classify motion_oracle motion_balls"
           "motion_bounds motion_query step_oracle"
           "toleranced object_query toleranced_property")
