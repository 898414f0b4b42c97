keepclear_test(
  motion
  SOURCES box_file_test.cpp brake_file_test.cpp braking_test.cpp braking_oracle_test.cpp path_test.cpp path_oracle_test.cpp path_file_test.cpp
  ROOMS shape distance robot scene motion)
