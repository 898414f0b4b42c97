# Every header compiles alone: each is the first include of the source of its name, or the only
# include of a source of its own. Where the standard library is parsed once, in a hurry, this is left
# to other presets.
set(headers)
if(NOT KEEPCLEAR_PCH)
  file(GLOB_RECURSE headers RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
       ${PROJECT_SOURCE_DIR}/include/*.hpp ${PROJECT_SOURCE_DIR}/src/*.hpp)
endif()
set(alone)
list(FILTER headers EXCLUDE REGEX "-inl\\.hpp$") # included once for each instruction set
list(FILTER headers EXCLUDE REGEX "/ompl\\.hpp$") # needs OMPL; the first include of its test
foreach(header ${headers})
  string(REGEX REPLACE "^(include|src)/" "" name ${header})
  string(REGEX REPLACE "hpp$" "cpp" own ${PROJECT_SOURCE_DIR}/${header})
  if(EXISTS ${own})
    file(STRINGS ${own} includes REGEX "^#include" LIMIT_COUNT 1)
    if(includes STREQUAL "#include \"${name}\"")
      continue()
    endif()
  endif()
  string(MAKE_C_IDENTIFIER ${header} identifier)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/headers/${identifier}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${name}\"\n")
  list(APPEND alone ${source})
endforeach()

add_executable(test_headers headers/eigen_test.cpp ${alone})
target_include_directories(test_headers PRIVATE ${PROJECT_SOURCE_DIR}/include
                                                ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(test_headers PRIVATE GTest::gtest_main Eigen3::Eigen PkgConfig::HWY)
add_test(NAME headers COMMAND test_headers)
