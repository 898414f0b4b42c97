# The built-in worlds become part of the library: this writes worlds.inc, a piece of a file a line,
# which src/scene/builtin.cpp includes, and adds its folder to the room `scene`. Runs at configure
# time, and again when a world is edited. What a world is, and its tasks, stands in builtin.cpp.
set(worlds_inc "")
# C++ promises literals of 65536 characters; longer files come in pieces.
set(worlds_piece 60000)

# keepclear_world_files(NAME.EXT...): embeds worlds/NAME.EXT.
function(keepclear_world_files)
  foreach(name ${ARGN})
    set(file ${PROJECT_SOURCE_DIR}/worlds/${name})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ "${file}" text)
    string(LENGTH "${text}" length)
    set(begin 0)
    while(begin LESS length)
      string(SUBSTRING "${text}" ${begin} ${worlds_piece} piece)
      string(APPEND worlds_inc "{\"${name}\", R\"keepclear(${piece})keepclear\"},\n")
      math(EXPR begin "${begin} + ${worlds_piece}")
    endwhile()
  endforeach()
  set(worlds_inc "${worlds_inc}" PARENT_SCOPE)
endfunction()

keepclear_world_files(six_axis_arm.urdf six_axis_arm.model.json bench_arm.urdf bench_arm.model.json
                      two_arms.json two_arms_task1.csv two_arms_task2.csv two_arms_task3.csv
                      humanoid.urdf humanoid.model.json humanoid_hands.csv humanoid_reach.csv)

set(worlds_dir ${PROJECT_BINARY_DIR}/generated/worlds)
# Written only when it changed, so that nothing is compiled again without need.
file(CONFIGURE OUTPUT ${worlds_dir}/worlds.inc CONTENT "${worlds_inc}" @ONLY)
target_include_directories(keepclear_scene PRIVATE ${worlds_dir})
