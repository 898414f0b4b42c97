# The built-in worlds become part of the library: this writes worlds.inc, which
# src/scene/builtin.cpp includes, and adds its folder to the room `scene`. Runs at configure time,
# and again when a world is edited.
set(worlds_inc "")

# keepclear_world(NAME what it is, in one line): embeds worlds/NAME.urdf.
function(keepclear_world name what)
  set(file ${PROJECT_SOURCE_DIR}/worlds/${name}.urdf)
  file(READ ${file} urdf)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  set(worlds_inc
      "${worlds_inc}{\"${name}\", \"${what}\", R\"keepclear(${urdf})keepclear\"},\n"
      PARENT_SCOPE)
endfunction()

keepclear_world(six_axis_arm "a six-axis arm with a gripper, on a bench, beside a post")

set(worlds_dir ${PROJECT_BINARY_DIR}/generated/worlds)
# Written only when it changed, so that nothing is compiled again without need.
file(CONFIGURE OUTPUT ${worlds_dir}/worlds.inc CONTENT "${worlds_inc}" @ONLY)
target_include_directories(keepclear_scene PRIVATE ${worlds_dir})
