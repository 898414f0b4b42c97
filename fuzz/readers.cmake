# The sources that read strangers' files, in src.
set(fuzz_readers
    shape/mesh shape/stl shape/obj shape/assimp_mesh shape/point_cloud shape/pcd shape/lzf shape/ply
    shape/ply_points shape/ply_mesh shape/xyz shape/octomap
    robot/model robot/packages robot/xml robot/urdf robot/urdf_elements robot/srdf
    scene/json scene/scene_values scene/scene_file scene/moveit_scene scene/model_file
    motion/box_file motion/brake_file motion/path motion/path_make motion/path_change motion/path_csv
    motion/path_yaml motion/path_rows motion/path_tree motion/path_file motion/object_motion_file
    certify/srdf_edit guard/message guard/recording_file)
list(TRANSFORM fuzz_readers APPEND .cpp)
