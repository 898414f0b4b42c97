find_library(MPFI_LIBRARY mpfi REQUIRED)
find_library(MPFR_LIBRARY mpfr REQUIRED)
find_library(GMP_LIBRARY gmp REQUIRED)
keepclear_test(
  rounding
  SOURCES scalar_oracle_test.cpp transform_oracle_test.cpp axis_oracle_test.cpp
          chain_oracle_test.cpp rounding_test.cpp
  LINK ${MPFI_LIBRARY} ${MPFR_LIBRARY} ${GMP_LIBRARY}
  TOGETHER "scalar_oracle transform_oracle axis_oracle"
           "chain_oracle rounding")
