# Long runs of the judges, as commands: built by the target `campaigns`, not by default.
add_custom_target(campaigns)
find_package(fcl REQUIRED)

function(keepclear_campaign name)
  add_executable(campaign_${name} EXCLUDE_FROM_ALL ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${name}.cpp)
  add_dependencies(campaigns campaign_${name})
  set_target_properties(campaign_${name} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY
                                                    ${PROJECT_BINARY_DIR}/campaigns)
  target_include_directories(campaign_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src
                                                      ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(campaign_${name} PRIVATE keepclear::keepclear Threads::Threads gmpxx gmp
                                                 quadmath ${ARGN})
endfunction()

keepclear_campaign(near_contact)
keepclear_campaign(robots fcl Eigen3::Eigen)
keepclear_campaign(mesh_grammar nlohmann_json::nlohmann_json)
# Short enough for every run of the tests.
set_target_properties(campaign_mesh_grammar PROPERTIES EXCLUDE_FROM_ALL FALSE)
add_test(NAME campaign_mesh_grammar COMMAND campaign_mesh_grammar 200 1)
keepclear_campaign(watch)
keepclear_campaign(scenes fcl Eigen3::Eigen nlohmann_json::nlohmann_json)
keepclear_campaign(sweep)
keepclear_campaign(sweep_boxes)
keepclear_campaign(boxes)
keepclear_campaign(certify)
keepclear_campaign(guard)
keepclear_campaign(orbits)
keepclear_campaign(toleranced)
if(TARGET proof_checker)
  keepclear_campaign(certificates proof_checker)
  keepclear_campaign(mutants proof_checker)
endif()
