# The page of `keepclear fit --html` becomes part of the command: this writes page.inc, a piece of a
# file a line, which picture.cpp includes. Runs at configure time, and again when a file is edited.
set(page_inc "")
# C++ promises literals of 65536 characters; longer files come in pieces.
set(page_piece 60000)
foreach(name fit.html fit.css draw.js fit.js)
  set(file ${CMAKE_CURRENT_LIST_DIR}/${name})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ "${file}" text)
  string(LENGTH "${text}" length)
  set(begin 0)
  while(begin LESS length)
    string(SUBSTRING "${text}" ${begin} ${page_piece} piece)
    string(APPEND page_inc "{\"${name}\", R\"keepclear(${piece})keepclear\"},\n")
    math(EXPR begin "${begin} + ${page_piece}")
  endwhile()
endforeach()

set(page_dir ${PROJECT_BINARY_DIR}/generated/page)
# Written only when it changed, so that nothing is compiled again without need.
file(CONFIGURE OUTPUT ${page_dir}/page.inc CONTENT "${page_inc}" @ONLY)
target_include_directories(keepclear_command PRIVATE ${page_dir})
