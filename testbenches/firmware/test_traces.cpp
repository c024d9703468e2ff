// The forwarder against Linux: what a Linux router with the same tables sent out is what l3fwd must send
// (traces/README.md).
#include <pcap/pcap.h>

#include <algorithm>
#include <map>

#include "l3fwd.h"

using namespace l3fwd_test;

namespace {

std::vector<Octets> frames_of(const std::string& name) {
  char error[PCAP_ERRBUF_SIZE] = {};
  const std::string path = std::string(DPUSIM_SOURCE_DIR) + "/traces/" + name;
  pcap_t* const capture = pcap_open_offline(path.c_str(), error);
  INFO(path << ": " << error);
  REQUIRE(capture != nullptr);
  std::vector<Octets> frames;
  pcap_pkthdr* header = nullptr;
  const u_char* data = nullptr;
  while (pcap_next_ex(capture, &header, &data) == 1) {
    REQUIRE(header->caplen == header->len);
    frames.emplace_back(data, data + header->caplen);
  }
  pcap_close(capture);
  return frames;
}

// What the router sent on its own account: ARP, and IPv6 packets from its own or a link-local address.
bool originated(const Octets& frame) {
  if (frame[12] == 0x08 && frame[13] == 0x06) return true;
  if (frame[12] != 0x86 || frame[13] != 0xdd) return false;
  const bool link_local = frame[22] == 0xfe && (frame[23] & 0xc0) == 0x80;
  const bool own = std::memcmp(frame.data() + 22, "\x20\x01\x0d\xb8\x00", 5) == 0 && frame[37] == 1 && frame[36] == 0;
  return link_local || own;
}

void compare(const std::string& scenario) {
  const Router router{std::string(config_default)};
  REQUIRE(router.errors == 0);
  std::size_t sent = 0;
  for (const unsigned in : {0U, 1U}) {
    const unsigned out = 1 - in;
    std::vector<Octets> ours;
    std::map<Verdict, unsigned> verdicts;
    for (Octets frame : frames_of(scenario + ".p" + std::to_string(in) + ".pcap")) {
      const Decision decision =
          forward_frame(router.tables.get(), in, frame.data(), static_cast<std::uint32_t>(frame.size()), false);
      ++verdicts[decision.verdict];
      if (decision.verdict != FORWARDED) continue;
      CHECK(decision.port == out);
      frame.resize(decision.length);
      ours.push_back(frame);
    }
    std::vector<Octets> linux_sent;
    for (const Octets& frame : frames_of(scenario + ".p" + std::to_string(out) + ".out.pcap")) {
      if (!originated(frame)) linux_sent.push_back(frame);
    }
    CAPTURE(scenario, in, ours.size(), linux_sent.size());
    REQUIRE(ours.size() == linux_sent.size());
    // Linux received and sent on two CPUs: in http and loss two neighbours of one flow left in the other order.
    std::sort(ours.begin(), ours.end());
    std::sort(linux_sent.begin(), linux_sent.end());
    for (std::size_t i = 0; i < ours.size(); ++i) {
      INFO("frame " << i << " in order of contents");
      REQUIRE(ours[i] == linux_sent[i]);
    }
    sent += ours.size();
    if (scenario == "denied" && in == 0) CHECK(verdicts[DROP_DENIED] > 0);
  }
  CHECK(sent > 0);
}

}  // namespace

TEST_CASE("ping as Linux forwards it") { compare("ping"); }
TEST_CASE("dns as Linux forwards it") { compare("dns"); }
TEST_CASE("http as Linux forwards it") { compare("http"); }
TEST_CASE("tcp as Linux forwards it") { compare("tcp"); }
TEST_CASE("udp as Linux forwards it") { compare("udp"); }
TEST_CASE("loss as Linux forwards it") { compare("loss"); }
TEST_CASE("vlan as Linux forwards it") { compare("vlan"); }
TEST_CASE("jumbo as Linux forwards it") { compare("jumbo"); }
TEST_CASE("ipv6 as Linux forwards it") { compare("ipv6"); }
TEST_CASE("denied as Linux forwards it") { compare("denied"); }
TEST_CASE("mixed as Linux forwards it") { compare("mixed"); }
