# Installation: find_package(keepclear) with the target keepclear::keepclear, and pkg-config.
include(CMakePackageConfigHelpers)

set(interface_version ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set_target_properties(keepclear PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION
                                                                      ${interface_version})
install(TARGETS keepclear EXPORT keepclear)
install(DIRECTORY include/keepclear DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING
        PATTERN *.hpp)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/keepclear)
install(EXPORT keepclear NAMESPACE keepclear:: FILE keepclear-targets.cmake
        DESTINATION ${config_dir})
configure_package_config_file(cmake/keepclear-config.cmake.in keepclear-config.cmake
                              INSTALL_DESTINATION ${config_dir})
# Before 1.0 the interface may change with every minor version.
write_basic_package_version_file(keepclear-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/keepclear-config.cmake
              ${PROJECT_BINARY_DIR}/keepclear-config-version.cmake DESTINATION ${config_dir})

# A static library needs what it is made with at every link; a shared one brings it along.
set(pc_requires "tinyxml2 assimp fmt qhull_r libhwy libcrypto yaml-cpp")
if(BUILD_SHARED_LIBS)
  set(pc_requires "")
endif()
# The prefix is found from the place of the file, so that an installation can be moved.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX
           BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig OUTPUT_VARIABLE pc_to_prefix)
configure_file(cmake/keepclear.pc.in keepclear.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/keepclear.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES LICENSE NOTICE DESTINATION ${CMAKE_INSTALL_DOCDIR})
