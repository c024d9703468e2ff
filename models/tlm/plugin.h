// What a shared library with block types of a user exports, so that a platform file can name it under "plugins"
// (docs/plugins.md).
//
//   std::span<const dpusim::BlockType> types() {
//     static const dpusim::BlockType table[] = {dpusim::block_type<CrcEngine, CrcEngineConfig>("crc_engine", "example",
//     "...")}; return table;
//   }
//   DPUSIM_PLUGIN(types)
#pragma once

#include <cstdint>
#include <span>

#include "sim/registers.h"
#include "tlm/block.h"

namespace dpusim {

/// Version of what plugins and dpusim share: raised with every change of a header in models/sim or models/tlm that
/// changes meaning.
inline constexpr std::uint32_t kPluginAbi = 1;

/// Returns a number made of the sizes of what crosses the boundary: tells apart libraries of other headers, another
/// standard library or its debug mode, whose kPluginAbi is the same.
constexpr std::uint64_t plugin_layout() {
  std::uint64_t hash = 14'695'981'039'346'656'037ULL;  // FNV-1a
  for (const std::size_t size :
       {sizeof(BlockType), sizeof(Block), sizeof(Port), sizeof(Processor), sizeof(ConfigTableBase),
        sizeof(BlockContext), sizeof(Simulation), sizeof(StatGroup), sizeof(RegisterBank), sizeof(RegisterInfo),
        sizeof(IrqLine), sizeof(sc_core::sc_module), sizeof(MemoryInitiatorSocket), sizeof(nlohmann::ordered_json)}) {
    hash = (hash ^ size) * 1'099'511'628'211ULL;
  }
  return hash;
}

/// What the entry point returns. Only `abi` keeps its place for ever; the rest is read when it is equal.
struct Plugin {
  std::uint32_t abi;
  std::uint64_t layout;
  std::span<const BlockType> (*types)();
};

/// Name of the entry point, of type `const Plugin* ()`.
inline constexpr const char* kPluginEntry = "dpusim_plugin";

}  // namespace dpusim

/// Defines the entry point of a plugin; once in each. @param types_function a function that returns its types, which
/// live as long as the process.
#define DPUSIM_PLUGIN(types_function)                                                                             \
  extern "C" [[gnu::visibility("default")]] const ::dpusim::Plugin* dpusim_plugin();                              \
  extern "C" const ::dpusim::Plugin* dpusim_plugin() {                                                            \
    static constexpr ::dpusim::Plugin plugin{::dpusim::kPluginAbi, ::dpusim::plugin_layout(), &(types_function)}; \
    return &plugin;                                                                                               \
  }
