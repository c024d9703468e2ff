#include "platform/card.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "sim/error.h"
#include "sim/nearest.h"

namespace dpusim::platform {
namespace {

std::vector<std::string> port_names(const Card::Instance& instance) {
  std::vector<std::string> names;
  for (const Port& port : instance.ports) names.push_back(port.name);
  return names;
}

Port* port_named(Card::Instance& instance, const std::string& name) {
  const auto found =
      std::find_if(instance.ports.begin(), instance.ports.end(), [&](const Port& p) { return p.name == name; });
  return found == instance.ports.end() ? nullptr : &*found;
}

// "cntp[*]" -> "cntp[3]", "gic.spi[*+64]" -> "gic.spi[67]".
std::string expand(const std::string& text, unsigned element) {
  std::string expanded;
  std::size_t at = 0;
  for (std::size_t star = text.find("[*"); star != std::string::npos; star = text.find("[*", at)) {
    const std::size_t close = text.find(']', star);
    unsigned offset = 0;
    if (close != std::string::npos && text[star + 2] == '+')
      std::from_chars(text.data() + star + 3, text.data() + close, offset);
    expanded += fmt::format("{}[{}]", text.substr(at, star - at), element + offset);
    at = close == std::string::npos ? text.size() : close + 1;
  }
  return expanded + text.substr(at);
}

void bind_lines(IrqLine& line, const IrqInputs& inputs, unsigned index, const std::string& path, const std::string& to,
                std::set<std::pair<const IrqSink*, unsigned>>& taken) {
  if (index >= inputs.count)
    throw ConfigError(path, fmt::format("\"{}\"", to), fmt::format("an index below {}", inputs.count));
  if (line.connected()) throw ConfigError(path, "a line that is connected already", "one connection a line");
  // A level that two devices drive would follow whoever spoke last.
  if (!taken.emplace(inputs.sink, inputs.first + index).second)
    throw ConfigError(path, fmt::format("\"{}\", which another line is connected to", to),
                      "an input of its own for each line");
  line.connect(*inputs.sink, inputs.first + index);
}

}  // namespace

const char* port_kind(const Port& port) {
  static constexpr const char* kKinds[] = {"memory initiator", "memory target",    "frame initiator",
                                           "frame target",     "interrupt line",   "interrupt inputs",
                                           "service",          "PCIe device-side", "PCIe root-side"};
  return kKinds[port.endpoint.index()];
}

Card::Card(PlatformDescription description, Simulation& simulation) : description_(std::move(description)) {
  make_blocks(simulation);
  for (Instance& instance : instances_) map_targets(instance);
  for (Instance& instance : instances_) connect(instance);
  for (Instance& instance : instances_) attach_initiators(instance);
  for (Instance& instance : instances_) instance.block->assembled();
}

void Card::make_blocks(Simulation& simulation) {
  for (std::size_t i = 0; i < description_.plugins.size(); ++i)
    add_plugin(description_.plugins[i], fmt::format("plugins[{}]", i));
  for (const BlockDescription& block : description_.blocks) {
    const BlockType& type = find_type(block.type, block.path + ".type");
    instances_.push_back({&block, &type, nullptr, {}});
  }
  for (Instance& instance : instances_) {
    const BlockContext context(simulation, instance.description->name, simulation.fidelity());
    instance.block = instance.type->make(context, instance.description->parameters, instance.description->path);
    instance.ports = instance.block->ports();
  }
}

Card::Instance* Card::find_instance(const std::string& name) {
  const auto found = std::find_if(instances_.begin(), instances_.end(),
                                  [&](const Instance& instance) { return instance.description->name == name; });
  return found == instances_.end() ? nullptr : &*found;
}

Block& Card::find(const std::string& name, const std::string& place) {
  Instance* instance = find_instance(name);
  if (instance != nullptr) return *instance->block;
  std::vector<std::string> names;
  for (const Instance& candidate : instances_) names.push_back(candidate.description->name);
  throw ConfigError(place, fmt::format("no block \"{}\"", name), nearest_or_list(name, names));
}

Card::PortReference Card::find_port(const std::string& reference, const std::string& place) {
  const std::size_t dot = reference.find('.');
  if (dot == std::string::npos) throw ConfigError(place, fmt::format("\"{}\"", reference), "\"block.port\"");
  find(reference.substr(0, dot), place);
  Instance& instance = *find_instance(reference.substr(0, dot));
  const std::string name = reference.substr(dot + 1);
  if (Port* port = port_named(instance, name)) return {&instance, port, 0, false};
  // "spi[33]": the last index selects a line of the inputs "spi".
  const std::size_t bracket = name.rfind('[');
  if (bracket != std::string::npos && name.ends_with("]")) {
    Port* port = port_named(instance, name.substr(0, bracket));
    unsigned index = 0;
    const char* end = name.data() + name.size() - 1;
    const auto parsed = std::from_chars(name.data() + bracket + 1, end, index);
    if (port != nullptr && std::holds_alternative<IrqInputs>(port->endpoint) && parsed.ec == std::errc() &&
        parsed.ptr == end)
      return {&instance, port, index, true};
  }
  throw ConfigError(place, fmt::format("\"{}\": {} has no port \"{}\"", reference, instance.description->type, name),
                    nearest_or_list(name, port_names(instance)));
}

AddressSpace& Card::bus_of(const Instance& instance, const std::string& port) {
  const BlockDescription& block = *instance.description;
  if (block.bus.empty())
    throw ConfigError(block.path, fmt::format("no \"bus\" for port \"{}\"", port), "the name of an interconnect block");
  auto* bus = dynamic_cast<AddressSpace*>(&find(block.bus, block.path + ".bus"));
  if (bus == nullptr)
    throw ConfigError(block.path + ".bus", fmt::format("\"{}\", which is no interconnect", block.bus), "one");
  return *bus;
}

void Card::map_targets(Instance& instance) {
  const BlockDescription& block = *instance.description;
  std::vector<Port*> targets;
  std::vector<std::string> names;
  for (Port& port : instance.ports) {
    if (!std::holds_alternative<MemoryTargetSocket*>(port.endpoint) || port.size == 0) continue;
    targets.push_back(&port);
    names.push_back(port.name);
  }
  for (const auto& [name, address] : block.at) {
    const bool known = name.empty() ? targets.size() == 1 : std::find(names.begin(), names.end(), name) != names.end();
    if (!known && targets.empty())
      throw ConfigError(block.path + ".at", fmt::format("an address for {}", block.type),
                        "none: it has no registers or memory");
    if (!known && name.empty())
      throw ConfigError(block.path + ".at", "one address", fmt::format("an object with {}", fmt::join(names, ", ")));
    if (!known)
      throw ConfigError(block.path + ".at", fmt::format("unknown port \"{}\"", name), nearest_or_list(name, names));
  }
  for (Port* port : targets) {
    auto at = block.at.find(port->name);
    if (at == block.at.end()) at = block.at.find("");
    if (at == block.at.end())
      throw ConfigError(block.path, fmt::format("no address for \"{}\"", port->name), "\"at\": \"0x...\"");
    const std::string label = targets.size() == 1 ? block.name : block.name + "." + port->name;
    bus_of(instance, port->name)
        .map(label, at->second.count(), port->size, *std::get<MemoryTargetSocket*>(port->endpoint));
    mappings_.push_back({block.bus, block.name, port->name, at->second.count(), port->size});
  }
}

void Card::connect(Instance& instance) {
  const BlockDescription& block = *instance.description;
  for (const auto& [own, to] : block.connect) {
    const std::string path = block.path + ".connect." + own;
    if (own.find("[*]") == std::string::npos) {
      Port* port = port_named(instance, own);
      if (port == nullptr)
        throw ConfigError(path, fmt::format("{} has no port \"{}\"", block.type, own),
                          nearest_or_list(own, port_names(instance)));
      join(instance, *port, to, path);
      continue;
    }
    unsigned element = 0;
    while (Port* port = port_named(instance, expand(own, element))) join(instance, *port, expand(to, element++), path);
    if (element == 0)
      throw ConfigError(path, fmt::format("{} has no port \"{}\"", block.type, expand(own, 0)),
                        nearest_or_list(expand(own, 0), port_names(instance)));
  }
}

void Card::join(Instance& from, Port& port, const std::string& to, const std::string& path) {
  const PortReference peer = find_port(to, path);
  // A socket takes one connection. @error ConfigError.
  const auto take = [&](const void* socket, const std::string& which) {
    if (&from == peer.instance)
      throw ConfigError(path, fmt::format("\"{}\", a port of the same block", to), "a port of another block");
    if (!connected_.insert(socket).second)
      throw ConfigError(path, fmt::format("\"{}\", which is connected already", which), "one connection a port");
  };
  const auto misfit = [&](const char* expected) {
    return ConfigError(
        path,
        fmt::format("{} is of the kind {}, {} of the kind {}", port.name, port_kind(port), to, port_kind(*peer.port)),
        expected);
  };
  if (auto* line = std::get_if<IrqLine*>(&port.endpoint)) {
    const auto* inputs = std::get_if<IrqInputs>(&peer.port->endpoint);
    if (inputs == nullptr) throw misfit("interrupt inputs of an interrupt controller");
    bind_lines(**line, *inputs, peer.index, path, to, driven_inputs_);
  } else if (auto* sender = std::get_if<EthernetInitiatorSocket*>(&port.endpoint)) {
    auto* receiver = std::get_if<EthernetTargetSocket*>(&peer.port->endpoint);
    if (receiver == nullptr) throw misfit("a frame target port");
    take(*sender, from.description->name + "." + port.name);
    take(*receiver, to);
    (*sender)->bind(**receiver);
  } else if (auto* initiator = std::get_if<MemoryInitiatorSocket*>(&port.endpoint)) {
    auto* target = std::get_if<MemoryTargetSocket*>(&peer.port->endpoint);
    if (target == nullptr) throw misfit("a memory target port");
    take(*initiator, from.description->name + "." + port.name);
    take(*target, to);
    (*initiator)->bind(**target);
  } else if (auto* device = std::get_if<PcieInitiatorSocket*>(&port.endpoint)) {
    auto* root = std::get_if<PcieTargetSocket*>(&peer.port->endpoint);
    if (root == nullptr) throw misfit("a PCIe root-side port");
    take(*device, from.description->name + "." + port.name);
    take(*root, to);
    (*device)->bind(**root);
  } else if (auto* user = std::get_if<ServicePort>(&port.endpoint)) {
    auto* giver = std::get_if<ServicePort>(&peer.port->endpoint);
    if (giver == nullptr || !user->accept || giver->provide == nullptr || user->kind != giver->kind)
      throw misfit(fmt::format("a port that provides {}", user->kind).c_str());
    user->accept(giver->provide);
  } else {
    throw misfit("the connection written at the other block, whose port is the source");
  }
  links_.push_back({from.description->name + "." + port.name, to, port_kind(port)});
}

void Card::attach_initiators(Instance& instance) {
  for (Port& port : instance.ports) {
    auto* initiator = std::get_if<MemoryInitiatorSocket*>(&port.endpoint);
    if (initiator == nullptr || (*initiator)->get_base_port().size() != 0) continue;
    AddressSpace& bus = bus_of(instance, port.name);
    const std::string name = instance.description->name + "." + port.name;
    const unsigned requester = bus.connect(name, **initiator);
    instance.block->attached(port.name, bus, requester);
    links_.push_back({name, instance.description->bus, port_kind(port)});
  }
}

nlohmann::ordered_json Card::effective() const {
  nlohmann::ordered_json blocks = nlohmann::ordered_json::object();
  for (const Instance& instance : instances_) {
    const BlockDescription& description = *instance.description;
    const nlohmann::ordered_json& source = description_.json.at("blocks").at(description.name);
    nlohmann::ordered_json block = nlohmann::ordered_json::object();
    for (const char* key : kReservedBlockKeys) {
      if (source.contains(key)) block[key] = source.at(key);
    }
    block.update(instance.type->config->effective(description.parameters, description.path));
    blocks[description.name] = std::move(block);
  }
  nlohmann::ordered_json json = {{"name", description_.name}, {"description", description_.text}};
  if (!description_.plugins.empty()) json["plugins"] = description_.json.at("plugins");
  json["blocks"] = std::move(blocks);
  return json;
}

}  // namespace dpusim::platform
