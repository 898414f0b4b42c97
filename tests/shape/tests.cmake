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
    primitives_oracle_test.cpp
    body_test.cpp
    support_table_test.cpp
    quick_tables_test.cpp
    coarse_test.cpp
    point_cloud_test.cpp
    octomap_test.cpp
    octomap_oracle_test.cpp)
keepclear_test(shape SOURCES ${shape_sources} ROOMS shape LINK rapidcheck gmpxx gmp octomap octomath)
