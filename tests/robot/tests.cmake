pkg_check_modules(URDFDOM REQUIRED IMPORTED_TARGET urdfdom)

set(robot_tests corpus_test.cpp packages_test.cpp srdf_test.cpp urdf_test.cpp urdf_elements_test.cpp
    urdfdom_oracle_test.cpp visual_test.cpp xml_test.cpp)
# Those of the kinematics.
foreach(test kinematics_test kinematics_property_test kinematics_oracle_test kinematics_alloc_test
             levers_oracle_test)
  if(EXISTS ${CMAKE_CURRENT_LIST_DIR}/${test}.cpp)
    list(APPEND robot_tests ${test}.cpp)
  endif()
endforeach()

keepclear_test(
  robot SOURCES ${robot_tests} ROOMS robot LINK PkgConfig::URDFDOM
  TOGETHER "corpus packages srdf urdf urdfdom_oracle"
           "visual kinematics"
           "xml kinematics_oracle levers_oracle")
