# What `keepclear --version` tells of the build, as far as CMake knows it: written when the build is
# configured, and only if something changed, so that a build that changes nothing links nothing.
include(${PROJECT_SOURCE_DIR}/cmake/revision.cmake)

string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
string(STRIP "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}" flags)
string(REPLACE "\\" "\\\\" flags "${flags}")
string(REPLACE "\"" "\\\"" flags "${flags}")
set(libraries "")
foreach(
  library
  "assimp ${assimp_VERSION}" "CLI11 ${CLI11_VERSION}" "Clp ${CLP_VERSION}"
  "cpp-httplib ${HTTPLIB_VERSION}" "Eigen ${Eigen3_VERSION}" "fmt ${fmt_VERSION}"
  "Highway ${HWY_VERSION}" "libpng ${PNG_VERSION_STRING}" "nlohmann-json ${nlohmann_json_VERSION}"
  "OpenSSL ${OPENSSL_VERSION}" "Qhull ${Qhull_VERSION}" "tinyxml2 ${tinyxml2_VERSION}"
  "yaml-cpp ${yaml-cpp_VERSION}")
  string(REGEX REPLACE "^([^ ]+) (.*)$" "    {\"\\1\", \"\\2\"},\n" row "${library}")
  string(APPEND libraries "${row}")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/build_facts.inc @ONLY CONTENT [[
constexpr Configured kConfigured = {"@revision@",
                                    @modified@,
                                    "@CMAKE_CXX_COMPILER_ID@",
                                    "@CMAKE_CXX_COMPILER_VERSION@",
                                    "@CMAKE_BUILD_TYPE@",
                                    "@flags@",
                                    "@CMAKE_SYSTEM_NAME@ @CMAKE_SYSTEM_PROCESSOR@"};
constexpr Library kLibraries[] = {
@libraries@};
]])
set_source_files_properties(
  keepclear/build_facts.cpp
  PROPERTIES INCLUDE_DIRECTORIES ${PROJECT_BINARY_DIR}/generated COMPILE_OPTIONS "${HWY_CFLAGS_OTHER}"
             SKIP_PRECOMPILE_HEADERS ON)
