keepclear_test(
  motion
  SOURCES displacement_curve_test.cpp displacement_curve_oracle_test.cpp box_file_test.cpp brake_file_test.cpp braking_test.cpp braking_oracle_test.cpp path_test.cpp path_oracle_test.cpp path_file_test.cpp object_motion_test.cpp
  ROOMS shape distance robot scene motion
  LINK quadmath
  TOGETHER "displacement_curve displacement_curve_oracle box_file"
           "brake_file braking"
           "braking_oracle path_file object_motion"
           "path path_oracle")
