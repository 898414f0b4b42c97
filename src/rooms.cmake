# The rooms, in dependency order.
keepclear_room(
  shape
  SOURCES mesh.cpp stl.cpp obj.cpp assimp_mesh.cpp hull.cpp primitives.cpp body.cpp
          support_table.cpp quick_tables.cpp coarse.cpp point_cloud.cpp pcd.cpp lzf.cpp ply.cpp ply_points.cpp
          ply_mesh.cpp xyz.cpp octomap.cpp surface.cpp small_hull.cpp near_hull.cpp fit_hull.cpp split.cpp polyhedron.cpp
          polyhedron_build.cpp polyhedron_divide.cpp polyhedron_tree.cpp polyhedron_shells.cpp polyhedron_hull.cpp
  LINK PkgConfig::CLP Qhull::qhull_r assimp::assimp fmt::fmt nlohmann_json::nlohmann_json)
keepclear_room(distance SOURCES gjk.cpp gjk_lanes.cpp epa.cpp closed_forms.cpp pair.cpp half_space.cpp LINK PkgConfig::HWY)
keepclear_room(robot SOURCES model.cpp packages.cpp xml.cpp urdf.cpp urdf_elements.cpp srdf.cpp kinematics.cpp levers.cpp
               LINK tinyxml2::tinyxml2 fmt::fmt)
keepclear_room(
  scene
  SOURCES world.cpp compile.cpp world_bodies.cpp environment.cpp pairs.cpp moving_bodies.cpp solve.cpp octree.cpp octree_valid.cpp query.cpp
          watch.cpp watch_change.cpp watch_partners.cpp batch.cpp hash.cpp builtin.cpp source.cpp model_file.cpp model_bodies.cpp containing_body.cpp link_shapes.cpp lint.cpp
          fit.cpp fit_pieces.cpp scene_file.cpp scene_values.cpp json.cpp moveit_scene.cpp
  LINK OpenSSL::Crypto Threads::Threads fmt::fmt nlohmann_json::nlohmann_json)
keepclear_room(motion SOURCES displacement_metric.cpp displacement_curve.cpp displacement_curve_bezier.cpp displacement_curve_turn.cpp box_file.cpp brake_file.cpp braking.cpp simulation.cpp path.cpp path_make.cpp path_change.cpp path_csv.cpp path_yaml.cpp path_rows.cpp path_tree.cpp path_file.cpp object_motion_file.cpp
               LINK fmt::fmt nlohmann_json::nlohmann_json yaml-cpp)
keepclear_room(sweep SOURCES fat_tests.cpp fat_body.cpp cover.cpp stage.cpp operators.cpp swept_body.cpp spread.cpp between.cpp between_fat.cpp sweep_lanes.cpp layout.cpp sweep.cpp clearance.cpp plan.cpp
                     automatic_plan.cpp LINK PkgConfig::HWY)
keepclear_room(certify SOURCES ball_tests.cpp ball_static.cpp ball_search.cpp toleranced_query.cpp object_query.cpp search.cpp probe.cpp always.cpp far_pairs.cpp box_query.cpp classify.cpp srdf_edit.cpp srdf_writer.cpp motion_bounds.cpp motion_balls.cpp motion_lanes.cpp motion_search.cpp motion_near.cpp motion_tests.cpp clock_search.cpp motion_query.cpp LINK PkgConfig::HWY Threads::Threads fmt::fmt)
keepclear_room(guard SOURCES bodies.cpp build.cpp settle.cpp obstacles.cpp scale.cpp carry.cpp memory.cpp guard.cpp message.cpp recorder.cpp recording_file.cpp LINK fmt::fmt nlohmann_json::nlohmann_json)
keepclear_room(proof SOURCES certificate_text.cpp certificate_world.cpp sources.cpp prover.cpp proof_tree.cpp claims.cpp path_certificate.cpp box_certificate.cpp guard_certificate.cpp fit_certificate.cpp
               LINK OpenSSL::Crypto fmt::fmt nlohmann_json::nlohmann_json)
include(${PROJECT_SOURCE_DIR}/worlds/embed.cmake)
