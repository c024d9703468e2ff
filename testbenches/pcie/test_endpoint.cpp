// The endpoint and its link between a host and a card: octets exact, times by hand, errors as the specification answers
// them.
#include <catch2/catch.hpp>

#include "endpoint_bench.h"
#include "sim/random.h"

using namespace pcie_bench;

namespace {
std::vector<std::uint8_t> noise(Random& random, std::size_t octets) {
  std::vector<std::uint8_t> data(octets);
  for (std::uint8_t& octet : data) octet = static_cast<std::uint8_t>(random());
  return data;
}
}  // namespace

TEST_CASE("what the card writes to the window is in host memory, and what it reads comes from there") {
  EndpointBench bench;
  bench.bring_up();
  Random random(1, "window");
  std::vector<std::uint8_t> expected = bench.host.memory;
  for (unsigned i = 0; i < 300; ++i) {
    const std::size_t octets = 1 + random.below(8192);
    const std::uint64_t offset = random.below(expected.size() - octets);
    std::vector<std::uint8_t> data = noise(random, octets);
    bench.access(true, offset, data.data(), static_cast<unsigned>(octets));
    REQUIRE(bench.response == ::tlm::TLM_OK_RESPONSE);
    std::copy(data.begin(), data.end(), expected.begin() + static_cast<std::ptrdiff_t>(offset));
    const std::size_t more = 1 + random.below(8192);
    const std::uint64_t from = random.below(expected.size() - more);
    std::vector<std::uint8_t> read(more);
    bench.access(false, from, read.data(), static_cast<unsigned>(more));
    REQUIRE(bench.response == ::tlm::TLM_OK_RESPONSE);
    REQUIRE(std::equal(read.begin(), read.end(), expected.begin() + static_cast<std::ptrdiff_t>(from)));
  }
  CHECK(bench.host.memory == expected);
  CHECK(bench.clean());
}

TEST_CASE("what the host writes to a BAR is on the card, and what it reads comes from there") {
  EndpointBench bench;
  bench.bring_up();
  Random random(2, "bar");
  std::vector<std::uint8_t> expected = bench.card.octets;
  for (unsigned i = 0; i < 200; ++i) {
    const std::size_t octets = 1 + random.below(8192);
    const std::uint64_t offset = random.below((1U << 20U) - octets);
    std::vector<std::uint8_t> data = noise(random, octets);
    bench.host.request(TlpType::kMemoryWrite, EndpointBench::kBar2 + offset, data.data(), octets);
    REQUIRE(bench.host.status == CompletionStatus::kSuccessful);
    std::copy(data.begin(), data.end(), expected.begin() + static_cast<std::ptrdiff_t>((1U << 20U) + offset));
    std::vector<std::uint8_t> read(octets);
    bench.host.request(TlpType::kMemoryRead, EndpointBench::kBar2 + offset, read.data(), octets);
    REQUIRE(read == data);
  }
  CHECK(bench.card.octets == expected);
  // Accesses on the card are aligned powers of two up to 64 octets.
  for (const auto& access : bench.card.seen) {
    REQUIRE((access.length & (access.length - 1)) == 0);
    REQUIRE(access.length <= 64);
    REQUIRE(access.address % access.length == 0);
  }
  CHECK(bench.clean());
}

