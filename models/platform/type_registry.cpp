#include "platform/type_registry.h"

#include "cpu/cpu_types.h"
#include "interconnect/interconnect_types.h"
#include "irq/irq_types.h"
#include "mem/mem_types.h"
#include "net/net_types.h"
#include "platform/shutdown_request.h"
#include "sim/error.h"
#include "sim/nearest.h"
#include "uart/uart_types.h"

namespace dpusim::platform {

const std::vector<const BlockType*>& block_types() {
  static const std::vector<const BlockType*> types = [] {
    std::vector<const BlockType*> all;
    for (const auto family : {cpu::block_types(), mem::block_types(), interconnect::block_types(), irq::block_types(),
                              uart::block_types(), net::block_types(), block_types_of_platform()}) {
      for (const BlockType& type : family) all.push_back(&type);
    }
    return all;
  }();
  return types;
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
