# Man pages, from the help of the commands as built, and the sections in this folder: `man_pages` are
# their files.
include(${PROJECT_SOURCE_DIR}/cmake/revision.cmake)
date_of_sources(man_date "%Y-%m-%d")
set(man_pages "")
# Not where the command does not run, or is instrumented to be looked at.
if(CMAKE_CROSSCOMPILING OR CMAKE_CXX_FLAGS MATCHES "-fsanitize|--coverage")
  return()
endif()

# A page for each file of sections: a test compares them with the commands of the help.
file(GLOB section_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.txt)
foreach(sections ${section_files})
  get_filename_component(name ${sections} NAME_WE)
  list(APPEND man_pages ${PROJECT_BINARY_DIR}/man/${name}.1.gz)
endforeach()
add_custom_command(
  OUTPUT ${man_pages}
  COMMAND ${CMAKE_CURRENT_LIST_DIR}/make-pages $<TARGET_FILE:keepclear_command>
          $<TARGET_FILE:keepclear-verify> ${PROJECT_BINARY_DIR}/man ${PROJECT_VERSION} ${man_date}
  DEPENDS keepclear_command keepclear-verify ${section_files} ${CMAKE_CURRENT_LIST_DIR}/page.awk
          ${CMAKE_CURRENT_LIST_DIR}/make-pages
  COMMENT "Man pages" VERBATIM)
add_custom_target(keepclear_man ALL DEPENDS ${man_pages})
