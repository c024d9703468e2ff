// Each rule is broken once, and nothing else is.
#include <array>
#include <catch2/catch.hpp>

#include "testbenches/tlm/memory_stub.h"
#include "tlm/protocol_checker.h"

using namespace dpusim;
using namespace dpusim::test;
using sc_core::sc_time;
using ::tlm::tlm_generic_payload;

namespace {

struct Bench {
  InitiatorStub cpu{"cpu"};
  ProtocolChecker checker{"checker"};
  MemoryStub memory{"memory", 0x100, sc_time(1, sc_core::SC_NS)};
  std::array<std::uint8_t, 16> data{};
  std::array<std::uint8_t, 4> enables{0xff, 0xff, 0, 0xff};
  TransferAttributes attributes, spare;
  Bench() {
    cpu.socket.bind(checker.target);
    checker.initiator.bind(memory.socket);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  // Sends one access that `spoil` has changed before and `sabotage` changes inside the target.
  template <class Spoil>
  std::string violation(::tlm::tlm_command command, Spoil spoil,
                        std::function<void(tlm_generic_payload&, sc_time&)> sabotage = nullptr) {
    tlm_generic_payload payload;
    InitiatorStub::prepare(payload, command, 0x10, data.data(), 8);
    payload.set_extension(&attributes);
    spoil(payload);
    memory.sabotage = std::move(sabotage);
    const std::size_t had = checker.violations().size();
    sc_time delay(10, sc_core::SC_NS);
    cpu.socket->b_transport(payload, delay);
    for (auto* extension : {&attributes, &spare}) {
      if (payload.get_extension<TransferAttributes>() == extension) payload.clear_extension(extension);
    }
    if (checker.violations().size() == had) return "";
    CHECK(checker.violations().size() == had + 1);
    return checker.violations().back();
  }
};

constexpr auto kRead = ::tlm::TLM_READ_COMMAND;
constexpr auto kWrite = ::tlm::TLM_WRITE_COMMAND;
const auto nothing = [](tlm_generic_payload&) {};
using Catch::Contains;

}  // namespace

TEST_CASE("legal accesses raise no violation") {
  Bench bench;
  CHECK(bench.violation(kRead, nothing) == "");
  CHECK(bench.violation(kWrite, nothing) == "");
  CHECK(bench.violation(kWrite, [&](auto& p) {
    p.set_byte_enable_ptr(bench.enables.data());
    p.set_byte_enable_length(4);
  }) == "");
  CHECK(bench.violation(kRead, [](auto& p) { p.set_streaming_width(4); }) == "");
  CHECK(bench.violation(kRead, nothing, [](auto& p, auto&) { p.set_dmi_allowed(true); }) == "");
  CHECK(bench.checker.calls() == 5);
}

TEST_CASE("requests that are not properly initialised are found") {
  Bench bench;
  CHECK_THAT(bench.violation(kRead, [](auto& p) { p.set_response_status(::tlm::TLM_OK_RESPONSE); }),
             Contains("14.17 e"));
  CHECK_THAT(bench.violation(kRead, [](auto& p) { p.set_data_length(0); }), Contains("14.12 d"));
  CHECK_THAT(bench.violation(kRead, [](auto& p) { p.set_dmi_allowed(true); }), Contains("14.16"));
  CHECK_THAT(bench.violation(::tlm::TLM_IGNORE_COMMAND, [](auto& p) { p.set_streaming_width(0); }),
             Contains("14.15 f"));
  CHECK_THAT(bench.violation(::tlm::TLM_IGNORE_COMMAND, [&](auto& p) { p.set_byte_enable_ptr(bench.enables.data()); }),
             Contains("14.14 f"));
}

TEST_CASE("a null data pointer is a violation unless the access is for timing only") {
  struct NullBench : Bench {
    std::string null_pointer(bool timing_only) {
      attributes.timing_only = timing_only;
      return violation(::tlm::TLM_READ_COMMAND, [](auto& p) {
        p.set_data_ptr(nullptr);
        p.set_address(0x1000);  // outside: the stub answers an error and does not touch the pointer
      });
    }
  } bench;
  CHECK_THAT(bench.null_pointer(false), Contains("14.11 e"));
  CHECK(bench.null_pointer(true) == "");
}

TEST_CASE("what a target must not change is found") {
  Bench bench;
  CHECK_THAT(bench.violation(kRead, nothing, [](auto& p, auto&) { p.set_command(::tlm::TLM_IGNORE_COMMAND); }),
             Contains("14.7") && Contains("command"));
  CHECK_THAT(bench.violation(kRead, nothing, [](auto& p, auto&) { p.set_data_length(7); }), Contains("data length"));
  CHECK_THAT(bench.violation(kRead, nothing, [](auto& p, auto&) { p.set_streaming_width(4); }),
             Contains("streaming width"));
  CHECK_THAT(bench.violation(kRead, nothing, [&](auto& p, auto&) { p.set_data_ptr(bench.data.data() + 1); }),
             Contains("data pointer"));
  CHECK_THAT(bench.violation(kRead, nothing, [&](auto& p, auto&) { p.set_byte_enable_ptr(bench.enables.data()); }),
             Contains("byte enable pointer"));
  CHECK_THAT(bench.violation(kRead, nothing, [](auto& p, auto&) { p.set_byte_enable_length(4); }),
             Contains("byte enable length"));
  CHECK_THAT(bench.violation(kRead, nothing, [](auto& p, auto&) { p.set_address(0); }),
             Contains("dpusim") && Contains("address"));
  CHECK_THAT(bench.violation(kWrite, nothing, [](auto& p, auto&) { p.get_data_ptr()[3] ^= 1; }),
             Contains("data octet 3"));
  const auto with_enables = [&](auto& p) {
    p.set_byte_enable_ptr(bench.enables.data());
    p.set_byte_enable_length(4);
  };
  CHECK_THAT(bench.violation(kRead, with_enables, [](auto& p, auto&) { p.get_data_ptr()[6] ^= 1; }), Contains("14.14"));
  CHECK_THAT(bench.violation(kRead, with_enables, [](auto& p, auto&) { p.get_byte_enable_ptr()[0] = 0; }),
             Contains("byte enable array"));
}

TEST_CASE("a response must be set, and time must not go back") {
  Bench bench;
  CHECK_THAT(
      bench.violation(kRead, nothing, [](auto& p, auto&) { p.set_response_status(::tlm::TLM_INCOMPLETE_RESPONSE); }),
      Contains("14.17 e"));
  CHECK_THAT(bench.violation(kRead, nothing, [](auto&, auto& delay) { delay -= sc_time(1001, sc_core::SC_PS); }),
             Contains("15.2.7 c") || Contains("went back"));
  // One nanosecond back is what the stub has just added: no less than on entry.
  CHECK(bench.violation(kRead, nothing, [](auto&, auto& delay) { delay -= sc_time(1, sc_core::SC_NS); }).empty());
}

TEST_CASE("extensions must come back as they went") {
  Bench bench;
  CHECK_THAT(bench.violation(kRead, nothing, [&](auto&, auto&) { bench.attributes.requester = 9; }),
             Contains("attributes", Catch::CaseSensitive::No));
  CHECK_THAT(bench.violation(
                 kRead, [&](auto& p) { p.clear_extension(&bench.attributes); },
                 [&](auto& p, auto&) { p.set_extension(&bench.spare); }),
             Contains("14.5 aa"));
}

TEST_CASE("debug and direct memory calls are checked too") {
  Bench bench;
  tlm_generic_payload payload;
  InitiatorStub::prepare(payload, kRead, 0x10, nullptr, 8);
  payload.set_data_length(0);
  CHECK(bench.cpu.socket->transport_dbg(payload) == 0);
  CHECK(bench.checker.report() == "");

  ::tlm::tlm_dmi dmi;
  payload.set_address(0x100);  // one behind the end of the stub, which answers with its window all the same
  CHECK(bench.cpu.socket->get_direct_mem_ptr(payload, dmi));
  CHECK_THAT(bench.checker.report(), Contains("11.2.5 u"));
  const std::size_t had = bench.checker.violations().size();
  payload.set_address(0xff);
  CHECK(bench.cpu.socket->get_direct_mem_ptr(payload, dmi));  // descriptor not initialised again
  REQUIRE(bench.checker.violations().size() == had + 1);
  CHECK_THAT(bench.checker.violations().back(), Contains("11.2.5 a"));
}
