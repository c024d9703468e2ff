#include "pcie/pcie_endpoint_stats.h"

#include <fmt/format.h>

namespace dpusim::pcie {

PcieEndpointStats::PcieEndpointStats(StatGroup& group)
    : outbound_reads(group, "outbound_reads", "accesses", "Reads of host memory by the card"),
      outbound_read_octets(group, "outbound_read_octets", "octets", "Octets of these that succeeded"),
      outbound_writes(group, "outbound_writes", "accesses", "Writes to host memory by the card"),
      outbound_write_octets(group, "outbound_write_octets", "octets", "Octets of these"),
      outbound_refused(group, "outbound_refused", "accesses",
                       "Accesses to the window that made no request: not bus master, or out of range"),
      outbound_errors(group, "outbound_errors", "accesses",
                      "Accesses to the window that the host answered with an error"),
      inbound_reads(group, "inbound_reads", "requests", "Memory reads of the host, as the link splits them"),
      inbound_read_octets(group, "inbound_read_octets", "octets", "Octets of these"),
      inbound_writes(group, "inbound_writes", "requests", "Memory writes of the host, as the link splits them"),
      inbound_write_octets(group, "inbound_write_octets", "octets", "Octets of these"),
      inbound_unsupported(group, "inbound_unsupported", "requests", "Requests answered with Unsupported Request"),
      inbound_aborted(group, "inbound_aborted", "requests", "Requests answered with Completer Abort"),
      loops(group, "loops", "requests", "Requests aborted since they went in circles between host and card"),
      configuration_reads(group, "configuration_reads", "requests", "Configuration reads"),
      configuration_writes(group, "configuration_writes", "requests", "Configuration writes"),
      doorbells(group, "doorbells", "writes", "Doorbell writes of the host"),
      msix_events(group, "msix_events", "events", "Interrupt events: rising edges of inputs, and MSIX_RAISE"),
      msix_messages(group, "msix_messages", "messages", "MSI-X messages sent"),
      msix_merged(group, "msix_merged", "events", "Events of a vector that was pending already"),
      msix_withdrawn(group, "msix_withdrawn", "events", "Pending events whose input fell before they could be sent"),
      msix_disabled(group, "msix_disabled", "events", "Events lost since MSI-X was not enabled"),
      msix_errors(group, "msix_errors", "messages", "Messages that the host refused"),
      msix_pending(group, "msix_pending", "vectors", "Vectors pending"),
      outbound_read_latency(group, "outbound_read_latency", "ps", "Read at the window to data"),
      outbound_write_latency(group, "outbound_write_latency", "ps", "Write at the window to its end at the host") {
  group.law(
      "msix_events = msix_messages + merged + withdrawn + disabled + pending", [this]() -> std::optional<std::string> {
        const auto waiting = static_cast<std::uint64_t>(msix_pending.value());
        if (msix_events.value() ==
            msix_messages.value() + msix_merged.value() + msix_withdrawn.value() + msix_disabled.value() + waiting)
          return std::nullopt;
        return fmt::format("{} != {} + {} + {} + {} + {}", msix_events.value(), msix_messages.value(),
                           msix_merged.value(), msix_withdrawn.value(), msix_disabled.value(), waiting);
      });
}

}  // namespace dpusim::pcie
