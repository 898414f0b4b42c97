find_package(rapidcheck REQUIRED)
set(shape_sources
    stl_test.cpp
    obj_test.cpp
    mesh_test.cpp
    mesh_grammar_test.cpp
    ply_mesh_test.cpp
    robots_test.cpp
    hull_test.cpp
    hull_property_test.cpp
    hull_oracle_test.cpp
    primitives_oracle_test.cpp
    body_test.cpp
    support_table_test.cpp
    quick_tables_test.cpp
    coarse_test.cpp
    point_cloud_test.cpp
    octomap_test.cpp
    octomap_oracle_test.cpp
    surface_test.cpp
    small_hull_test.cpp
    near_hull_oracle_test.cpp
    split_test.cpp
    fit_hull_test.cpp
    polyhedron_test.cpp)
keepclear_test(
  shape SOURCES ${shape_sources} ROOMS shape LINK rapidcheck nlohmann_json::nlohmann_json gmpxx gmp quadmath octomap octomath
  TOGETHER "stl obj mesh robots hull hull_property"
           "hull_oracle primitives_oracle body support_table quick_tables coarse"
           "point_cloud surface split polyhedron"
           "octomap octomap_oracle small_hull near_hull_oracle fit_hull")
# The same cases on every run; by hand, the program draws new ones.
set_tests_properties(shape PROPERTIES ENVIRONMENT "RC_PARAMS=seed=1")
