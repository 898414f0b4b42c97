# The judges of the other tests, judged. They share nothing with the library but plain structs.
keepclear_test(oracle SOURCES oracle_test.cpp kinematics_test.cpp LINK gmpxx gmp quadmath)
# Long chains and turning quaternions, with everything that the library says of them.
keepclear_test(precise FOLDER oracle SOURCES precise_test.cpp
               ROOMS shape distance robot scene motion sweep certify guard LINK quadmath)