// Link of Gen3 x8 (24 octets 3047 ps, 84 octets 10664 ps, 88 octets 11172 ps), 100 ns each way, 25 ns in the endpoint
// each way.
TEST_CASE("times through endpoint and link") {
  EndpointBench bench;
  bench.bring_up();
  run_until(Time(10'000'000));
  std::array<std::uint8_t, 64> data{};
  // Read: 25000 + 3047 + 100000 + host 50000 + 10664 + 100000 + 25000.
  CHECK(bench.access(false, 0, data.data(), 64) == Time(313'711));
  CHECK(bench.host.seen.back().arrival == Time(10'000'000 + 25'000 + 3'047 + 100'000));
  // A write is posted: the card goes on when it has left, 25000 + 11172.
  run_until(Time(20'000'000));
  CHECK(bench.access(true, 0, data.data(), 64) == Time(36'172));
  CHECK(bench.host.seen.back().arrival == Time(20'000'000 + 136'172));
  // The host's read of 8 octets in BAR 2: 4 DW header since the address is above 4 GiB, 24 octets; card memory 30 ns;
  // 28 octets back (3555 ps): 3047 + 100000 + 25000 + 30000 + 25000 + 3555 + 100000.
  run_until(Time(30'000'000));
  CHECK(bench.host.request(TlpType::kMemoryRead, EndpointBench::kBar2, data.data(), 8) - now() == Time(286'602));
  // Its write is done on the card after 32 octets (4063 ps): 4063 + 100000 + 25000 + 30000.
  run_until(Time(40'000'000));
  CHECK(bench.host.request(TlpType::kMemoryWrite, EndpointBench::kBar2, data.data(), 8) - now() == Time(159'063));
  // BAR 0 is below 4 GiB, 20 octets 2539 ps; a register takes 40 ns; 24 octets back.
  run_until(Time(50'000'000));
  CHECK(bench.host.request(TlpType::kMemoryRead, EndpointBench::kBar0, data.data(), 4) - now() ==
        Time(2'539 + 100'000 + 40'000 + 3'047 + 100'000));
  CHECK(bench.host.request(TlpType::kConfigurationRead, 0, data.data(), 4, Time(60'000'000)) - Time(60'000'000) ==
        Time(2'539 + 100'000 + 40'000 + 3'047 + 100'000));
  CHECK(bench.clean());
}

TEST_CASE("the window refuses what it may not do") {
  EndpointBench bench;
  std::array<std::uint8_t, 16> data{};
  const auto refused = [&] { return bench.reg<std::uint32_t>(card_regs::kWINDOW_REFUSED_offset); };
  CHECK(bench.access(true, 0, data.data(), 8) == Time(0));  // not bus master
  CHECK(bench.response == ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
  bench.access(false, 0, data.data(), 8);
  CHECK(bench.response == ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(refused() == 2);
  CHECK(bench.host.seen.empty());
  bench.bring_up();
  bench.access(false, 0, data.data(), 8);
  CHECK(bench.response == ::tlm::TLM_OK_RESPONSE);
  bench.access(false, (std::uint64_t{1} << 32U) - 8, data.data(), 9);  // the window's end
  CHECK(bench.response == ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(refused() == 3);
  // Software may move the window; beyond the address space there is nothing.
  bench.set_reg<std::uint64_t>(card_regs::kHOST_BASE_offset, ~std::uint64_t{0} - 7);
  bench.access(false, 0, data.data(), 8);
  CHECK(bench.response == ::tlm::TLM_ADDRESS_ERROR_RESPONSE);  // nobody there: Unsupported Request
  CHECK(refused() == 3);
  bench.access(false, 0, data.data(), 9);
  CHECK(refused() == 4);
  CHECK(bench.host.config_read<std::uint32_t>(0x118) == 0xffff'fff8);
  CHECK(bench.host.read<std::uint64_t>(EndpointBench::kBar0 + host_regs::kHOST_BASE_offset) == 0xffff'ffff'ffff'fff8);
  CHECK(bench.clean());
}

TEST_CASE("the host's errors reach the card for reads, and are counted for writes") {
  EndpointBench bench;
  bench.bring_up();
  std::vector<std::uint8_t> data(4096);
  bench.access(false, bench.host.memory.size(), data.data(), 8);
  CHECK(bench.response == ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK((bench.host.config_read<std::uint16_t>(0x06) & 0x2000) != 0);  // received master abort
  bench.host.bad_page = (Host::kBase + 0x2000) >> 12;
  bench.access(false, 0x1000, data.data(), 4096);
  CHECK(bench.response == ::tlm::TLM_OK_RESPONSE);
  bench.access(false, 0x1800, data.data(), 4096);
  CHECK(bench.response == ::tlm::TLM_GENERIC_ERROR_RESPONSE);
  CHECK((bench.host.config_read<std::uint16_t>(0x06) & 0x1000) != 0);  // received target abort
  CHECK(bench.host.seen.back().address == Host::kBase + 0x2000);       // and no request after it
  CHECK(bench.reg<std::uint32_t>(card_regs::kWINDOW_ERRORS_offset) == 2);
  bench.access(true, 0x2000, data.data(), 512);
  CHECK(bench.response == ::tlm::TLM_OK_RESPONSE);  // posted
  CHECK(bench.reg<std::uint32_t>(card_regs::kWINDOW_ERRORS_offset) == 3);
  CHECK(bench.clean());
}

TEST_CASE("the window keeps TLM's rules") {
  EndpointBench bench;
  bench.bring_up();
  std::array<std::uint8_t, 16> data{};
  for (std::size_t i = 0; i < 16; ++i) data[i] = static_cast<std::uint8_t>(0xa0 + i);
  ::tlm::tlm_generic_payload payload;
  sc_core::sc_time delay;
  const auto prepare = [&](::tlm::tlm_command command) {
    test::InitiatorStub::prepare(payload, command, 0x100, data.data(), 16);
    delay = sc_core::SC_ZERO_TIME;
  };
  // Byte enables: three runs in a pattern of eight, twice.
  std::array<std::uint8_t, 8> enables = {0xff, 0, 0, 0xff, 0xff, 0, 0xff, 0};
  prepare(::tlm::TLM_WRITE_COMMAND);
  payload.set_byte_enable_ptr(enables.data());
  payload.set_byte_enable_length(8);
  bench.host.seen.clear();
  bench.window.socket->b_transport(payload, delay);
  CHECK(payload.is_response_ok());
  CHECK(bench.host.seen.size() == 6);
  for (std::size_t i = 0; i < 16; ++i) CHECK(bench.host.memory[0x100 + i] == (enables[i % 8] != 0 ? 0xa0 + i : 0));
  for (std::size_t i = 0; i < 16; ++i) bench.host.memory[0x100 + i] = static_cast<std::uint8_t>(i);
  prepare(::tlm::TLM_READ_COMMAND);
  payload.set_byte_enable_ptr(enables.data());
  payload.set_byte_enable_length(8);
  bench.window.socket->b_transport(payload, delay);
  for (std::size_t i = 0; i < 16; ++i) CHECK(data[i] == (enables[i % 8] != 0 ? i : 0xa0 + i));
  prepare(::tlm::TLM_READ_COMMAND);
  payload.set_streaming_width(8);
  bench.window.socket->b_transport(payload, delay);
  CHECK(payload.get_response_status() == ::tlm::TLM_BURST_ERROR_RESPONSE);
  prepare(::tlm::TLM_IGNORE_COMMAND);
  bench.window.socket->b_transport(payload, delay);
  CHECK(payload.is_response_ok());
  // No debugger and no direct access.
  prepare(::tlm::TLM_READ_COMMAND);
  CHECK(bench.window.socket->transport_dbg(payload) == 0);
  ::tlm::tlm_dmi dmi;
  CHECK_FALSE(bench.window.socket->get_direct_mem_ptr(payload, dmi));
  CHECK(bench.clean());
}

TEST_CASE("a timing_only access takes time and moves nothing") {
  EndpointBench bench;
  bench.bring_up();
  run_until(Time(10'000'000));
  std::array<std::uint8_t, 64> data{};
  data.fill(0x5a);
  bench.host.memory[0] = 0x11;
  TransferAttributes attributes;
  attributes.timing_only = true;
  for (const auto command : {::tlm::TLM_READ_COMMAND, ::tlm::TLM_WRITE_COMMAND}) {
    ::tlm::tlm_generic_payload payload;
    test::InitiatorStub::prepare(payload, command, 0, data.data(), 64);
    payload.set_extension(&attributes);
    sc_core::sc_time delay;
    bench.window.socket->b_transport(payload, delay);
    payload.clear_extension(&attributes);
    CHECK(payload.is_response_ok());
    // As the times above.
    CHECK(from_sc(delay) == Time(command == ::tlm::TLM_READ_COMMAND ? 313'711 : 25'000 + 11'172));
  }
  CHECK(data[0] == 0x5a);
  CHECK(bench.host.memory[0] == 0x11);
  CHECK(bench.clean());
}

TEST_CASE("requests of the host that nothing answers are unsupported, and errors of the card abort") {
  EndpointBench bench;
  std::array<std::uint8_t, 64> data{};
  const auto read = [&](std::uint64_t address, std::size_t octets) {
    bench.host.request(TlpType::kMemoryRead, address, data.data(), octets);
    return bench.host.status;
  };
  CHECK(read(EndpointBench::kBar2, 4) == CompletionStatus::kUnsupportedRequest);  // memory is not enabled
  bench.bring_up();
  CHECK(read(EndpointBench::kBar2, 4) == CompletionStatus::kSuccessful);
  CHECK(read(0x7000'0000, 4) == CompletionStatus::kUnsupportedRequest);
  CHECK(read(EndpointBench::kBar4 + 0xffc, 4) == CompletionStatus::kSuccessful);
  CHECK(read(EndpointBench::kBar4 + 0xffc, 8) == CompletionStatus::kUnsupportedRequest);  // passes the end
  CHECK((bench.host.config_read<std::uint16_t>(0x6a) & 0x9) == 0x9);                      // device status
  CHECK(read(EndpointBench::kBar0 + 1, 4) == CompletionStatus::kCompleterAbort);          // BAR 0 takes doublewords
  CHECK(read(EndpointBench::kBar0, 2) == CompletionStatus::kCompleterAbort);
  CHECK((bench.host.config_read<std::uint16_t>(0x06) & 0x0800) != 0);  // signalled target abort
  bench.card.sabotage = [](::tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    if (payload.get_address() == (1U << 20U) + 64) payload.set_response_status(::tlm::TLM_ADDRESS_ERROR_RESPONSE);
  };
  CHECK(read(EndpointBench::kBar2, 64) == CompletionStatus::kSuccessful);
  CHECK(read(EndpointBench::kBar2 + 64, 64) == CompletionStatus::kCompleterAbort);
  CHECK(bench.run.stat("endpoint.inbound_unsupported") == 3);
  CHECK(bench.run.stat("endpoint.inbound_aborted") == 3);
  // Another function, and what is beyond configuration space or no doubleword of it.
  std::uint32_t value = 0;
  bench.host.request(TlpType::kConfigurationRead, 0, &value, 4, now(), {5, 0, 1});
  CHECK(bench.host.status == CompletionStatus::kUnsupportedRequest);
  bench.host.request(TlpType::kConfigurationRead, 4096, &value, 4);
  CHECK(bench.host.status == CompletionStatus::kUnsupportedRequest);
  bench.host.request(TlpType::kConfigurationRead, 2, &value, 4);
  CHECK(bench.host.status == CompletionStatus::kUnsupportedRequest);
  CHECK(bench.clean());
}

TEST_CASE("doorbells reach the card's software when they have arrived") {
  EndpointBench bench;
  bench.bring_up();
  run_until(Time(10'000'000));
  // What the host has configured was told in the meantime.
  CHECK((bench.reg<std::uint32_t>(card_regs::kINTERRUPT_STATUS_offset) & 2) == 2);
  CHECK(bench.reg<std::uint32_t>(card_regs::kSTATUS_offset) == 0x3);
  CHECK(bench.reg<std::uint32_t>(card_regs::kLINK_offset) == (0x0500'0000U | 8U << 4U | 3U));
  CHECK(bench.irq.changes.empty());
  bench.set_reg<std::uint32_t>(card_regs::kINTERRUPT_STATUS_offset, 2);
  bench.set_reg<std::uint32_t>(card_regs::kINTERRUPT_ENABLE_offset, 3);
  CHECK(bench.irq.changes.empty());
  bench.host.write<std::uint32_t>(EndpointBench::kBar0 + host_regs::kTO_CARD_offset + 4, 0xcafe);
  bench.host.write<std::uint32_t>(EndpointBench::kBar0 + host_regs::kDOORBELL_offset, 0x8000'0001);
  // Two writes of 24 octets, 3047 ps each; 100000 on the link; 40000 to the register.
  const std::int64_t due = 10'000'000 + 2 * 3'047 + 140'000;
  run_until(Time(due - 1));
  CHECK(bench.irq.changes.empty());
  CHECK(bench.reg<std::uint32_t>(card_regs::kDOORBELL_offset) == 0);
  run_until(Time(due));
  REQUIRE(bench.irq.changes.size() == 1);
  CHECK(bench.irq.changes[0] == std::pair{due, true});
  CHECK(bench.reg<std::uint32_t>(card_regs::kDOORBELL_offset) == 0x8000'0001);
  CHECK(bench.reg<std::uint32_t>(card_regs::kFROM_HOST_offset + 4) == 0xcafe);
  CHECK(bench.host.read<std::uint32_t>(EndpointBench::kBar0 + host_regs::kDOORBELL_PENDING_offset) == 0x8000'0001);
  bench.set_reg<std::uint32_t>(card_regs::kDOORBELL_offset, 1);
  CHECK(bench.irq.changes.size() == 1);
  bench.set_reg<std::uint32_t>(card_regs::kDOORBELL_offset, 0x8000'0000);
  CHECK(bench.irq.changes.size() == 2);
  bench.set_reg<std::uint32_t>(card_regs::kTO_HOST_offset + 60, 0xbeef);
  CHECK(bench.host.read<std::uint32_t>(EndpointBench::kBar0 + host_regs::kFROM_CARD_offset + 60) == 0xbeef);
  // A change of the command register raises the other bit.
  bench.host.config_write<std::uint16_t>(0x04, 0x2);
  run_until(Time(20'000'000));
  CHECK(bench.irq.changes.size() == 3);
  CHECK(bench.reg<std::uint32_t>(card_regs::kSTATUS_offset) == 0x1);
  bench.set_reg<std::uint32_t>(card_regs::kINTERRUPT_STATUS_offset, 2);
  CHECK(bench.irq.changes.size() == 4);
  CHECK(bench.reg<std::uint32_t>(card_regs::kCAPABILITY_offset) == 64);
  CHECK(bench.host.read<std::uint32_t>(EndpointBench::kBar0 + host_regs::kCAPABILITY_offset) == 64);
  CHECK(bench.host.read<std::uint64_t>(EndpointBench::kBar0 + host_regs::kWINDOW_SIZE_offset) == std::uint64_t{1}
                                                                                                     << 32U);
}
