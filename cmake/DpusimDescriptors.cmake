# dpusim_descriptors(<target> <file>.desc.json): generates the C11 and C++ header of structures in memory that a device and software
# share, and their Markdown, from the one description. Sources of <target>, and of what links it, include it by its path below models,
# "<folder>/<file>_desc.h"; firmware includes it by the same path.
function(dpusim_descriptors target description)
  get_filename_component(path "${description}" ABSOLUTE)
  get_filename_component(stem "${path}" NAME)
  string(REPLACE ".desc.json" "" stem "${stem}")
  file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}/models" "${CMAKE_CURRENT_SOURCE_DIR}")
  set(tool "${PROJECT_SOURCE_DIR}/tools/descriptors/descriptors.py")
  set(header "${PROJECT_BINARY_DIR}/generated/${folder}/${stem}_desc.h")
  set(firmware "${PROJECT_BINARY_DIR}/generated/firmware/${folder}/${stem}_desc.h")
  set(doc "${PROJECT_BINARY_DIR}/generated/docs/descriptors/${stem}.md")
  add_custom_command(OUTPUT "${header}" "${firmware}" "${doc}"
    COMMAND Python3::Interpreter "${tool}" "${path}" --header "${header}" --header "${firmware}" --doc "${doc}"
    DEPENDS "${path}" "${tool}" VERBATIM)
  add_custom_target(${target}_${stem}_desc DEPENDS "${header}" "${firmware}" "${doc}")
  add_dependencies(${target} ${target}_${stem}_desc)
  # Firmware waits for these.
  set_property(GLOBAL APPEND PROPERTY DPUSIM_REGISTER_TARGETS ${target}_${stem}_desc)
endfunction()
