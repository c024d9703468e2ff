// RegisterTarget behind the protocol checker. Expected responses: IEEE 1666-2011 clause 14.17 and the class's own
// contract.
#include <catch2/catch.hpp>

#include "sim/error.h"
#include "testbenches/tlm/memory_stub.h"
#include "tlm/protocol_checker.h"
#include "tlm/register_target.h"

using namespace dpusim;
using namespace dpusim::test;
using namespace dpusim::literals;
using sc_core::sc_time;
using ::tlm::TLM_READ_COMMAND;
using ::tlm::TLM_WRITE_COMMAND;

namespace {

enum Register : unsigned { CONTROL, COUNT, WIDE };
constexpr RegisterInfo kTable[] = {
    {"CONTROL", 0x0, 32, 1, 1, 4, 0x11223344, 0xffffffff, 0, 0, 0, 0},
    {"COUNT", 0x4, 32, 4, 1, 4, 0x99, 0, 0, 0, 0, 0xffffffff},
    {"WIDE", 0x8, 64, 8, 1, 8, 0, ~0ULL, 0, 0, 0, 0},
};

struct Device : sc_core::sc_module {
  RegisterTarget target;
  template <class... Args>
  explicit Device(const sc_core::sc_module_name& name, Args&&... args)
      : sc_module(name), target("bus", std::forward<Args>(args)...) {}
};

struct Bench {
  RegisterBank bank{kTable};
  Device device{"device", 40_ns, bank};
  RegisterTarget& target = device.target;
  InitiatorStub cpu{"cpu"};
  ProtocolChecker checker{"checker"};
  ::tlm::tlm_generic_payload payload;
  sc_time delay;

