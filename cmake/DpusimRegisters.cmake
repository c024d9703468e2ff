# dpusim_registers(<target> <file>.regs.json): generates the model's register table, the firmware's C header and the
# Markdown of a device from its one description, and adds the table to <target>.
function(dpusim_registers target description)
  get_filename_component(path "${description}" ABSOLUTE)
  get_filename_component(stem "${path}" NAME)
  string(REPLACE ".regs.json" "" stem "${stem}")
  file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}/models" "${CMAKE_CURRENT_SOURCE_DIR}")
  set(table "${PROJECT_BINARY_DIR}/generated/${folder}/${stem}_regs.h")
  set(header "${PROJECT_BINARY_DIR}/generated/firmware/regs/${stem}_regs.h")
  set(doc "${PROJECT_BINARY_DIR}/generated/docs/registers/${stem}.md")
  add_custom_command(OUTPUT "${table}" "${header}" "${doc}"
    COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/tools/regs/regs.py" "${path}"
            --table "${table}" --header "${header}" --doc "${doc}"
    DEPENDS "${path}" "${PROJECT_SOURCE_DIR}/tools/regs/regs.py" VERBATIM)
  add_custom_target(${target}_${stem}_regs DEPENDS "${table}" "${header}" "${doc}")
  add_dependencies(${target} ${target}_${stem}_regs)
  set_property(GLOBAL APPEND PROPERTY DPUSIM_REGISTER_TARGETS ${target}_${stem}_regs)
endfunction()
