# The target keepclear::ompl: the header include/keepclear/ompl.hpp with what it needs.
include_guard(GLOBAL)
find_package(ompl REQUIRED)
add_library(keepclear_ompl INTERFACE)
add_library(keepclear::ompl ALIAS keepclear_ompl)
target_link_libraries(keepclear_ompl INTERFACE keepclear)
if(TARGET ompl::ompl)
  target_link_libraries(keepclear_ompl INTERFACE ompl::ompl)
else()
  # OMPL 1.5 gives no target; the first of its libraries is OMPL itself, and the only one that is used.
  list(GET OMPL_LIBRARIES 0 ompl_library)
  target_include_directories(keepclear_ompl SYSTEM INTERFACE ${OMPL_INCLUDE_DIRS})
  target_link_libraries(keepclear_ompl INTERFACE ${ompl_library})
endif()
