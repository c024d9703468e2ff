#include <catch2/catch.hpp>

#include <map>
#include <set>

#include "net/capture/frame_generator.h"
#include "net/queues/packet.h"

using namespace dpusim;
using namespace dpusim::net;
using namespace dpusim::literals;

namespace {

GeneratorConfig config_with(std::uint64_t frames) {
  GeneratorConfig config;
  config.frames = frames;
  config.destination_mac = "02:00:00:00:01:01";
  return config;
}

std::vector<FrameStream::Timed> all(const GeneratorConfig& config, BitRate rate = BitRate(100'000'000'000),
                                    std::uint64_t seed = 1) {
  FrameGenerator generator(config, rate, 1_us, Random(seed, "test"), "generate");
  std::vector<FrameStream::Timed> frames;
  while (auto timed = generator.next()) frames.push_back(std::move(*timed));
  return frames;
}

GeneratorConfig parse(const char* json) {
  return GeneratorConfig::table().parse(nlohmann::ordered_json::parse(json), "generate");
}

}  // namespace

// IEEE 802.3: 64 octets take 84 octet times with preamble and gap: 6.72 ns at 100 Gb/s, which is 148.81 M frames/s.
TEST_CASE("full load is line rate") {
  const auto frames = all(config_with(1001));
  REQUIRE(frames.size() == 1001);
  CHECK(frames.front().start == 1_us);
  CHECK(frames.back().start == 1_us + Time(1000 * 6720));
}

TEST_CASE("a load of one third triples the gaps, without drift") {
  GeneratorConfig config = config_with(3001);
  config.load = 1.0 / 3;
  const auto frames = all(config);
  CHECK(std::abs((frames.back().start - 1_us).count() - 3000LL * 20160) <= 1);
  for (std::size_t i = 1; i < frames.size(); ++i)
    CHECK(std::abs((frames[i].start - frames[i - 1].start).count() - 20160) <= 1);
}

TEST_CASE("frames are whole: lengths and checksums are right, for both transports and all sizes") {
  for (const bool tcp : {false, true}) {
    for (const unsigned size : {64U, 65U, 127U, 1518U, 9018U}) {
      GeneratorConfig config = config_with(3);
      config.tcp = tcp;
      config.size = Bytes(size);
      for (const auto& timed : all(config)) {
        const auto octets = timed.frame->octets();
        CHECK(timed.frame->length_with_fcs() == Bytes(size));
        const Packet packet = parse_packet(octets);
        CHECK(packet.transport == (tcp ? Packet::Transport::kTcp : Packet::Transport::kUdp));
        CHECK(ipv4_checksum_ok(octets, packet));
        CHECK(transport_checksum(octets, packet) == ChecksumState::kOk);
        CHECK(packet.transport_at + packet.transport_length == octets.size());
      }
    }
  }
}

TEST_CASE("flows differ by source port and come in turn") {
  GeneratorConfig config = config_with(10);
  config.flows = 4;
  std::vector<unsigned> ports;
  for (const auto& timed : all(config)) ports.push_back(timed.frame->octets()[34] * 256U + timed.frame->octets()[35]);
  CHECK(ports == std::vector<unsigned>{1024, 1025, 1026, 1027, 1024, 1025, 1026, 1027, 1024, 1025});
}

TEST_CASE("a mix is drawn by weight, and the same seed gives the same frames") {
  GeneratorConfig config = config_with(12'000);
  config.mix = {{64_B, 7}, {594_B, 4}, {1518_B, 1}};
  std::map<std::uint64_t, int> counts;
  const auto first = all(config), second = all(config), other = all(config, BitRate(100'000'000'000), 2);
  for (const auto& timed : first) ++counts[timed.frame->length_with_fcs().count()];
  // Binomial: 12000 draws at 7/12 have a standard deviation of 54, at 4/12 of 52, at 1/12 of 30; five of them are
  // allowed.
  CHECK(std::abs(counts[64] - 7000) < 270);
  CHECK(std::abs(counts[594] - 4000) < 260);
  CHECK(std::abs(counts[1518] - 1000) < 150);
  bool differs = false;
  for (std::size_t i = 0; i < first.size(); ++i) {
    CHECK(first[i].start == second[i].start);
    differs = differs || first[i].frame->size() != other[i].frame->size();
  }
  CHECK(differs);
}

// The gaps of a Poisson process have a standard deviation equal to their mean. A frame waits for the one ahead, which
// at a tenth of the load bites seldom.
TEST_CASE("Poisson arrivals have the load on average and exponential gaps") {
  GeneratorConfig config = config_with(20'001);
  config.arrivals = Arrivals::kPoisson;
  config.load = 0.1;
  const auto frames = all(config);
  double sum = 0, squares = 0;
  for (std::size_t i = 1; i < frames.size(); ++i) {
    const auto gap = static_cast<double>((frames[i].start - frames[i - 1].start).count());
    CHECK(gap >= 6720);
    sum += gap;
    squares += gap * gap;
  }
  const double mean = sum / 20'000, deviation = std::sqrt(squares / 20'000 - mean * mean);
  CHECK(mean == Approx(67'200).epsilon(0.03));
  CHECK(deviation == Approx(mean).epsilon(0.08));
}

// Sizes and gaps are drawn apart: after a long frame the gap is no longer than after a short one. At a tenth of the
// load few wait.
TEST_CASE("Poisson gaps do not depend on sizes") {
  GeneratorConfig config = config_with(20'001);
  config.arrivals = Arrivals::kPoisson;
  config.load = 0.1;
  config.mix = {{64_B, 1}, {1518_B, 1}};
  const auto frames = all(config);
  double sum = 0, squares = 0, after_long = 0, longs = 0;
  for (std::size_t i = 1; i < frames.size(); ++i) {
    const auto gap = static_cast<double>((frames[i].start - frames[i - 1].start).count());
    sum += gap;
    squares += gap * gap;
    if (frames[i - 1].frame->size() > 1000) {
      after_long += gap;
      ++longs;
    }
  }
  // (6.72 + 123.04) / 2 / 0.1 = 648.8 ns
  const double mean = sum / 20'000, deviation = std::sqrt(squares / 20'000 - mean * mean);
  CHECK(mean == Approx(648'800).epsilon(0.03));
  CHECK(deviation == Approx(mean).epsilon(0.08));
  CHECK(after_long / longs == Approx(mean).epsilon(0.05));
}

TEST_CASE("the end is known beforehand") {
  GeneratorConfig config = config_with(1000);
  CHECK(FrameGenerator::expected_end(config, BitRate(100'000'000'000), 1_us) == 1_us + Time(1000 * 6720));
  config.load = 0.5;
  config.duration = 10_us;
  CHECK(FrameGenerator::expected_end(config, BitRate(100'000'000'000), 1_us) == 11_us);
}

TEST_CASE("a duration ends the stream") {
  GeneratorConfig config = config_with(0);
  config.duration = Time(67'200);
  CHECK(all(config).size() == 11);  // starts at 0, 6.72, ... 67.2 ns
}

TEST_CASE("what makes no traffic is refused") {
  CHECK_THROWS_WITH(parse(R"({"frames": 0})"), Catch::Contains("generate.frames") && Catch::Contains("duration"));
  CHECK_THROWS_WITH(parse(R"({"size": 63})"), Catch::Contains("generate.size"));
  CHECK_THROWS_WITH(parse(R"({"load": 1.1})"), Catch::Contains("generate.load"));
  CHECK_THROWS_WITH(parse(R"({"flows": 60000, "source_port": 10000})"), Catch::Contains("generate.flows"));
  CHECK_THROWS_WITH(parse(R"({"arivals": "poisson"})"), Catch::Contains("arrivals"));
  GeneratorConfig config = config_with(1);
  config.source_mac = "02:00:00:00:01";
  CHECK_THROWS_WITH(all(config), Catch::Contains("generate.source_mac"));
  config = config_with(1);
  config.destination_ip = "300.1.1.1";
  CHECK_THROWS_WITH(all(config), Catch::Contains("generate.destination_ip"));
}
