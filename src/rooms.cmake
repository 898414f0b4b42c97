# The rooms, in dependency order.
keepclear_room(
  shape
  SOURCES mesh.cpp stl.cpp obj.cpp assimp_mesh.cpp cluster.cpp hull.cpp primitives.cpp body.cpp
          support_table.cpp
  LINK Qhull::qhull_r assimp::assimp fmt::fmt nlohmann_json::nlohmann_json)
keepclear_room(distance SOURCES gjk.cpp gjk_lanes.cpp epa.cpp closed_forms.cpp pair.cpp LINK PkgConfig::HWY)
keepclear_room(robot SOURCES model.cpp packages.cpp xml.cpp urdf.cpp srdf.cpp kinematics.cpp
               LINK tinyxml2::tinyxml2 fmt::fmt)
keepclear_room(scene SOURCES world.cpp world_bodies.cpp pairs.cpp query.cpp batch.cpp hash.cpp builtin.cpp
               LINK OpenSSL::Crypto Threads::Threads fmt::fmt)
include(${PROJECT_SOURCE_DIR}/worlds/embed.cmake)
