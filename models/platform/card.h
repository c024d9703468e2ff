// The assembled card: block instances made from a platform description and joined by their ports.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "platform/platform_file.h"
#include "platform/type_registry.h"
#include "sim/simulation.h"
#include "tlm/block.h"

namespace dpusim::platform {

/// Makes and joins the blocks of a platform. One per process, since SystemC elaborates once.
class Card {
 public:
  /// One block with what the assembler knows of it.
  struct Instance {
    const BlockDescription* description;
    const BlockType* type;
    std::unique_ptr<Block> block;
    std::vector<Port> ports;
  };
  /// A target in an address map.
  struct Mapping {
    std::string bus, block, port;
    std::uint64_t base, size;
  };
  /// A connection, as described.
  struct Link {
    std::string from, to, kind;
  };

  /// Makes and binds everything. @error ConfigError: unknown types and ports, ports of kinds that do not fit, overlaps,
  /// ports that must be connected and are not.
  Card(PlatformDescription description, Simulation& simulation);

  [[nodiscard]] const PlatformDescription& description() const { return description_; }
  [[nodiscard]] const std::vector<Instance>& instances() const { return instances_; }
  [[nodiscard]] const std::vector<Mapping>& mappings() const { return mappings_; }
  [[nodiscard]] const std::vector<Link>& links() const { return links_; }
  /// Returns the block of this name. @param place for the message. @error ConfigError with the nearest name.
  Block& find(const std::string& name, const std::string& place);
  /// Returns a port by "block.port" of a wanted kind. @error ConfigError.
  template <class Endpoint>
  Endpoint& port(const std::string& reference, const std::string& place) {
    return *std::get<Endpoint*>(find_port(reference, place).port->endpoint);
  }
  /// Returns all blocks of a C++ type with their names, in the file's order.
  template <class T>
  std::vector<std::pair<std::string, T*>> all() const {
    std::vector<std::pair<std::string, T*>> found;
    for (const Instance& instance : instances_) {
      if (auto* match = dynamic_cast<T*>(instance.block.get())) found.emplace_back(instance.description->name, match);
    }
    return found;
  }
  /// Returns the platform with every parameter as it takes effect; a platform file that makes the same card.
  [[nodiscard]] nlohmann::ordered_json effective() const;

 private:
  struct PortReference {
    Instance* instance;
    Port* port;
    unsigned index;  // within IrqInputs
    bool indexed;
  };
  Instance* find_instance(const std::string& name);
  PortReference find_port(const std::string& reference, const std::string& place);
  void make_blocks(Simulation& simulation);
  void map_targets(Instance& instance);
  void connect(Instance& instance);
  void join(Instance& from, Port& port, const std::string& to, const std::string& path);
  void attach_initiators(Instance& instance);
  AddressSpace& bus_of(const Instance& instance, const std::string& port);

  PlatformDescription description_;
  std::vector<Instance> instances_;
  std::vector<Mapping> mappings_;
  std::vector<Link> links_;
  std::set<std::pair<const IrqSink*, unsigned>> driven_inputs_;
  std::set<const void*> connected_;  // sockets
};

/// Returns a port's kind in words, "memory initiator".
const char* port_kind(const Port& port);

}  // namespace dpusim::platform
