find_package(rapidcheck REQUIRED)
set(shape_sources
    stl_test.cpp
    obj_test.cpp
    mesh_test.cpp
    robots_test.cpp
    cluster_test.cpp
    hull_test.cpp
    hull_property_test.cpp
    hull_oracle_test.cpp
    primitives_oracle_test.cpp)
foreach(source body_test.cpp support_table_test.cpp)
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/shape/${source})
    list(APPEND shape_sources ${source})
  endif()
endforeach()
keepclear_test(shape SOURCES ${shape_sources} ROOMS shape LINK rapidcheck gmpxx gmp)
