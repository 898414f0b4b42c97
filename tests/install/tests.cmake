# A stranger's project against an installation in a staging prefix, by find_package and by
# pkg-config. An instrumented library cannot be linked from plain code, so not there.
if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize|--coverage")
  if(KEEPCLEAR_PYTHON)
    get_directory_property(module_python DIRECTORY ${PROJECT_SOURCE_DIR}/python DEFINITION Python3_EXECUTABLE)
  endif()
  add_test(
    NAME install
    COMMAND
      ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DBUILD=${PROJECT_BINARY_DIR}
      -DWORK=${PROJECT_BINARY_DIR}/install-test -DGENERATOR=${CMAKE_GENERATOR}
      -DCXX=${CMAKE_CXX_COMPILER} -DLIBDIR=${CMAKE_INSTALL_LIBDIR} -DVERSION=${PROJECT_VERSION}
      -DWITH_OMPL=${KEEPCLEAR_OMPL} -DPYTHON=${module_python} -P
      ${CMAKE_CURRENT_SOURCE_DIR}/install/install_test.cmake)
endif()
