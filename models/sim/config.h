// Configuration: a struct with defaults, and one row a field that parses, validates, dumps and describes it.
//
//   struct PortConfig {
//     BitRate rate{100'000'000'000};
//     Bytes mtu{9216};
//     static const ConfigTable<PortConfig>& table();
//   };
//   const ConfigTable<PortConfig>& PortConfig::table() {
//     static const ConfigTable<PortConfig> table("Ethernet port", {
//         field("rate", &PortConfig::rate, between(1_Gbps, 800_Gbps), "Line rate"),
//         field("mtu", &PortConfig::mtu, between(64_B, 9978_B), "Largest frame, header to payload, without FCS")});
//     return table;
//   }
//
// Any scalar may be written as {"value": V, "source": "...", "confidence": "document|measured|derived|assumed"}.
// Member types: bool, integers, double, std::string, Quantity types, enums (with one_of), structs with table(),
// std::vector of those. Ranges (sim/config_range.h): between(lo, hi), at_least(lo), power_of_two(lo, hi), one_of({1, 2,
// 4}), one_of({{"name", Enum::kValue}, ...}), items(min, max, range of each element), or none. A third argument of the
// table checks what one field cannot tell alone: [](const PortConfig&, const std::string& path) { throw ... }.
#pragma once

#include "sim/config_table.h"
