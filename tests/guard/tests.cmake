set(guard_rooms shape distance robot scene motion sweep certify guard)
# The bounds are judged in 113 bits.
keepclear_test(
  guard
  SOURCES guard_test.cpp guard_regression_test.cpp closed_loop_test.cpp fault_test.cpp guard_oracle_test.cpp spread_oracle_test.cpp message_test.cpp recorder_test.cpp
  ROOMS ${guard_rooms}
  LINK quadmath
  TOGETHER "guard guard_regression closed_loop spread_oracle"
           "fault guard_oracle message recorder")
