keepclear_test(fields SOURCES fields_test.cpp ROOMS shape distance robot scene motion sweep certify guard proof)
