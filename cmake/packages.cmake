# Debian packages, made by CPack out of what the build has anyway: `cmake --build DIR --target packages`
# leaves them in DIR/packages. No source is compiled twice for them.
#
# libkeepclear       the shared library
# libkeepclear-dev   headers, the link to the library, find_package, pkg-config
# keepclear          the commands, their man pages and completion, the documents
# python3-keepclear  the Python module, where it is built
if(NOT PROJECT_IS_TOP_LEVEL OR NOT KEEPCLEAR_APPS OR CMAKE_CROSSCOMPILING)
  return()
endif()
find_program(KEEPCLEAR_DPKG_SHLIBDEPS dpkg-shlibdeps)
mark_as_advanced(KEEPCLEAR_DPKG_SHLIBDEPS)
if(NOT KEEPCLEAR_DPKG_SHLIBDEPS)
  return()
endif()
set(KEEPCLEAR_MAINTAINER "The Keepclear authors <keepclear@packages.invalid>" CACHE STRING
    "Name and address in Debian packages")

# Nothing can be bent at run time that the loader has settled.
set(packaged_targets keepclear_packaged keepclear-verify keepclear_shared)
if(TARGET keepclear_python)
  list(APPEND packaged_targets keepclear_python)
endif()
foreach(target ${packaged_targets})
  target_link_options(${target} PRIVATE -Wl,-z,relro,-z,now)
endforeach()

# The components have rules of their own, with Debian's folders, and are no part of a plain installation.
set(CPACK_COMPONENTS_ALL library development command)
set(libdir lib/${CMAKE_LIBRARY_ARCHITECTURE})
install(TARGETS keepclear_shared EXPORT keepclear-shared-targets
        LIBRARY DESTINATION ${libdir} COMPONENT library NAMELINK_COMPONENT development EXCLUDE_FROM_ALL)
keepclear_install_development(${libdir} /usr TRUE keepclear-shared-targets COMPONENT development
                              EXCLUDE_FROM_ALL)
