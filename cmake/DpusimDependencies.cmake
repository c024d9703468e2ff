# Third-party parts, all from Debian packages; nothing is downloaded here.
find_package(PkgConfig REQUIRED)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
pkg_check_modules(SYSTEMC REQUIRED IMPORTED_TARGET systemc)
pkg_check_modules(PCAP REQUIRED IMPORTED_TARGET libpcap)
pkg_check_modules(ELF REQUIRED IMPORTED_TARGET libelf)
pkg_check_modules(CRYPTO REQUIRED IMPORTED_TARGET libcrypto)
pkg_check_modules(CAPSTONE REQUIRED IMPORTED_TARGET capstone)

# Debian builds libsystemc as C++17 and checks the language at link time; the code here is C++20.
add_library(dpusim_systemc INTERFACE)
add_library(dpusim::systemc ALIAS dpusim_systemc)
target_link_libraries(dpusim_systemc INTERFACE PkgConfig::SYSTEMC)
target_compile_definitions(dpusim_systemc INTERFACE SC_CPLUSPLUS=201703L SC_INCLUDE_DYNAMIC_PROCESSES)
set_target_properties(dpusim_systemc PROPERTIES EXPORT_NAME systemc)

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE}" CACHE STRING "")
  set(CMAKE_C_COMPILER_LAUNCHER "${CCACHE}" CACHE STRING "")
endif()
