# The judges of the other tests, judged. They share nothing with the library but plain structs.
keepclear_test(oracle SOURCES oracle_test.cpp kinematics_test.cpp LINK gmpxx gmp quadmath)
