# dpusim_registers(<target> <file>.regs.json): generates the model's register table, the firmware's C header and the
# Markdown of a device from its one description, and adds the table to <target>. Sources of <target> include the table by its path
# below DPUSIM_REGISTERS_ROOT, "<folder>/<file>_regs.h", from <build>/generated. Installed, for plugins' own registers as well.
if(NOT DPUSIM_REGISTERS_TOOL)
  set(DPUSIM_REGISTERS_TOOL "${PROJECT_SOURCE_DIR}/tools/regs/regs.py")
  set(DPUSIM_REGISTERS_ROOT "${PROJECT_SOURCE_DIR}/models")
endif()
function(dpusim_registers target description)
  get_filename_component(path "${description}" ABSOLUTE)
  get_filename_component(stem "${path}" NAME)
  string(REPLACE ".regs.json" "" stem "${stem}")
  file(RELATIVE_PATH folder "${DPUSIM_REGISTERS_ROOT}" "${CMAKE_CURRENT_SOURCE_DIR}")
  set(table "${PROJECT_BINARY_DIR}/generated/${folder}/${stem}_regs.h")
  set(header "${PROJECT_BINARY_DIR}/generated/firmware/regs/${stem}_regs.h")
  set(doc "${PROJECT_BINARY_DIR}/generated/docs/registers/${stem}.md")
  add_custom_command(OUTPUT "${table}" "${header}" "${doc}"
    COMMAND Python3::Interpreter "${DPUSIM_REGISTERS_TOOL}" "${path}"
            --table "${table}" --header "${header}" --doc "${doc}"
    DEPENDS "${path}" "${DPUSIM_REGISTERS_TOOL}" VERBATIM)
  target_include_directories(${target} PRIVATE "${PROJECT_BINARY_DIR}/generated")
  add_custom_target(${target}_${stem}_regs DEPENDS "${table}" "${header}" "${doc}")
  add_dependencies(${target} ${target}_${stem}_regs)
  set_property(GLOBAL APPEND PROPERTY DPUSIM_REGISTER_TARGETS ${target}_${stem}_regs)
endfunction()
