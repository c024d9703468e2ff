// Which resource bounded a run: the most occupied one on the path, and what that means.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace dpusim::platform {

/// What a resource is to the path, told from its statistic's name by the convention that all models follow.
enum class ResourceClass {
  kPath,    ///< carries octets: a bus, a link, a wire, a data port, a pipeline
  kServer,  ///< works on one thing at a time: a core ("utilisation"), an engine ("engine0_utilisation"), a host's
            ///< thread
  kSlots,   ///< bounds how much is under way ("..._slots_", "..._tags_", "..._credits_utilisation"): full when latency,
            ///< not bandwidth, is the bound
  kOffered,  ///< a port's wire in ("rx_utilisation"): what is offered to the card
  kIntake,   ///< a NIC's receive pipeline ("rx_pipeline_utilisation"): works on frames that are then dropped behind it,
             ///< too
};

/// A resource and the part of the window in which it was in use.
struct Resource {
  std::string name;  ///< of the statistic, without "_utilisation": "ddr.channel0_bus", "cpu.core0"
  std::string text;  ///< "data bus of channel 0"
  double occupancy = 0;
  ResourceClass what = ResourceClass::kPath;
};

/// Shares of the offered frames that the card dropped for lack of room or buffers.
struct Losses {
  double all = 0;
  double behind_intake =
      0;  ///< that had passed the receive pipeline: no buffer was posted, or no room for a completion
};

/// Returns the class that a statistic's name (the last part of its path) tells. @param port whether its block is an
/// Ethernet port.
ResourceClass classify_resource(const std::string& statistic, bool port);

/// The answer.
struct Bottleneck {
  std::string resource;  ///< empty when there is none at all
  double occupancy = 0;
  bool saturated = false;  ///< whether it bounds the run; otherwise load or latency does
  std::string text;        ///< one sentence
};

/// Names the resource that bounds the run.
///
/// A path in use for 90 % of the window or more bounds it, whatever waits for it: a core that stalls on a full memory
/// bus looks busy too. Else a server in use for 90 %, else slots. A wire in is a path like others when all was taken
/// from it; when frames were dropped behind it, what bounds the run is behind it too. Below all that nothing is
/// saturated, and the answer is the most occupied resource that is no slot.
Bottleneck find_bottleneck(const std::vector<Resource>& resources, const Losses& losses);

}  // namespace dpusim::platform
