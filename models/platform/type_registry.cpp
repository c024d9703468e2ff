#include "platform/type_registry.h"

#include <algorithm>

#include "accel/accel_types.h"
#include "cpu/cpu_types.h"
#include "host/host_types.h"
#include "interconnect/interconnect_types.h"
#include "irq/irq_types.h"
#include "mem/mem_types.h"
#include "net/net_types.h"
#include "pcie/pcie_types.h"
#include "platform/plugin.h"
#include "platform/shutdown_request.h"
#include "sim/error.h"
#include "sim/nearest.h"
#include "uart/uart_types.h"

namespace dpusim::platform {
namespace {

std::vector<const BlockType*>& registry() {
  static std::vector<const BlockType*> types = [] {
    std::vector<const BlockType*> all;
    for (const auto family : {cpu::block_types(), mem::block_types(), interconnect::block_types(), irq::block_types(),
                              uart::block_types(), net::block_types(), pcie::block_types(), accel::block_types(),
                              host::block_types(), block_types_of_platform()}) {
      for (const BlockType& type : family) all.push_back(&type);
    }
    return all;
  }();
  return types;
}

}  // namespace

const std::vector<const BlockType*>& block_types() { return registry(); }

void add_plugin(const std::filesystem::path& file, const std::string& place) {
  static std::vector<std::filesystem::path> loaded;
  std::error_code error;
  std::filesystem::path real = std::filesystem::canonical(file, error);
  if (!error && std::find(loaded.begin(), loaded.end(), real) != loaded.end()) return;
  std::vector<const BlockType*> all = registry();
  for (const BlockType& type : load_plugin(file, place)) {
    const auto same = std::find_if(all.begin(), all.end(), [&](const BlockType* other) { return other->name == type.name; });
    if (same != all.end())
      throw ConfigError(place, fmt::format("type \"{}\" of {}, which family {} has already", type.name, file.string(), (*same)->family),
                        "a name of its own for each type");
    all.push_back(&type);
  }
  registry() = std::move(all);
  loaded.push_back(std::move(real));
}

const BlockType& find_type(const std::string& name, const std::string& path) {
  std::vector<std::string> names;
  for (const BlockType* type : block_types()) {
    if (type->name == name) return *type;
    names.push_back(type->name);
  }
  throw ConfigError(path, fmt::format("unknown type \"{}\"", name), nearest_or_list(name, names));
}

}  // namespace dpusim::platform
