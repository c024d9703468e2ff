# dpusim_options: language level, warnings, sanitizers and the include root, for every target of ours.
add_library(dpusim_options INTERFACE)
set_target_properties(dpusim_options PROPERTIES EXPORT_NAME options)
target_compile_features(dpusim_options INTERFACE cxx_std_20)
target_include_directories(dpusim_options INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/models> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/dpusim>)
target_compile_options(dpusim_options INTERFACE
  $<BUILD_INTERFACE:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion>
  # g++ 12 warns falsely about std::string concatenation (GCC bug 105651) and about destroying std::variant and std::optional (105593).
  $<BUILD_INTERFACE:$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-maybe-uninitialized>>
  $<BUILD_INTERFACE:$<$<BOOL:${DPUSIM_WERROR}>:-Werror>>)
if(DPUSIM_SANITIZE)
  target_compile_options(dpusim_options INTERFACE $<BUILD_INTERFACE:-fsanitize=${DPUSIM_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=all>)
  target_link_options(dpusim_options INTERFACE $<BUILD_INTERFACE:-fsanitize=${DPUSIM_SANITIZE}>)
endif()
if(DPUSIM_COVERAGE)
  target_compile_options(dpusim_options INTERFACE $<BUILD_INTERFACE:--coverage>)
  target_link_options(dpusim_options INTERFACE $<BUILD_INTERFACE:--coverage>)
endif()

# dpusim::plugin: what a shared library with block types is built on, headers only; its symbols come from the executable that loads it.
add_library(dpusim_plugin INTERFACE)
add_library(dpusim::plugin ALIAS dpusim_plugin)
set_target_properties(dpusim_plugin PROPERTIES EXPORT_NAME plugin)
target_link_libraries(dpusim_plugin INTERFACE dpusim_options dpusim_systemc fmt::fmt nlohmann_json::nlohmann_json)

# dpusim_library(<family> SOURCES <files> [DEPS <targets>]) makes dpusim::<family>, a static library of one model family.
function(dpusim_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_library(dpusim_${name} STATIC ${ARG_SOURCES})
  add_library(dpusim::${name} ALIAS dpusim_${name})
  set_target_properties(dpusim_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(dpusim_${name} PUBLIC dpusim_options ${ARG_DEPS})
  install(TARGETS dpusim_${name} EXPORT dpusimTargets ARCHIVE)
endfunction()

# dpusim_test(<family> SOURCES <files> [DEPS <targets>] [LABELS <l>] [SYSTEMC]): one Catch2 executable per family, one ctest
# test (and one process, since the SystemC kernel cannot be reset) per TEST_CASE.
function(dpusim_test name)
  cmake_parse_arguments(ARG "SYSTEMC" "" "SOURCES;DEPS;LABELS" ${ARGN})
  find_package(Catch2 2.13 REQUIRED)
  include("${Catch2_DIR}/Catch.cmake")  # by path: a second find_package in a folder adds no module path
  add_executable(test_${name} ${ARG_SOURCES})
  target_link_libraries(test_${name} PRIVATE dpusim_options Catch2::Catch2 ${ARG_DEPS})
  if(ARG_SYSTEMC)
    target_link_libraries(test_${name} PRIVATE dpusim_test_main_systemc)
  else()
    target_link_libraries(test_${name} PRIVATE dpusim_test_main)
  endif()
  target_compile_definitions(test_${name} PRIVATE
    DPUSIM_SOURCE_DIR="${PROJECT_SOURCE_DIR}" DPUSIM_BINARY_DIR="${PROJECT_BINARY_DIR}")
  catch_discover_tests(test_${name} TEST_PREFIX "${name}: " DISCOVERY_MODE PRE_TEST
                       PROPERTIES TIMEOUT 300 LABELS "${ARG_LABELS}")
endfunction()
