# Installs BUILD into a staging prefix below WORK and uses it from outside: once by find_package,
# once by pkg-config, each time moved to another place first.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# The consumer prints its version and a distance above zero; anything else is a failure.
function(expect_answer how)
  if(NOT output MATCHES "keepclear ${VERSION}: free, at least [0-9]+\\.[0-9]+ m")
    message(FATAL_ERROR "${how}: unexpected answer: ${output}")
  endif()
  message(STATUS "${how}: ${output}")
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/staging)
# An installation knows no path of the place that it was built in.
file(RENAME ${WORK}/staging ${WORK}/prefix)
set(consumer ${SOURCE}/tests/install/consumer)

run(${CMAKE_COMMAND} -S ${consumer} -B ${WORK}/find_package -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH=${WORK}/prefix
    -DWANTED=${VERSION} -DWITH_OMPL=${WITH_OMPL})
run(${CMAKE_COMMAND} --build ${WORK}/find_package)
run(${WORK}/find_package/consumer)
expect_answer("find_package")
if(WITH_OMPL)
  run(${WORK}/find_package/planner)
  expect_answer("find_package with OMPL")
endif()

set(libdir ${WORK}/prefix/${LIBDIR})
set(ENV{PKG_CONFIG_PATH} ${libdir}/pkgconfig)
run(pkg-config --cflags --libs keepclear)
separate_arguments(flags UNIX_COMMAND "${output}")
run(${CXX} -std=c++20 ${consumer}/main.cpp -o ${WORK}/by_pkg_config ${flags})
set(ENV{LD_LIBRARY_PATH} ${libdir})
run(${WORK}/by_pkg_config)
expect_answer("pkg-config")

# The Python module, where it was built: it finds its library from where it lies.
file(GLOB module ${WORK}/prefix/*/python3*/site-packages/keepclear/_keepclear.*.so)
if(module)
  cmake_path(GET module PARENT_PATH package)
  cmake_path(GET package PARENT_PATH site)
  run(${CMAKE_COMMAND} -E env --unset=LD_LIBRARY_PATH PYTHONPATH=${site} ${PYTHON} ${consumer}/module.py)
  expect_answer("Python")
endif()

# As a part of the project. Compiling it all again shows nothing that the build did not: configured, its
# sources are found and its target is there.
run(${CMAKE_COMMAND} -S ${consumer} -B ${WORK}/subdirectory -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${CXX}
    -DSUBDIRECTORY=${SOURCE})
