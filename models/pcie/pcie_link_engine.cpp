#include "pcie/pcie_link_engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/error.h"

namespace dpusim::pcie {
namespace {

// The longest packet: framing, a header of four doublewords, 4 KiB, ECRC.
constexpr std::uint64_t kLongest = (kFraming + 16 + 4096 + kEcrc) / 4;

}  // namespace

PcieDirection::PcieDirection(StatGroup& group, const std::string& name, const std::string& requester,
                             const PcieLinkConfig& config)
    : wire(group, name, name + " direction of the link"),
      tags(group, name + "_tags", "tags for requests of the " + requester, config.tags),
      credits(group, name + "_credits", "credits for posted packets of the " + requester, config.posted_credits),
      memory_reads(group.child(name), "memory_read_tlps", "packets", "Memory read requests sent"),
      memory_writes(group.child(name), "memory_write_tlps", "packets", "Memory write requests sent"),
      configuration(group.child(name), "configuration_tlps", "packets", "Configuration requests sent"),
      completions(group.child(name), "completion_tlps", "packets", "Completions sent, with and without data"),
      payload(group.child(name), "payload_octets", "octets", "Octets of data in packets, in whole doublewords"),
      octets(group.child(name), "wire_octets", "octets", "Octets of packets with header and framing"),
      read_octets(group.child(name), "read_octets", "octets",
                  "Octets that memory reads of the " + requester + " asked for"),
      completed_octets(group.child(name), "read_octets_completed", "octets", "Octets that completions brought back"),
      failed_octets(group.child(name), "read_octets_failed", "octets", "Octets asked for by packets that failed"),
      failures(group.child(name), "failed_requests", "packets",
               "Requests of the " + requester + " whose completer's answer was another than Successful Completion"),
      read_latency(group.child(name), "read_latency", "ps",
                   "Time of a memory read of the " + requester + " from request to its last octet") {
  group.child(name).law(
      "read_octets = read_octets_completed + read_octets_failed", [this]() -> std::optional<std::string> {
        if (read_octets.value() == completed_octets.value() + failed_octets.value()) return std::nullopt;
        return fmt::format("{} != {} + {}", read_octets.value(), completed_octets.value(), failed_octets.value());
      });
}

PcieLinkEngine::PcieLinkEngine(const PcieLinkConfig& config, const BlockContext& context,
                               PcieLinkEnvironment& environment)
    : shape_(config.shape()),
      timed_(context.fidelity != Fidelity::kFunctional),
      latency_(timed_ ? config.latency : Time(0)),
      environment_(environment),
      way_{PcieDirection(context.stats, "upstream", "device", config),
           PcieDirection(context.stats, "downstream", "root", config)} {
  const BitRate rate = shape_.rate();
  for (std::uint64_t i = 0; i <= kLongest; ++i) service_.push_back(transfer_time(Bytes(4 * i), rate));
}

Time PcieLinkEngine::request(Direction direction, PcieRequest& request, Time when) {
  const Time present = environment_.present();
  for (PcieDirection& way : way_) way.wire.advance(present);
  request.status = CompletionStatus::kSuccessful;
  request.sent = when;
  switch (request.type) {
    case TlpType::kMemoryWrite:
      return write(direction, request, when);
    case TlpType::kMemoryRead:
      return read(direction, request, when);
    case TlpType::kConfigurationRead:
    case TlpType::kConfigurationWrite:
      return configure(direction, request, when);
    default:
      request.status = CompletionStatus::kUnsupportedRequest;
      return when;
  }
}

// Returns when the packet's last octet has left.
Time PcieLinkEngine::send(PcieDirection& way, const Tlp& packet, std::uint64_t payload, Time when) {
  const std::uint64_t octets = shape_.on_wire(packet, payload).count();
  way.payload += 4 * payload;
  way.octets += octets;
  if (!timed_) return when;
  if (when < way.held_until && when >= way.held_since) when = way.held_until;
  return way.wire.reserve_split(when, service_[octets / 4]).done;
}

Time PcieLinkEngine::write(Direction direction, PcieRequest& request, Time when) {
  PcieDirection& way = of(direction);
  PcieRequest piece = request;
  Time done = when;
  for (std::size_t at = 0; at < request.data.size();) {
    const std::uint64_t octets = request_piece(piece.address, request.data.size() - at, shape_.mps.count());
    ++way.memory_writes;
    const Time credit = take_credit(way, when);
    request.sent = send(way, {.type = TlpType::kMemoryWrite, .address = piece.address},
                        doublewords(piece.address, octets), credit);
    piece.data = request.data.subspan(at, octets);
    piece.status = CompletionStatus::kSuccessful;
    const Time end = environment_.complete(direction, piece, request.sent + latency_);
    if (timed_) way.credits.give(credit, end + latency_);
    done = std::max(done, end);
    if (piece.status != CompletionStatus::kSuccessful) {
      ++way.failures;
      if (request.status == CompletionStatus::kSuccessful) request.status = piece.status;
    }
    piece.address += octets;
    at += octets;
  }
  return done;
}

Time PcieLinkEngine::read(Direction direction, PcieRequest& request, Time when) {
  PcieDirection& way = of(direction);
  PcieRequest piece = request;
  Time done = when;
  for (std::size_t at = 0; at < request.data.size() && request.status == CompletionStatus::kSuccessful;) {
    const std::uint64_t octets = request_piece(piece.address, request.data.size() - at, shape_.mrrs.count());
    const Time tag = take_tag(way, when);
    ++way.memory_reads;
    way.read_octets += octets;
    request.sent = send(way, {.type = TlpType::kMemoryRead, .address = piece.address}, 0, tag);
    piece.data = request.data.subspan(at, octets);
    piece.status = CompletionStatus::kSuccessful;
    const Time ready = environment_.complete(direction, piece, request.sent + latency_);
    request.status = piece.status;
    const bool ok = piece.status == CompletionStatus::kSuccessful;
    PcieDirection& back = of(opposite(direction));
    if (!ok) {
      ++way.failures;
      ++back.completions;
      way.failed_octets += octets;
    }
    const Time last =
        ok ? send_completions(direction, piece, ready) : send(back, {.type = TlpType::kCompletion}, 0, ready);
    give_tag(way, tag, last + latency_);
    done = std::max(done, last + latency_);
    piece.address += octets;
    at += octets;
  }
  way.read_latency.record(done - when);
  return done;
}

// Returns when the last one has left. They go in order, as each is booked for the same time after the one before.
Time PcieLinkEngine::send_completions(Direction direction, const PcieRequest& piece, Time when) {
  PcieDirection& way = of(opposite(direction));
  std::uint64_t address = piece.address, left = piece.data.size();
  Time sent = when;
  while (left > 0) {
    const std::uint64_t octets = completion_piece(address, left, shape_.mps.count(), shape_.rcb.count());
    ++way.completions;
    sent = send(way, {.type = TlpType::kCompletionData}, doublewords(address, octets), when);
    of(direction).completed_octets += octets;
    address += octets;
    left -= octets;
  }
  return sent;
}

Time PcieLinkEngine::configure(Direction direction, PcieRequest& request, Time when) {
  if (request.data.empty() || (request.address & 3) + request.data.size() > 4) {
    request.status = CompletionStatus::kUnsupportedRequest;
    return when;
  }
  PcieDirection& way = of(direction);
  const bool is_write = request.type == TlpType::kConfigurationWrite;
  const Time tag = take_tag(way, when);
  ++way.configuration;
  request.sent = send(way, {.type = request.type}, is_write ? 1 : 0, tag);
  PcieRequest piece = request;
  const Time ready = environment_.complete(direction, piece, request.sent + latency_);
  request.status = piece.status;
  const bool ok = piece.status == CompletionStatus::kSuccessful;
  if (!ok) ++way.failures;
  PcieDirection& back = of(opposite(direction));
  ++back.completions;
  const bool data = ok && !is_write;
  const Tlp completion{.type = data ? TlpType::kCompletionData : TlpType::kCompletion};
  const Time done = send(back, completion, data ? 1 : 0, ready) + latency_;
  give_tag(way, tag, done);
  return done;
}

Time PcieLinkEngine::take_tag(PcieDirection& way, Time when) const { return timed_ ? way.tags.take(when) : when; }

void PcieLinkEngine::give_tag(PcieDirection& way, Time since, Time until) const {
  if (timed_) way.tags.give(since, until);
}

Time PcieLinkEngine::take_credit(PcieDirection& way, Time when) const {
  if (!timed_) return when;
  const Time credit = way.credits.take(when);
  if (credit > when) {
    way.held_since = when < way.held_until ? std::min(way.held_since, when) : when;
    way.held_until = std::max(way.held_until, credit);
  }
  return credit;
}

}  // namespace dpusim::pcie