file(GLOB cpp_examples CONFIGURE_DEPENDS examples/*.cpp)
install(FILES ${cpp_examples} DESTINATION share/doc/libkeepclear-dev/examples COMPONENT development
        EXCLUDE_FROM_ALL)

install(TARGETS keepclear_packaged keepclear-verify RUNTIME DESTINATION bin COMPONENT command
                                                                        EXCLUDE_FROM_ALL)
install(FILES ${man_pages} DESTINATION share/man/man1 COMPONENT command EXCLUDE_FROM_ALL)
install(FILES packaging/completion/keepclear packaging/completion/keepclear-verify
        DESTINATION share/bash-completion/completions COMPONENT command EXCLUDE_FROM_ALL)
install(FILES README.md DESTINATION share/doc/keepclear COMPONENT command EXCLUDE_FROM_ALL)
install(DIRECTORY docs/ DESTINATION share/doc/keepclear/docs COMPONENT command EXCLUDE_FROM_ALL
        FILES_MATCHING PATTERN *.md PATTERN *.json PATTERN *.png PATTERN reference EXCLUDE)

if(TARGET keepclear_python)
  list(APPEND CPACK_COMPONENTS_ALL python)
  set(python_dir lib/python3/dist-packages)
  keepclear_install_python(${python_dir} COMPONENT python EXCLUDE_FROM_ALL)
  # The library is where the loader looks: no path to it in the module.
  install(CODE "file(RPATH_REMOVE FILE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${python_dir}/keepclear/$<TARGET_FILE_NAME:keepclear_python>\")"
          COMPONENT python EXCLUDE_FROM_ALL)
  file(GLOB python_examples CONFIGURE_DEPENDS examples/*.py)
  install(FILES ${python_examples} DESTINATION share/doc/python3-keepclear/examples COMPONENT python
          EXCLUDE_FROM_ALL)
endif()

# What every package says of itself.
set(debian ${PROJECT_SOURCE_DIR}/packaging/debian)
set(made ${PROJECT_BINARY_DIR}/packages)
# Lower than that of a package of Debian itself, if there ever is one.
set(CPACK_DEBIAN_PACKAGE_RELEASE 0upstream1)
set(debian_version ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
date_of_sources(debian_date "%a, %d %b %Y %H:%M:%S +0000")
configure_file(${debian}/changelog.in ${made}/changelog.Debian @ONLY)
configure_file(CHANGELOG.md ${made}/changelog COPYONLY)
execute_process(COMMAND gzip -9nkf ${made}/changelog.Debian ${made}/changelog COMMAND_ERROR_IS_FATAL ANY)

# keepclear_package(COMPONENT NAME SECTION SUMMARY DESCRIPTION [FIELD VALUE]...)
macro(keepclear_package component name section summary description)
  string(TOUPPER ${component} part)
  set(CPACK_DEBIAN_${part}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${part}_PACKAGE_SECTION ${section})
  set(CPACK_COMPONENT_${part}_DESCRIPTION "${summary}\n${description}")
  set(fields ${ARGN})
  while(fields)
    list(POP_FRONT fields field value)
    set(CPACK_DEBIAN_${part}_PACKAGE_${field} "${value}")
  endwhile()
  install(FILES ${debian}/copyright NOTICE ${made}/changelog.Debian.gz ${made}/changelog.gz
          DESTINATION share/doc/${name} COMPONENT ${component} EXCLUDE_FROM_ALL)
  if(EXISTS ${debian}/${name}.lintian-overrides)
    install(FILES ${debian}/${name}.lintian-overrides DESTINATION share/lintian/overrides RENAME ${name}
            COMPONENT ${component} EXCLUDE_FROM_ALL)
  endif()
endmacro()

set(what "Keepclear tells with proof how far robots are from hitting themselves, each
other and what stands around them: for poses, for boxes of joint values, for
whole motions, and for every cycle of a control loop. It reads URDF files
and scenes of several robots and objects.")
set(same_version "libkeepclear (= ${debian_version})")
keepclear_package(library libkeepclear libs "certified collision distances for robots" "${what}
.
This package has the shared library." SHLIBDEPS ON)
# What programs that are linked with it depend on; and the loader must hear of it.
file(WRITE ${made}/shlibs "libkeepclear ${interface_version} ${same_version}\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${made}/shlibs ${debian}/triggers)
keepclear_package(development libkeepclear-dev libdevel
  "certified collision distances for robots (development files)" "${what}
.
This package has the headers, and what CMake and pkg-config read."
  DEPENDS "${same_version}" RECOMMENDS libeigen3-dev SUGGESTS libompl-dev)
keepclear_package(command keepclear science "certified collision checks for robots (commands)" "${what}
.
This package has the commands keepclear and keepclear-verify, which checks
certificates of the former on its own."
  SHLIBDEPS ON DEPENDS "${same_version}" RECOMMENDS bash-completion)
if(TARGET keepclear_python)
  math(EXPR next_minor "${python_minor} + 1")
  keepclear_package(python python3-keepclear python
    "certified collision distances for robots (Python 3 module)" "${what}
.
This package has the Python module."
    SHLIBDEPS ON RECOMMENDS "keepclear, python3-distributed" SUGGESTS python3-matplotlib
    DEPENDS "${same_version}, python3 (>= 3.${python_minor}), python3 (<< 3.${next_minor}), python3-numpy")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${debian}/postinst ${debian}/prerm)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGE_NAME keepclear)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DIRECTORY ${made})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${KEEPCLEAR_MAINTAINER}")
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SOURCE keepclear)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# The library itself is among the packages: its users are told above which version they need.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib)
include(CPack)

add_custom_target(
  packages
  # Names of other versions do not stay beside these.
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${made}/_CPack_Packages
  COMMAND sh -c "rm -f *.deb"
  COMMAND ${CMAKE_COMMAND} -E env SOURCE_DATE_EPOCH=${source_time} ${CMAKE_CPACK_COMMAND} -G DEB
          --config ${PROJECT_BINARY_DIR}/CPackConfig.cmake
  WORKING_DIRECTORY ${made}
  DEPENDS ${packaged_targets} ${man_pages}
  COMMENT "Debian packages" VERBATIM USES_TERMINAL)
