#include "platform/describe.h"

#include <algorithm>
#include <map>

#include "sim/quantity_text.h"

namespace dpusim::platform {
namespace {

std::string block_of(const std::string& reference) { return reference.substr(0, reference.find('.')); }

// One edge for each pair of blocks and kind; parallel ports are counted.
std::map<std::pair<std::string, std::string>, std::map<std::string, int>> edges(const Card& card) {
  std::map<std::pair<std::string, std::string>, std::map<std::string, int>> all;
  for (const Card::Link& link : card.links()) ++all[{block_of(link.from), block_of(link.to)}][link.kind];
  for (const Card::Mapping& mapping : card.mappings()) ++all[{mapping.bus, mapping.block}]["memory target"];
  return all;
}

const char* edge_text(const std::string& kind) {
  if (kind == "memory initiator" || kind == "memory target") return "";
  if (kind == "frame initiator") return "frames";
  if (kind == "interrupt line") return "interrupt";
  return "interface";
}

std::string memory_map(const Card& card, const std::string& bus) {
  std::vector<Card::Mapping> map;
  for (const Card::Mapping& mapping : card.mappings()) {
    if (mapping.bus == bus) map.push_back(mapping);
  }
  std::sort(map.begin(), map.end(), [](const auto& a, const auto& b) { return a.base < b.base; });
  std::string text =
      fmt::format("Memory map of {}\n  {:<18}   {:<18}   {:>9}  {}\n", bus, "first", "last", "size", "block");
  std::uint64_t next = 0;
  const auto row = [&](std::uint64_t base, std::uint64_t size, const std::string& name) {
    text += fmt::format("  {:#018x}   {:#018x}   {:>9}  {}\n", base, base + size - 1, to_text(Bytes(size)), name);
  };
  for (const Card::Mapping& m : map) {
    if (m.base > next) row(next, m.base - next, "-");
    const auto same =
        std::count_if(map.begin(), map.end(), [&](const Card::Mapping& other) { return other.block == m.block; });
    row(m.base, m.size, same > 1 ? m.block + "." + m.port : m.block);
    next = m.base + m.size;
  }
  return text;
}

}  // namespace

std::string describe_text(const Card& card) {
  std::string text = fmt::format("{}: {}\n\nBlocks\n", card.description().name, card.description().text);
  for (const Card::Instance& instance : card.instances()) {
    const std::string& said = instance.description->text;
    text += fmt::format("  {:<10} {:<16} {}\n", instance.description->name, instance.type->name,
                        said.empty() ? instance.type->text : said);
  }
  std::vector<std::string> buses;
  for (const Card::Mapping& mapping : card.mappings()) {
    if (std::find(buses.begin(), buses.end(), mapping.bus) == buses.end()) buses.push_back(mapping.bus);
  }
  for (const std::string& bus : buses) text += "\n" + memory_map(card, bus);
  text += "\nConnections\n";
  for (const Card::Link& link : card.links())
    text += fmt::format("  {:<22} -> {:<22} {}\n", link.from, link.to, link.kind);
  return text;
}

std::string describe_graphviz(const Card& card) {
  std::string text = fmt::format("digraph \"{}\" {{\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n",
                                 card.description().name);
  for (const Card::Instance& instance : card.instances())
    text += fmt::format("  \"{0}\" [label=\"{0}\\n{1}\"];\n", instance.description->name, instance.type->name);
  for (const auto& [ends, kinds] : edges(card)) {
    for (const auto& [kind, count] : kinds) {
      text += fmt::format("  \"{}\" -> \"{}\" [label=\"{}\"{}];\n", ends.first, ends.second, edge_text(kind),
                          kind == "interrupt line" ? ", style=dashed" : "");
    }
  }
  return text + "}\n";
}

std::string describe_mermaid(const Card& card) {
  std::string text = "flowchart LR\n";
  for (const Card::Instance& instance : card.instances())
    text += fmt::format("  {0}[\"{0}<br/>{1}\"]\n", instance.description->name, instance.type->name);
  for (const auto& [ends, kinds] : edges(card)) {
    for (const auto& [kind, count] : kinds) {
      const std::string label = edge_text(kind);
      text += fmt::format("  {} {} {}\n", ends.first,
                          kind == "interrupt line" ? "-.->|interrupt|"
                          : label.empty()          ? "-->"
                                                   : "-->|" + label + "|",
                          ends.second);
    }
  }
  return text;
}

}  // namespace dpusim::platform
