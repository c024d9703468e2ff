#include "platform/wires.h"

#include <algorithm>
#include <set>

#include "net/mac/ethernet_port.h"
#include "sim/error.h"
#include "sim/nearest.h"

namespace dpusim::platform {
namespace {

namespace fs = std::filesystem;

Wires::Extent extent(const std::string& file) {
  net::CaptureReader reader(file);
  Wires::Extent extent;
  while (const auto frame = reader.next()) {
    if (extent.frames++ == 0) extent.first = extent.last = frame->when;
    extent.last = std::max(extent.last, frame->when);
  }
  return extent;
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  return fs::equivalent(a, b, ignored) || fs::weakly_canonical(a, ignored) == fs::weakly_canonical(b, ignored);
}

using Ports = std::vector<std::pair<std::string, net::EthernetPort*>>;

net::EthernetPort& find_port(const Ports& ports, const std::string& name, const std::string& option) {
  std::vector<std::string> names;
  for (const auto& [port, module] : ports) {
    if (port == name) return *module;
    names.push_back(port);
  }
  throw ConfigError(option, fmt::format("no Ethernet port \"{}\"", name), nearest_or_list(name, names));
}

void check_once(std::set<std::string>& seen, const std::string& port, const std::string& place, const char* expected) {
  if (!seen.insert(port).second) throw ConfigError(place, fmt::format("port \"{}\" twice", port), expected);
}

}  // namespace

std::vector<Wires::Extent> Wires::inspect(const RunOptions& options) {
  std::set<std::string> fed, recorded;
  for (const Traffic& traffic : options.receive) check_once(fed, traffic.port, traffic.place, "each port once");
  for (const auto& [one, other] : options.cables) {
    for (const std::string& port : {one, other})
      check_once(fed, port, "scenario.cables", "each port fed once, or cabled once");
  }
  for (const auto& [port, file] : options.transmit) check_once(recorded, port, "--tx", "each port once");
  for (const auto& [port, file] : options.transmit) {
    for (const Traffic& input : options.receive) {
      if (!input.capture.empty() && same_file(file, input.capture))
        throw ConfigError("--tx " + port, "\"" + file + "\", which " + input.place + " reads", "another file");
    }
    for (const auto& [other, output] : options.transmit) {
      if (other != port && same_file(file, output))
        throw ConfigError("--tx " + port, "\"" + file + "\", which --tx " + other + " writes", "another file");
    }
  }
  std::vector<Extent> extents;
  for (const Traffic& traffic : options.receive) {
    const std::string& file = traffic.capture;
    if (fs::exists(file) && !fs::is_regular_file(file))
      throw ConfigError(traffic.place, "\"" + file + "\", which is no regular file", "a capture file");
    extents.push_back(file.empty() ? Extent{} : extent(file));
  }
  return extents;
}

Wires::Wires(Card& card, const RunOptions& options, const std::vector<Extent>& extents, Simulation& simulation,
             std::function<void(const std::string&)> warn) {
  const Ports ports = card.all<net::EthernetPort>();
  for (const auto& [port, file] : options.transmit) find_port(ports, port, "--tx " + port);
  std::optional<net::CaptureTime> earliest;
  for (const Extent& extent : extents) {
    if (extent.frames > 0) earliest = earliest ? std::min(*earliest, extent.first) : extent.first;
  }
  for (std::size_t i = 0; i < options.receive.size(); ++i) {
    const Traffic& traffic = options.receive[i];
    net::EthernetPort& module = find_port(ports, traffic.port, traffic.place);
    net::CaptureSourceOptions source;
    source.warn = warn;
    net::ReplayOptions& replay = source.replay;
    replay.pace = traffic.line_rate ? net::ReplayOptions::Pace::kLineRate : net::ReplayOptions::Pace::kRecorded;
    replay.speed = traffic.speed;
    replay.loops = traffic.loops;
    replay.rate = module.config().rate;
    replay.start = options.start;
    if (!traffic.capture.empty() && !traffic.line_rate && extents[i].frames > 0) {
      const double ahead = static_cast<double>(net::elapsed(*earliest, extents[i].first).count()) / traffic.speed;
      if (ahead > 9e17)
        throw ConfigError(traffic.place, "a capture that begins more than ten days after the others",
                          "captures of one time");
      replay.start += Time(static_cast<std::int64_t>(ahead));
      const double length = static_cast<double>(net::elapsed(extents[i].first, extents[i].last).count()) /
                            traffic.speed * static_cast<double>(traffic.loops);
      if (length < 9e17)
        expected_end_ = std::max(expected_end_, replay.start + Time(static_cast<std::int64_t>(length)));
    }
    StatGroup& stats = simulation.stats().child("wire_" + traffic.port).child("source");
    const std::string name = "source_" + traffic.port;
    std::unique_ptr<net::FrameStream> stream;
    if (traffic.capture.empty()) {
      net::GeneratorConfig generate = traffic.generate;
      if (generate.destination_mac.empty()) generate.destination_mac = module.config().mac_address;
      expected_end_ = std::max(expected_end_, net::FrameGenerator::expected_end(generate, replay.rate, replay.start));
      stream = std::make_unique<net::FrameGenerator>(generate, replay.rate, replay.start,
                                                     Random(simulation.seed(), name), traffic.place + ".generate");
    } else {
      stream = std::make_unique<net::FrameSource>(traffic.capture, replay, warn);
    }
    sources_.push_back(std::make_unique<net::CaptureSource>(name.c_str(), std::move(stream), source, stats));
    sources_.back()->out.bind(module.wire_in);
  }
  for (const auto& [port, module] : ports) {
    std::string file;
    for (const auto& [wanted, name] : options.transmit) {
      if (wanted == port) file = name;
    }
    if (!file.empty() && (!fs::exists(file) || fs::is_regular_file(file))) {
      recordings_.push_back({file + ".part", file});
      file += ".part";
    }
    StatGroup& stats = simulation.stats().child("wire_" + port).child("sink");
    const net::CaptureSinkOptions sink{
        .rate = module->config().rate, .interface_name = port, .cable = options.cable_delay};
    sinks_.push_back(std::make_unique<net::CaptureSink>(("sink_" + port).c_str(), file, sink, stats));
    module->wire_out.bind(sinks_.back()->in);
  }
  const auto sink_of = [&](const std::string& port) -> net::CaptureSink& {
    const auto found = std::find_if(ports.begin(), ports.end(), [&](const auto& p) { return p.first == port; });
    return *sinks_[static_cast<std::size_t>(found - ports.begin())];
  };
  for (const auto& [one, other] : options.cables) {
    net::EthernetPort& left = find_port(ports, one, "scenario.cables");
    net::EthernetPort& right = find_port(ports, other, "scenario.cables");
    if (left.config().rate != right.config().rate)
      throw ConfigError("scenario.cables", fmt::format("\"{}\" and \"{}\", of different rates", one, other),
                        "ports of one rate");
    sink_of(one).onward.bind(right.wire_in);
    sink_of(other).onward.bind(left.wire_in);
  }
}

Wires::~Wires() {
  std::error_code ignored;
  for (const Recording& recording : recordings_) fs::remove(recording.part, ignored);
}

bool Wires::sources_done(Time now) const {
  return std::all_of(sources_.begin(), sources_.end(),
                     [&](const auto& source) { return source->done() && source->last_bit() <= now; });
}

std::uint64_t Wires::frames_sent() const {
  std::uint64_t frames = 0;
  for (const auto& sink : sinks_) frames += sink->frames();
  return frames;
}

void Wires::finish() {
  for (const auto& sink : sinks_) sink->flush();
  for (const Recording& recording : recordings_) {
    std::error_code error;
    fs::rename(recording.part, recording.file, error);
    if (error) throw OutputError(recording.file.string() + ": " + error.message());
  }
  recordings_.clear();
}

double Wires::share(Time now) const {
  if (expected_end_ <= Time(0)) return 0;
  return std::min(1.0, static_cast<double>(now.count()) / static_cast<double>(expected_end_.count()));
}

}  // namespace dpusim::platform
