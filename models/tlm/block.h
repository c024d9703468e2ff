// What the assembler needs to know of a model: how to make one, and its named ports. Each family lists its types in one table.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>
#include <systemc>
#include <tlm>

#include "sim/config.h"
#include "sim/simulation.h"
#include "tlm/ethernet.h"
#include "tlm/irq.h"
#include "tlm/pcie.h"

namespace dpusim {

using MemoryInitiatorSocket = ::tlm::tlm_initiator_socket<64>;
using MemoryTargetSocket = ::tlm::tlm_target_socket<64>;

/// Something that must hear of writes by others to memory that it may have cached (a core's tags) or monitors.
class CoherentAgent {
 public:
  virtual ~CoherentAgent() = default;
  /// Tells that another requester has written [address, address + length). Takes no time.
  virtual void snoop_write(std::uint64_t address, std::uint64_t length) = 0;
};

/// A hard-wired side channel of a kind that only two families share (a GIC's CPU interface, a capture source). The peers agree on the
/// C++ type; the assembler only passes the pointer. @param kind names the type for messages.
struct ServicePort {
  std::string kind;
  std::function<void(void*)> accept;  ///< set on the side that uses the service
  void* provide = nullptr;            ///< set on the side that gives it
};

/// The line inputs of an interrupt controller: numbers `first` to `first + count - 1` of `sink`.
struct IrqInputs {
  IrqSink* sink;
  unsigned first, count;
};

/// A port of an instance, named by the platform file. Which two kinds meet is the assembler's table.
struct Port {
  std::string name;
  std::variant<MemoryInitiatorSocket*, MemoryTargetSocket*, EthernetInitiatorSocket*, EthernetTargetSocket*, IrqLine*,
               IrqInputs, ServicePort, PcieInitiatorSocket*, PcieTargetSocket*>
      endpoint;
  std::string text;
  /// Memory targets only: the size of the region the target decodes, 0 when the address map gives it (a bus).
  std::uint64_t size = 0;
};

class AddressSpace;

/// A model instance as the assembler sees it. Models derive from sc_module and this.
class Block {
 public:
  virtual ~Block() = default;
  /// Returns the ports. Called once, after construction.
  virtual std::vector<Port> ports() = 0;
  /// Called when the assembler has connected memory initiator `port` to `bus`, which knows it as `requester`: the place to
  /// register a CoherentAgent.
  virtual void attached(const std::string& /*port*/, AddressSpace& /*bus*/, unsigned /*requester*/) {}
  /// Called once when all blocks are made and bound, before time starts: check what only the whole can tell. @error ConfigError.
  virtual void assembled() {}
  /// Called once after the last event, before statistics are written: flush files, settle averages.
  virtual void finish() {}
};

/// A block with cores that firmware is loaded for offers this too.
class Processor {
 public:
  virtual ~Processor() = default;
  /// Sets where core 0 starts after reset, and its X0. Before time starts.
  virtual void set_entry(std::uint64_t pc, std::uint64_t x0) = 0;
  /// Sets what names code addresses in messages ("main+0x10"); returns an empty text for unknown ones.
  virtual void set_symbolizer(std::function<std::string(std::uint64_t)> symbolizer) = 0;
  /// Sets the command line that guests read (semihosting SYS_GET_CMDLINE).
  virtual void set_command_line(std::string command_line) = 0;
  /// Sets where guests' semihosting output goes.
  virtual void set_console(std::function<void(std::string_view)> console) = 0;
};

/// A bus offers this too: the assembler maps targets into it.
class AddressSpace {
 public:
  virtual ~AddressSpace() = default;
  /// Maps [base, base + size) to `target`, which then sees addresses from 0. @error ConfigError on overlap, naming both.
  virtual void map(const std::string& name, std::uint64_t base, std::uint64_t size, MemoryTargetSocket& target) = 0;
  /// Connects an initiator. @return its requester number.
  virtual unsigned connect(const std::string& name, MemoryInitiatorSocket& initiator) = 0;
  /// Registers an agent whose copies writes by others invalidate. @param requester its own number: its own writes do not snoop it.
  virtual void add_agent(unsigned requester, CoherentAgent& agent) = 0;
};

/// One type of model: a row of its family's table.
struct BlockType {
  std::string name;    ///< as "type" in a platform file
  std::string family;  ///< folder under models/
  std::string text;    ///< one sentence for `dpusim schema` and `describe`
  const ConfigTableBase* config;
  /// Parses and validates `json` (found at JSON path `path`) and makes the instance.
  std::function<std::unique_ptr<Block>(const BlockContext&, const nlohmann::ordered_json& json, const std::string& path)> make;
};

/// Makes the table row of a model whose constructor takes (const BlockContext&, const Config&).
template <class Model, class Config>
BlockType block_type(std::string name, std::string family, std::string text) {
  return {std::move(name), std::move(family), std::move(text), &Config::table(),
          [](const BlockContext& context, const nlohmann::ordered_json& json, const std::string& path) {
            return std::unique_ptr<Block>(std::make_unique<Model>(context, Config::table().parse(json, path)));
          }};
}

}  // namespace dpusim