  Bench() {
    cpu.socket.bind(checker.target);
    checker.initiator.bind(target.socket());
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  // Sends the payload past the checker, which would report a payload that is illegal on purpose.
  ::tlm::tlm_response_status send_illegal() {
    delay = sc_core::SC_ZERO_TIME;
    checker.initiator->b_transport(payload, delay);
    return payload.get_response_status();
  }
  ::tlm::tlm_response_status send() {
    delay = sc_core::SC_ZERO_TIME;
    cpu.socket->b_transport(payload, delay);
    CHECK(checker.report().empty());
    return payload.get_response_status();
  }
};

}  // namespace

TEST_CASE("register target reads and writes, and each access takes its time") {
  Bench bench;
  std::uint32_t word = 0;
  sc_time delay(3, sc_core::SC_NS);
  CHECK(bench.cpu.access(TLM_READ_COMMAND, 0, &word, 4, &delay) == ::tlm::TLM_OK_RESPONSE);
  CHECK(word == 0x11223344);
  CHECK(delay == sc_time(43, sc_core::SC_NS));
  word = 0xcafef00d;
  CHECK(bench.cpu.access(TLM_WRITE_COMMAND, 0, &word, 4, &delay) == ::tlm::TLM_OK_RESPONSE);
  CHECK(delay == sc_time(83, sc_core::SC_NS));
  CHECK(bench.bank.get(CONTROL) == 0xcafef00d);
  CHECK(bench.checker.report().empty());
  CHECK(bench.checker.calls() == 2);
}

TEST_CASE("register target tells hooks when the access is") {
  Bench bench;
  sc_core::sc_start(sc_time(1, sc_core::SC_US));
  Time when{0};
  bench.bank.on_write(CONTROL, [&](const RegisterBank::Write&) { when = bench.target.when(); });
  std::uint32_t word = 0;
  sc_time delay(7, sc_core::SC_NS);
  bench.cpu.access(TLM_WRITE_COMMAND, 0, &word, 4, &delay);
  CHECK(when == 1007_ns);
}

TEST_CASE("register target answers unmapped offsets and bad sizes with their errors, and time passes") {
  Bench bench;
  std::uint64_t word = 0x5555555555555555;
  CHECK(bench.cpu.access(TLM_READ_COMMAND, 0x10, &word, 4) == ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(bench.cpu.access(TLM_WRITE_COMMAND, 0x10, &word, 4) == ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(bench.cpu.access(TLM_WRITE_COMMAND, 0x8, &word, 4) == ::tlm::TLM_BURST_ERROR_RESPONSE);
  CHECK(bench.cpu.access(TLM_READ_COMMAND, 0x1, &word, 2) == ::tlm::TLM_BURST_ERROR_RESPONSE);
  sc_time delay;
  CHECK(bench.cpu.access(TLM_READ_COMMAND, 0x4, &word, 1, &delay) == ::tlm::TLM_BURST_ERROR_RESPONSE);
  CHECK(delay == sc_time(40, sc_core::SC_NS));
  CHECK(word == 0x5555555555555555);
  CHECK(bench.bank.get(COUNT) == 0x99);
  CHECK(bench.bank.get(WIDE) == 0);
  CHECK(bench.checker.report().empty());
}

TEST_CASE("register target refuses lengths of 0 and above 64, and streaming") {
  Bench bench;
  std::array<std::uint8_t, 65> data{};
  InitiatorStub::prepare(bench.payload, TLM_WRITE_COMMAND, 0, data.data(), 0);
  CHECK(bench.send_illegal() == ::tlm::TLM_BURST_ERROR_RESPONSE);
  InitiatorStub::prepare(bench.payload, TLM_WRITE_COMMAND, 0, data.data(), 64);
  CHECK(bench.send() == ::tlm::TLM_BURST_ERROR_RESPONSE);
  InitiatorStub::prepare(bench.payload, TLM_WRITE_COMMAND, 0, data.data(), 65);
  CHECK(bench.send() == ::tlm::TLM_BURST_ERROR_RESPONSE);
  InitiatorStub::prepare(bench.payload, TLM_WRITE_COMMAND, 0, data.data(), 4);
  bench.payload.set_streaming_width(3);
  CHECK(bench.send() == ::tlm::TLM_BURST_ERROR_RESPONSE);
  bench.payload.set_response_status(::tlm::TLM_INCOMPLETE_RESPONSE);
  bench.payload.set_streaming_width(0);
  CHECK(bench.send_illegal() == ::tlm::TLM_BURST_ERROR_RESPONSE);
  CHECK(bench.bank.get(CONTROL) == 0x11223344);
  bench.payload.set_response_status(::tlm::TLM_INCOMPLETE_RESPONSE);
  bench.payload.set_streaming_width(5);
  CHECK(bench.send() == ::tlm::TLM_OK_RESPONSE);
  CHECK(bench.bank.get(CONTROL) == 0);
}

TEST_CASE("register target repeats byte enables that are shorter than the data") {
  Bench bench;
  std::array<std::uint8_t, 4> data{0xa1, 0xa2, 0xa3, 0xa4};
  std::array<std::uint8_t, 6> enables{0x00, 0xff, 0xff, 0x00, 0xff, 0xff};
  InitiatorStub::prepare(bench.payload, TLM_WRITE_COMMAND, 0, data.data(), 4);
  bench.payload.set_byte_enable_ptr(enables.data());
  bench.payload.set_byte_enable_length(2);
  CHECK(bench.send() == ::tlm::TLM_OK_RESPONSE);
  CHECK(bench.bank.get(CONTROL) == 0xa422a244);
  bench.bank.reset();
  bench.payload.set_response_status(::tlm::TLM_INCOMPLETE_RESPONSE);
  bench.payload.set_byte_enable_length(3);  // off on on off
  CHECK(bench.send() == ::tlm::TLM_OK_RESPONSE);
  CHECK(bench.bank.get(CONTROL) == 0x11a3a244);
  bench.bank.reset();
  bench.payload.set_response_status(::tlm::TLM_INCOMPLETE_RESPONSE);
  bench.payload.set_byte_enable_length(6);  // longer than the data: the rest is not used
  CHECK(bench.send() == ::tlm::TLM_OK_RESPONSE);
  CHECK(bench.bank.get(CONTROL) == 0x11a3a244);
}

TEST_CASE("register target reads only enabled octets") {
  Bench bench;
  std::array<std::uint8_t, 4> data{0xee, 0xee, 0xee, 0xee};
  std::array<std::uint8_t, 4> enables{0xff, 0, 0, 0xff};
  InitiatorStub::prepare(bench.payload, TLM_READ_COMMAND, 0, data.data(), 4);
  bench.payload.set_byte_enable_ptr(enables.data());
  bench.payload.set_byte_enable_length(4);
  CHECK(bench.send() == ::tlm::TLM_OK_RESPONSE);
  CHECK(data == std::array<std::uint8_t, 4>{0x44, 0xee, 0xee, 0x11});
}

TEST_CASE("register target refuses enables that are neither on nor off, or none at all") {
  Bench bench;
  std::uint32_t word = 0;
  std::array<std::uint8_t, 4> enables{0xff, 0x01, 0xff, 0xff};
  InitiatorStub::prepare(bench.payload, TLM_WRITE_COMMAND, 0, &word, 4);
  bench.payload.set_byte_enable_ptr(enables.data());
  bench.payload.set_byte_enable_length(4);
  CHECK(bench.send_illegal() == ::tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  bench.payload.set_response_status(::tlm::TLM_INCOMPLETE_RESPONSE);
  bench.payload.set_byte_enable_length(0);
  CHECK(bench.send_illegal() == ::tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  CHECK(bench.bank.get(CONTROL) == 0x11223344);
}

TEST_CASE("register target ignores TLM_IGNORE_COMMAND and refuses unknown commands and null data") {
  Bench bench;
  std::uint32_t word = 7;
  InitiatorStub::prepare(bench.payload, ::tlm::TLM_IGNORE_COMMAND, 0x4, &word, 4);
  CHECK(bench.send() == ::tlm::TLM_OK_RESPONSE);
  CHECK(bench.delay == sc_time(40, sc_core::SC_NS));
  CHECK(word == 7);
  InitiatorStub::prepare(bench.payload, static_cast<::tlm::tlm_command>(3), 0x4, &word, 4);
  CHECK(bench.send_illegal() == ::tlm::TLM_COMMAND_ERROR_RESPONSE);
  InitiatorStub::prepare(bench.payload, TLM_READ_COMMAND, 0x4, nullptr, 4);
  CHECK(bench.send_illegal() == ::tlm::TLM_GENERIC_ERROR_RESPONSE);
  CHECK(bench.bank.get(COUNT) == 0x99);
}

TEST_CASE("register target charges timing-only accesses and touches nothing") {
  Bench bench;
  std::uint32_t word = 7;
  TransferAttributes attributes;
  attributes.timing_only = true;
  InitiatorStub::prepare(bench.payload, TLM_READ_COMMAND, 0x4, &word, 4);
  bench.payload.set_extension(&attributes);
  CHECK(bench.send() == ::tlm::TLM_OK_RESPONSE);
  CHECK(bench.delay == sc_time(40, sc_core::SC_NS));
  CHECK(word == 7);
  CHECK(bench.bank.get(COUNT) == 0x99);
  bench.payload.clear_extension(&attributes);
}

TEST_CASE("register target does debug accesses without side effects and without time") {
  Bench bench;
  std::uint32_t word = 0;
  InitiatorStub::prepare(bench.payload, TLM_READ_COMMAND, 0x4, &word, 4);
  CHECK(bench.cpu.socket->transport_dbg(bench.payload) == 4);
  CHECK(word == 0x99);
  CHECK(bench.bank.get(COUNT) == 0x99);
  word = 0x1234;
  InitiatorStub::prepare(bench.payload, TLM_WRITE_COMMAND, 0x0, &word, 4);
  CHECK(bench.cpu.socket->transport_dbg(bench.payload) == 4);
  CHECK(bench.bank.get(CONTROL) == 0x1234);
  std::array<std::uint8_t, 32> all{};
  InitiatorStub::prepare(bench.payload, TLM_READ_COMMAND, 0x2, all.data(), 32);
  CHECK(bench.cpu.socket->transport_dbg(bench.payload) == 14);  // to the end of WIDE
  InitiatorStub::prepare(bench.payload, TLM_READ_COMMAND, 0x10, all.data(), 4);
  CHECK(bench.cpu.socket->transport_dbg(bench.payload) == 0);
  InitiatorStub::prepare(bench.payload, ::tlm::TLM_IGNORE_COMMAND, 0x0, all.data(), 4);
  CHECK(bench.cpu.socket->transport_dbg(bench.payload) == 0);
  CHECK(bench.checker.report().empty());
}

TEST_CASE("register target completes a non-blocking request at once") {
  Bench bench;
  std::uint32_t word = 0;
  InitiatorStub::prepare(bench.payload, TLM_READ_COMMAND, 0x0, &word, 4);
  ::tlm::tlm_phase phase = ::tlm::BEGIN_REQ;
  sc_time delay;
  CHECK(bench.checker.initiator->nb_transport_fw(bench.payload, phase, delay) == ::tlm::TLM_COMPLETED);
  CHECK(bench.payload.get_response_status() == ::tlm::TLM_OK_RESPONSE);
  CHECK(word == 0x11223344);
  CHECK(delay == sc_time(40, sc_core::SC_NS));
  phase = ::tlm::END_RESP;
  CHECK_THROWS_AS(bench.checker.initiator->nb_transport_fw(bench.payload, phase, delay), Defect);
}

TEST_CASE("register target offers no direct memory") {
  Bench bench;
  InitiatorStub::prepare(bench.payload, TLM_READ_COMMAND, 0x0, nullptr, 0);
  ::tlm::tlm_dmi dmi;
  CHECK_FALSE(bench.cpu.socket->get_direct_mem_ptr(bench.payload, dmi));
  CHECK(bench.checker.report().empty());
}

TEST_CASE("register target serves a device of its own") {
  std::vector<RegisterTarget::Access> seen;
  Device device(
      "device", 0_ps,
      [&](const RegisterTarget::Access& access) {
        seen.push_back(access);
        return RegisterResult::kOk;
      },
      [](std::uint64_t offset, std::span<std::uint8_t> data, bool write) { return write ? 0 : data.size() + offset; });
  InitiatorStub cpu("cpu");
  cpu.socket.bind(device.target.socket());
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  std::array<std::uint8_t, 64> data{};
  sc_time delay(5, sc_core::SC_NS);
  CHECK(cpu.access(TLM_WRITE_COMMAND, 0x123456789, data.data(), 64, &delay) == ::tlm::TLM_OK_RESPONSE);
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].offset == 0x123456789);
  CHECK(seen[0].data.data() == data.data());
  CHECK(seen[0].data.size() == 64);
  CHECK(seen[0].enables.empty());
  CHECK(seen[0].write);
  CHECK(seen[0].when == 5_ns);
  CHECK(delay == sc_time(5, sc_core::SC_NS));
}
