#include "platform/shutdown_request.h"

namespace dpusim::platform {

const ConfigTable<ShutdownRequestConfig>& ShutdownRequestConfig::table() {
  static const ConfigTable<ShutdownRequestConfig> table("Shutdown request", {});
  return table;
}

std::span<const BlockType> block_types_of_platform() {
  static const BlockType types[] = {block_type<ShutdownRequest, ShutdownRequestConfig>(
      "shutdown_request", "platform", "Line by which a run asks firmware to finish")};
  return types;
}

}  // namespace dpusim::platform
