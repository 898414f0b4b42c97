# In every mode of the floating-point unit but the right one nothing is claimed.
keepclear_test(mode SOURCES mode_test.cpp entries.cpp LINK keepclear ${CMAKE_DL_LIBS})

# GCC puts crtfastm.o into a shared library that it links with -ffast-math; newer ones, and clang, only
# into programs, so that it is named here.
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=crtfastm.o
                OUTPUT_VARIABLE crtfastm OUTPUT_STRIP_TRAILING_WHITESPACE)
add_library(fast_math MODULE mode/fast_math.cpp)
target_compile_options(fast_math PRIVATE -ffast-math)
target_link_options(fast_math PRIVATE -ffast-math)
if(EXISTS ${crtfastm})
  target_link_libraries(fast_math PRIVATE ${crtfastm})
endif()
add_dependencies(test_mode fast_math)
target_compile_definitions(test_mode PRIVATE KEEPCLEAR_FAST_MATH="$<TARGET_FILE:fast_math>")

# A function that is declared and forgotten there.
add_test(NAME mode_entries COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/entries_test.py
         ${PROJECT_SOURCE_DIR}/include/keepclear ${CMAKE_CURRENT_LIST_DIR}/entries.cpp)
