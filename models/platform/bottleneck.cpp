#include "platform/bottleneck.h"

#include <fmt/format.h>

#include <algorithm>

namespace dpusim::platform {
namespace {

constexpr double kBounds = 0.90;
constexpr double kLossy = 1e-3;  // fewer drops than this are no sign of overload

/// Returns the most occupied resource of the kinds that `wanted` takes; the first of equals.
template <class Wanted>
const Resource* most(const std::vector<Resource>& resources, const Wanted& wanted) {
  const Resource* found = nullptr;
  for (const Resource& resource : resources) {
    if (wanted(resource.what) && (found == nullptr || resource.occupancy > found->occupancy)) found = &resource;
  }
  return found;
}

}  // namespace

ResourceClass classify_resource(const std::string& statistic, bool port) {
  for (const char* bounded : {"slots_utilisation", "tags_utilisation", "credits_utilisation"}) {
    if (statistic.ends_with(bounded)) return ResourceClass::kSlots;
  }
  if (statistic == "utilisation" || statistic.starts_with("engine") || statistic.starts_with("thread"))
    return ResourceClass::kServer;
  if (statistic == "rx_pipeline_utilisation") return ResourceClass::kIntake;
  if (port && statistic == "rx_utilisation") return ResourceClass::kOffered;
  return ResourceClass::kPath;
}

Bottleneck find_bottleneck(const std::vector<Resource>& resources, const Losses& losses) {
  const bool lossy = losses.all > kLossy, starved = losses.behind_intake > kLossy;
  // All that was offered was taken: nothing behind the wire bounds the run.
  const Resource* offered =
      lossy ? nullptr : most(resources, [](ResourceClass c) { return c == ResourceClass::kOffered; });
  const auto is_path = [&](ResourceClass c) {
    return c == ResourceClass::kPath || (c == ResourceClass::kOffered && !lossy) ||
           (c == ResourceClass::kIntake && !starved);
  };
  const Resource* path = most(resources, is_path);
  const Resource* server = most(resources, [](ResourceClass c) { return c == ResourceClass::kServer; });
  const Resource* slots = most(resources, [](ResourceClass c) { return c == ResourceClass::kSlots; });
  const Resource* bound = nullptr;
  for (const Resource* candidate : {offered, path, server, slots}) {
    if (bound == nullptr && candidate != nullptr && candidate->occupancy >= kBounds) bound = candidate;
  }
  const Resource* busiest =
      path == nullptr || (server != nullptr && server->occupancy > path->occupancy) ? server : path;
  const Resource* named = bound != nullptr ? bound : busiest;
  Bottleneck answer;
  if (named == nullptr) {
    answer.text = "no resource was in use";
    return answer;
  }
  answer.resource = named->name;
  answer.occupancy = named->occupancy;
  answer.saturated = bound != nullptr;
  const std::string what =
      fmt::format("{} ({}), in use {:.1f} % of the time", named->name, named->text, 100 * named->occupancy);
  if (bound == nullptr) {
    answer.text =
        fmt::format("none is saturated{}; the busiest is {}",
                    lossy ? ", and yet frames were dropped" : ": the offered load or latency is the bound", what);
  } else if (bound->what == ResourceClass::kOffered) {
    answer.text = what + ": all that was offered was taken";
  } else if (bound->what == ResourceClass::kSlots) {
    answer.text = what + ": latency bounds what is under way";
  } else {
    answer.text = what;
  }
  if (lossy) answer.text += fmt::format("; {:.1f} % of the frames were dropped", 100 * losses.all);
  return answer;
}

}  // namespace dpusim::platform
