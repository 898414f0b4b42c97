keepclear_test(
  motion
  SOURCES box_file_test.cpp
  ROOMS shape distance robot scene motion)
