set(proof_rooms shape distance robot scene motion sweep certify guard proof)
keepclear_test(
  proof
  SOURCES certificate_text_test.cpp prover_test.cpp fit_certificate_test.cpp
          guard_certificate_test.cpp
  ROOMS ${proof_rooms}
  LINK gmpxx gmp)

# Writer and checker in one process: the headers and the rounding of the checker stay in a library.
if(TARGET verify_core)
  add_library(proof_checker STATIC ${CMAKE_CURRENT_LIST_DIR}/checker.cpp)
  target_include_directories(proof_checker PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(proof_checker PRIVATE verify_against)
  keepclear_test(
    certificates
    FOLDER verify
    SOURCES accept_test.cpp mutants_test.cpp false_proofs_test.cpp forgeries_test.cpp
    ROOMS ${proof_rooms}
    LINK proof_checker)
endif()
