// Plugins that must be refused: one fault each, by macro.
#include "tlm/plugin.h"

#ifndef NO_ENTRY
namespace {

std::span<const dpusim::BlockType> types() {
  static const dpusim::BlockType table[] = {{"pl011", "mine", "A second pl011", nullptr, nullptr}};
  return table;
}

}  // namespace

extern "C" const dpusim::Plugin* dpusim_plugin() {
#if defined(OTHER_ABI)
  static constexpr dpusim::Plugin plugin{dpusim::kPluginAbi + 1, dpusim::plugin_layout(), &types};
#elif defined(OTHER_LAYOUT)
  static constexpr dpusim::Plugin plugin{dpusim::kPluginAbi, dpusim::plugin_layout() + 1, &types};
#else
  static constexpr dpusim::Plugin plugin{dpusim::kPluginAbi, dpusim::plugin_layout(), &types};
#endif
  return &plugin;
}
#endif
