# What others build on: the libraries as CMake targets (find_package(dpusim)), their headers, and the register generator.
include(CMakePackageConfigHelpers)
set(package "${CMAKE_INSTALL_LIBDIR}/cmake/dpusim")
install(TARGETS dpusim_options dpusim_systemc dpusim_plugin EXPORT dpusimTargets)
install(EXPORT dpusimTargets NAMESPACE dpusim:: DESTINATION "${package}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/models/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/dpusim" FILES_MATCHING PATTERN "*.h")
install(DIRECTORY "${PROJECT_BINARY_DIR}/generated/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/dpusim" FILES_MATCHING PATTERN "*.h"
        PATTERN firmware EXCLUDE PATTERN docs EXCLUDE)
install(PROGRAMS "${PROJECT_SOURCE_DIR}/tools/regs/regs.py" DESTINATION "${CMAKE_INSTALL_DATADIR}/dpusim")
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/dpusimConfig.cmake.in" "${PROJECT_BINARY_DIR}/dpusimConfig.cmake"
  INSTALL_DESTINATION "${package}" PATH_VARS CMAKE_INSTALL_DATADIR)
# Before 1.0 every minor version may break plugins.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/dpusimConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/dpusimConfig.cmake" "${PROJECT_BINARY_DIR}/dpusimConfigVersion.cmake"
              "${CMAKE_CURRENT_LIST_DIR}/DpusimRegisters.cmake" DESTINATION "${package}")
