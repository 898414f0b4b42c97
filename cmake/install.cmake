# Installation: find_package(keepclear) with the target keepclear::keepclear, and pkg-config; the
# commands, their man pages and completion; the Python module. cmake/packages.cmake puts the same into
# Debian packages.
include(CMakePackageConfigHelpers)

set(interface_version ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set_target_properties(keepclear keepclear_shared PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION
                                                            ${interface_version})
set_target_properties(keepclear_shared PROPERTIES EXPORT_NAME keepclear)
# Before 1.0 the interface may change with every minor version.
write_basic_package_version_file(keepclear-config-version.cmake COMPATIBILITY SameMinorVersion)

# keepclear_install_development(LIBDIR PREFIX SHARED TARGETS [options of install()]): headers, and what
# find_package and pkg-config read. SHARED says which library they are for; TARGETS is the exported set,
# and the name of the file that describes it.
function(keepclear_install_development libdir pc_prefix config_shared config_targets)
  set(config_dir ${libdir}/cmake/keepclear)
  set(made ${PROJECT_BINARY_DIR}/generated/${config_targets})
  # A static library needs what it is made with at every link; a shared one brings it along.
  set(pc_requires "tinyxml2 assimp fmt qhull_r libhwy libcrypto yaml-cpp clp")
  if(config_shared)
    set(pc_requires "")
  endif()
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/keepclear-config.cmake.in
                                ${made}/keepclear-config.cmake INSTALL_DESTINATION ${config_dir})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/keepclear.pc.in ${made}/keepclear.pc @ONLY)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/keepclear
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} ${ARGN} FILES_MATCHING PATTERN *.hpp)
  install(EXPORT ${config_targets} NAMESPACE keepclear:: FILE ${config_targets}.cmake
          DESTINATION ${config_dir} ${ARGN})
  install(FILES ${made}/keepclear-config.cmake
                ${PROJECT_BINARY_DIR}/keepclear-config-version.cmake DESTINATION ${config_dir} ${ARGN})
  install(FILES ${made}/keepclear.pc DESTINATION ${libdir}/pkgconfig ${ARGN})
endfunction()

install(TARGETS keepclear EXPORT keepclear-targets)
# The prefix is found from the place of the file, so that an installation can be moved.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX
           BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig OUTPUT_VARIABLE to_prefix)
keepclear_install_development(${CMAKE_INSTALL_LIBDIR} "\${pcfiledir}/${to_prefix}"
                              "${BUILD_SHARED_LIBS}" keepclear-targets)
install(FILES LICENSE NOTICE DESTINATION ${CMAKE_INSTALL_DOCDIR})

if(KEEPCLEAR_APPS)
  include(packaging/man/pages.cmake)
  # They are pages of this build of the command; a build of some targets alone may not have them.
  install(FILES ${man_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
  install(FILES packaging/completion/keepclear packaging/completion/keepclear-verify
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
endif()

if(TARGET keepclear_python)
  # PREFIX/lib/python3.11/site-packages: the module finds its library from there, wherever PREFIX is.
  get_directory_property(python_minor DIRECTORY python DEFINITION Python3_VERSION_MINOR)
  set(python_dir ${CMAKE_INSTALL_LIBDIR}/python3.${python_minor}/site-packages)
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR
             BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX}/${python_dir}/keepclear OUTPUT_VARIABLE to_library)
  set_target_properties(keepclear_python PROPERTIES INSTALL_RPATH "$ORIGIN/${to_library}")
  # keepclear_install_python(DIR [options of install()])
  function(keepclear_install_python dir)
    install(TARGETS keepclear_python LIBRARY DESTINATION ${dir}/keepclear ${ARGN})
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/keepclear DESTINATION ${dir} ${ARGN} FILES_MATCHING
            PATTERN *.py PATTERN *.pyi PATTERN py.typed PATTERN __pycache__ EXCLUDE)
  endfunction()
  keepclear_install_python(${python_dir})
  if(NOT BUILD_SHARED_LIBS)
    install(TARGETS keepclear_shared LIBRARY NAMELINK_SKIP)
  endif()
endif()
