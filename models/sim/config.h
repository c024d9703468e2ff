// Configuration: a struct with defaults, and one row a field that parses, validates, dumps and describes it.
//
//   struct PortConfig {
//     BitRate rate{100'000'000'000};
//     Bytes mtu{9216};
//     static const ConfigTable<PortConfig>& table();
//   };
//   const ConfigTable<PortConfig>& PortConfig::table() {
//     static const ConfigTable<PortConfig> table("Ethernet port", {
//         field("rate", &PortConfig::rate, at_least_at_most(1_Gbps, 800_Gbps), "Line rate"),
//         field("mtu", &PortConfig::mtu, at_least_at_most(64_B, 9978_B), "Largest frame, header to payload, without FCS")});
//     return table;
//   }
//
// Any scalar may be written as {"value": V, "source": "...", "confidence": "document|measured|derived|assumed"}.
#pragma once

#include "sim/config_table.h"
