#include "net/capture/frame_generator.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "net/queues/packet.h"
#include "sim/error.h"

namespace dpusim::net {
namespace {

constexpr std::size_t kEthernetHeader = 14, kIpv4Header = 20, kUdpHeader = 8, kTcpHeader = 20;

std::array<std::uint8_t, 6> mac_of(const std::string& text, const std::string& place) {
  std::array<std::uint8_t, 6> mac{};
  int used = 0;
  const int fields = std::sscanf(text.c_str(), "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx%n", &mac[0], &mac[1], &mac[2],
                                 &mac[3], &mac[4], &mac[5], &used);
  if (fields != 6 || static_cast<std::size_t>(used) != text.size())
    throw ConfigError(place, "\"" + text + "\"", "a MAC address, such as 02:00:00:00:01:01");
  return mac;
}

std::array<std::uint8_t, 4> ip_of(const std::string& text, const std::string& place) {
  std::array<std::uint8_t, 4> address{};
  if (inet_pton(AF_INET, text.c_str(), address.data()) != 1)
    throw ConfigError(place, "\"" + text + "\"", "an IPv4 address, such as 192.0.2.2");
  return address;
}

void put16(std::uint8_t* at, std::size_t value) {
  at[0] = static_cast<std::uint8_t>(value >> 8U);
  at[1] = static_cast<std::uint8_t>(value);
}

}  // namespace

const ConfigTable<FrameShare>& FrameShare::table() {
  using namespace literals;
  static const ConfigTable<FrameShare> table(
      "Size of a mix",
      {field("size", &FrameShare::size, between(64_B, 16'383_B), "Octets of the frame, FCS included"),
       field("weight", &FrameShare::weight, between(1U, 1'000'000U), "Share of the frames, against the others'")});
  return table;
}

const ConfigTable<GeneratorConfig>& GeneratorConfig::table() {
  using namespace literals;
  static const ConfigTable<GeneratorConfig> table(
      "Generated frames",
      {field("size", &GeneratorConfig::size, between(64_B, 16'383_B), "Octets of every frame, FCS included"),
       field("mix", &GeneratorConfig::mix, items(0, 64), "Sizes drawn at random by weight, instead of one size"),
       field("arrivals", &GeneratorConfig::arrivals,
             one_of({{"constant", Arrivals::kConstant}, {"poisson", Arrivals::kPoisson}}),
             "Even gaps, or gaps distributed exponentially"),
       field("load", &GeneratorConfig::load, between(1e-6, 1.0), "Part of the wire's rate, preambles and gaps counted"),
       field("frames", &GeneratorConfig::frames, between(std::uint64_t{0}, std::uint64_t{1} << 48U),
             "How many; 0: until the duration ends"),
       field("duration", &GeneratorConfig::duration, between(0_ps, 1'000'000_ms),
             "No frame starts later than this after the first; 0: no such limit"),
       field("flows", &GeneratorConfig::flows, between(1U, 60'000U), "Flows, told apart by source port, in turn"),
       field("tcp", &GeneratorConfig::tcp, "TCP instead of UDP"),
       field("source_mac", &GeneratorConfig::source_mac, "Source MAC address"),
       field("destination_mac", &GeneratorConfig::destination_mac, "Destination MAC address; empty: the port's own"),
       field("source_ip", &GeneratorConfig::source_ip, "Source IPv4 address"),
       field("destination_ip", &GeneratorConfig::destination_ip, "Destination IPv4 address"),
       field("source_port", &GeneratorConfig::source_port, between(1U, 65'535U), "Source port of the first flow"),
       field("destination_port", &GeneratorConfig::destination_port, between(1U, 65'535U), "Destination port")},
      [](const GeneratorConfig& config, const std::string& path) {
        if (config.frames == 0 && config.duration == Time(0))
          throw ConfigError(path + ".frames", "0 without a duration", "one of both above 0, so that the run ends");
        if (config.source_port + config.flows > 65'536)
          throw ConfigError(path + ".flows", fmt::format("{} from source port {} on", config.flows, config.source_port),
                            "ports up to 65535");
      });
  return table;
}

FrameGenerator::FrameGenerator(const GeneratorConfig& config, BitRate rate, Time start, Random random,
                               const std::string& place)
    : config_(config),
      rate_(rate),
      end_(config.duration > Time(0) ? start + config.duration : kTimeMax),
      random_(random),
      mean_gap_(mean_gap(config, rate)),
      free_(start),
      due_(static_cast<double>(start.count())) {
  std::vector<FrameShare> shares = config_.mix;
  if (shares.empty()) shares.push_back({config_.size, 1});
  std::uint64_t sum = 0;
  for (const FrameShare& share : shares) {
    templates_.push_back(make(share.size, place));
    limits_.push_back(sum += share.weight);
  }
}

// Returns the mean time from frame to frame, in picoseconds.
double FrameGenerator::mean_gap(const GeneratorConfig& config, BitRate rate) {
  if (config.mix.empty()) return static_cast<double>(wire_time(config.size, rate).count()) / config.load;
  double weights = 0, sum = 0;
  for (const FrameShare& share : config.mix) {
    weights += share.weight;
    sum += static_cast<double>(wire_time(share.size, rate).count()) * share.weight;
  }
  return sum / weights / config.load;
}

Time FrameGenerator::expected_end(const GeneratorConfig& config, BitRate rate, Time start) {
  const double all = mean_gap(config, rate) * static_cast<double>(config.frames);
  Time end = config.frames == 0 || all > 9e17 ? kTimeMax : start + Time(static_cast<std::int64_t>(all));
  if (config.duration > Time(0)) end = std::min(end, start + config.duration);
  return end;
}

std::vector<std::uint8_t> FrameGenerator::make(Bytes size, const std::string& place) const {
  std::vector<std::uint8_t> frame((size - kFcs).count());
  const auto destination = mac_of(config_.destination_mac, place + ".destination_mac");
  const auto source = mac_of(config_.source_mac, place + ".source_mac");
  std::copy(destination.begin(), destination.end(), frame.begin());
  std::copy(source.begin(), source.end(), frame.begin() + 6);
  put16(&frame[12], 0x0800);  // EtherType IPv4
  std::uint8_t* ip = &frame[kEthernetHeader];
  ip[0] = 0x45;
  put16(ip + 2, frame.size() - kEthernetHeader);
  ip[8] = 64;
  ip[9] = config_.tcp ? 6 : 17;
  const auto from = ip_of(config_.source_ip, place + ".source_ip"),
             to = ip_of(config_.destination_ip, place + ".destination_ip");
  std::copy(from.begin(), from.end(), ip + 12);
  std::copy(to.begin(), to.end(), ip + 16);
  std::uint8_t* transport = ip + kIpv4Header;
  put16(transport + 2, config_.destination_port);
  std::size_t payload = kEthernetHeader + kIpv4Header + (config_.tcp ? kTcpHeader : kUdpHeader);
  if (config_.tcp) {
    transport[12] = 5 << 4;  // data offset
    transport[13] = 0x10;    // ACK
    put16(transport + 14, 0xffff);
  } else {
    put16(transport + 4, frame.size() - kEthernetHeader - kIpv4Header);
  }
  std::uint32_t state = 0x2545'f491;  // xorshift32 (Marsaglia 2003): the same octets in every frame
  for (; payload < frame.size(); ++payload) {
    state ^= state << 13U;
    state ^= state >> 17U;
    state ^= state << 5U;
    frame[payload] = static_cast<std::uint8_t>(state);
  }
  return frame;
}

std::optional<FrameStream::Timed> FrameGenerator::next() {
  if (config_.frames != 0 && frames_ == config_.frames) return std::nullopt;
  if (due_ > 9e18) return std::nullopt;  // beyond the end of time
  const Time start = std::max(free_, Time(static_cast<std::int64_t>(std::ceil(due_))));
  if (start > end_ || start > kTimeMax - Time(1'000'000'000)) return std::nullopt;
  std::size_t kind = 0;
  if (templates_.size() > 1) {
    const std::uint64_t drawn = random_.below(limits_.back());
    while (limits_[kind] <= drawn) ++kind;
  }
  std::vector<std::uint8_t> octets = templates_[kind];
  put16(&octets[kEthernetHeader + kIpv4Header], config_.source_port + frames_ % config_.flows);
  const Packet packet = parse_packet(octets);
  insert_ipv4_checksum(octets, packet);
  insert_transport_checksum(octets, packet);
  Timed timed{make_frame(std::move(octets)), start};
  timed.frame->id = frames_++;
  timed.frame->first_bit = start;
  const Time occupied = wire_time(timed.frame->length_with_fcs(), rate_);
  free_ = start + occupied;
  // Poisson: gaps of one mean, whatever the frames' sizes.
  due_ += config_.arrivals == Arrivals::kPoisson ? -std::log(1.0 - random_.uniform()) * mean_gap_
                                                 : static_cast<double>(occupied.count()) / config_.load;
  return timed;
}

}  // namespace dpusim::net
