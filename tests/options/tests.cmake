# The options of both programs as a grammar: bad values, lines without effect, random lines. Briefly; for longer runs
# see tests/campaigns/options.py.
if(NOT TARGET keepclear_command OR NOT TARGET keepclear-verify OR CMAKE_CXX_FLAGS MATCHES "-fsanitize|--coverage")
  return()
endif()
set(options_programs --command $<TARGET_FILE:keepclear_command> --verify $<TARGET_FILE:keepclear-verify>)
add_test(NAME options COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/options_test.py ${options_programs})
set(options_campaign /usr/bin/python3 ${PROJECT_SOURCE_DIR}/tests/campaigns/options.py ${options_programs})
add_test(NAME options_campaign COMMAND ${options_campaign} --count 200)
add_test(NAME options_effects COMMAND ${options_campaign} --count 30 --effects)
set_tests_properties(options PROPERTIES TIMEOUT 300 COST 15)
set_tests_properties(options_campaign options_effects PROPERTIES TIMEOUT 300 COST 5)
