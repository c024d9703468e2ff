// PSCI return codes (Arm DEN 0022E 5.2) and semihosting with its confinement.
#include <catch2/catch.hpp>

#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include "cpu/a64/arch/psci.h"
#include "cpu/a64/arch/semihosting.h"

namespace dpusim::cpu {

namespace {

struct Power final : PowerController {
  std::array<PowerState, 3> states{PowerState::kOn, PowerState::kOff, PowerState::kOnPending};
  std::uint64_t entry = 0, context = 0;
  int offs = 0, resets = 0;
  unsigned pe_count() const override { return 3; }
  std::uint64_t affinity(unsigned pe) const override { return pe; }
  PowerState power_state(unsigned pe) const override { return states[pe]; }
  void power_on(unsigned pe, std::uint64_t at, std::uint64_t x0) override {
    states[pe] = PowerState::kOnPending;
    entry = at;
    context = x0;
  }
  void system_off(bool reset) override { ++(reset ? resets : offs); }
};
std::int64_t psci(Power& power, std::uint32_t function, std::uint64_t a = 0, std::uint64_t b = 0, std::uint64_t c = 0) {
  std::uint64_t result = 0xdead;
  answer_psci(power, function, {a, b, c}, result);
  return static_cast<std::int64_t>(result);
}

class FlatMemory final : public GuestMemory {
 public:
  std::vector<std::uint8_t> octets = std::vector<std::uint8_t>(65536);
  bool read(std::uint64_t va, std::span<std::uint8_t> data) override {
    if (va > octets.size() || data.size() > octets.size() - va) return false;
    std::copy_n(octets.begin() + static_cast<std::ptrdiff_t>(va), data.size(), data.begin());
    return true;
  }
  bool write(std::uint64_t va, std::span<const std::uint8_t> data) override {
    if (va > octets.size() || data.size() > octets.size() - va) return false;
    std::copy(data.begin(), data.end(), octets.begin() + static_cast<std::ptrdiff_t>(va));
    return true;
  }
};

// A directory of this process with a file and a way out of it.
struct Fixture {
  std::filesystem::path root =
      std::filesystem::temp_directory_path() / ("dpusim-semihosting-" + std::to_string(::getpid()));
  FlatMemory memory;
  std::string console;
  std::unique_ptr<Semihosting> calls;
  Fixture() {
    std::filesystem::remove_all(root);
    std::filesystem::create_directories(root / "run" / "sub");
    std::ofstream(root / "secret") << "outside";
    std::ofstream(root / "run" / "input") << "0123456789";
    std::filesystem::create_symlink(root / "secret", root / "run" / "link");
    std::filesystem::create_directory_symlink(root, root / "run" / "up");
    calls = std::make_unique<Semihosting>(root / "run");
    calls->set_console([this](std::string_view text) { console += text; });
  }
  ~Fixture() {
    calls.reset();
    std::filesystem::remove_all(root);
  }
  std::int64_t call(std::uint32_t operation, std::initializer_list<std::uint64_t> arguments, Time now = Time(0)) {
    std::uint64_t at = 0x100;
    for (const std::uint64_t a : arguments) {
      std::memcpy(memory.octets.data() + at, &a, 8);
      at += 8;
    }
    return static_cast<std::int64_t>(calls->call(operation, 0x100, memory, now).value);
  }
  std::uint64_t text(std::uint64_t at, const std::string& value) {
    std::copy(value.begin(), value.end(), memory.octets.begin() + static_cast<std::ptrdiff_t>(at));
    memory.octets[at + value.size()] = 0;
    return at;
  }
  std::int64_t open(const std::string& name, std::uint64_t mode) {
    return call(0x01, {text(0x1000, name), mode, name.size()});
  }
  std::int64_t error() { return call(0x13, {}); }
};

}  // namespace

TEST_CASE("PSCI answers with the codes of its specification") {
  Power power;
  CHECK(psci(power, 0x8400'0000) == 0x1'0001);
  CHECK(psci(power, 0x8000'0000) == 0x1'0001);       // SMCCC_VERSION
  CHECK(psci(power, 0xc400'0003, 0, 0x1000) == -4);  // CPU_ON of one that is on
  CHECK(psci(power, 0xc400'0003, 2, 0x1000) == -5);  // on pending
  CHECK(psci(power, 0xc400'0003, 3, 0x1000) == -2);  // no such PE
  CHECK(psci(power, 0xc400'0003, 1, 0x1002) == -9);  // unaligned entry
  CHECK(psci(power, 0xc400'0004, 1, 0) == 1);        // AFFINITY_INFO: off
  CHECK(psci(power, 0xc400'0003, 1, 0x12'3456'7890, 0xabcd) == 0);
  CHECK(power.entry == 0x12'3456'7890);
  CHECK(power.context == 0xabcd);
  CHECK(psci(power, 0xc400'0004, 1, 0) == 2);  // on pending
  CHECK(psci(power, 0xc400'0004, 0, 0) == 0);
  CHECK(psci(power, 0xc400'0004, 0, 1) == -2);        // only affinity level 0
  CHECK(psci(power, 0x8400'0006) == 2);               // MIGRATE_INFO_TYPE
  CHECK(psci(power, 0x8400'0005) == -1);              // MIGRATE
  CHECK(psci(power, 0x8400'000a, 0xc400'0003) == 0);  // FEATURES
  CHECK(psci(power, 0x8400'000a, 0x8000'0000) == 0);
  CHECK(psci(power, 0x8400'000a, 0x8400'0005) == -1);
  CHECK(psci(power, 0x8400'ffff) == -1);
  CHECK(psci(power, 0x8000'0001, 0x8000'8000) == -1);  // SMCCC_ARCH_WORKAROUND_1
  CHECK(psci(power, 0xc400'0001, 1u << 17) == -2);     // CPU_SUSPEND with a reserved bit
  std::uint64_t result = 1;
  CHECK(answer_psci(power, 0xc400'0001, {0, 0, 0}, result) == Flow::kWaitInterrupt);
  CHECK(result == 0);
  CHECK(answer_psci(power, 0x8400'0002, {}, result) == Flow::kOff);
  CHECK(answer_psci(power, 0x8400'0008, {}, result) == Flow::kStop);
  CHECK(answer_psci(power, 0x8400'0009, {}, result) == Flow::kStop);
  CHECK(power.offs == 1);
  CHECK(power.resets == 1);
}

TEST_CASE("The 32-bit form of CPU_ON takes 32-bit arguments") {
  Power power;
  CHECK(psci(power, 0x8400'0003, 0xffff'ffff'0000'0001, 0xffff'ffff'0000'1000) == 0);
  CHECK(power.entry == 0x1000);
}

TEST_CASE_METHOD(Fixture, "Semihosting files: read, write, seek, length, remove, rename") {
  const std::int64_t in = open("input", 0);
  REQUIRE(in > 0);
  CHECK(call(0x0c, {static_cast<std::uint64_t>(in)}) == 10);
  CHECK(call(0x06, {static_cast<std::uint64_t>(in), 0x2000, 4}) == 0);
  CHECK(std::string(memory.octets.begin() + 0x2000, memory.octets.begin() + 0x2004) == "0123");
  CHECK(call(0x0a, {static_cast<std::uint64_t>(in), 8}) == 0);
  CHECK(call(0x06, {static_cast<std::uint64_t>(in), 0x2000, 4}) == 2);  // octets not read
  CHECK(call(0x05, {static_cast<std::uint64_t>(in), 0x2000, 4}) == 4);  // not opened for writing: none written
  CHECK(call(0x02, {static_cast<std::uint64_t>(in)}) == 0);
  CHECK(call(0x02, {static_cast<std::uint64_t>(in)}) == -1);
  const std::int64_t out = open("sub/output", 4);
  REQUIRE(out > 0);
  CHECK(call(0x05, {static_cast<std::uint64_t>(out), text(0x3000, "hello"), 5}) == 0);
  CHECK(call(0x09, {static_cast<std::uint64_t>(out)}) == 0);  // no terminal
  call(0x02, {static_cast<std::uint64_t>(out)});
  CHECK(std::filesystem::file_size(root / "run" / "sub" / "output") == 5);
  CHECK(call(0x0f, {text(0x1000, "sub/output"), 10, text(0x1100, "moved"), 5}) == 0);
  CHECK(std::filesystem::exists(root / "run" / "moved"));
  CHECK(call(0x0e, {text(0x1000, "moved"), 5}) == 0);
  CHECK_FALSE(std::filesystem::exists(root / "run" / "moved"));
  CHECK(open("absent", 0) == -1);
  CHECK(error() == ENOENT);
}

TEST_CASE_METHOD(Fixture, "Semihosting names cannot leave the run directory") {
  const auto refused = [&](const std::string& name, std::uint64_t mode) {
    INFO(name);
    CHECK(open(name, mode) == -1);
    CHECK(error() != 0);
  };
  refused("/etc/hostname", 0);
  refused((root / "secret").string(), 0);
  refused("../secret", 0);
  refused("sub/../../secret", 0);
  refused("link", 0);  // a symbolic link to a file outside
  refused("link", 4);
  refused("up/secret", 0);  // through a link to a directory outside
  refused("../written", 4);
  refused("..", 0);
  refused(".", 0);
  refused("sub", 0);  // a directory is no file
  CHECK(call(0x0e, {text(0x1000, "../secret"), 9}) == -1);
  CHECK(call(0x0f, {text(0x1000, "input"), 5, text(0x1100, "../out"), 6}) == -1);
  CHECK(std::filesystem::exists(root / "secret"));
  CHECK(std::filesystem::exists(root / "run" / "input"));
  CHECK_FALSE(std::filesystem::exists(root / "written"));
  std::string content;
  std::ifstream(root / "secret") >> content;
  CHECK(content == "outside");
}

TEST_CASE_METHOD(Fixture, "Semihosting console, time and features") {
  text(0x100, "abc");
  calls->call(0x04, 0x100, memory, Time(0));
  calls->call(0x03, 0x101, memory, Time(0));
  CHECK(console == "abcb");
  const std::int64_t out = open(":tt", 4);
  CHECK(call(0x09, {static_cast<std::uint64_t>(out)}) == 1);
  CHECK(call(0x05, {static_cast<std::uint64_t>(out), text(0x3000, "xyz"), 3}) == 0);
  CHECK(console == "abcbxyz");
  CHECK(call(0x07, {}) == -1);
  CHECK(call(0x10, {}, Time(1'239'999'999'999)) == 123);  // centiseconds
  CHECK(call(0x11, {}, Time(1'999'999'999'999)) == 1);
  CHECK(call(0x31, {}) == 1'000'000'000);
  CHECK(call(0x30, {}, Time(12'345'000)) == 0);
  CHECK(memory.octets[0x100] == (12'345 & 0xff));
  const std::int64_t features = open(":semihosting-features", 0);
  CHECK(call(0x06, {static_cast<std::uint64_t>(features), 0x2000, 5}) == 0);
  CHECK(std::string(memory.octets.begin() + 0x2000, memory.octets.begin() + 0x2005) == "SHFB\x03");
  calls->set_command_line("image --flag");
  CHECK(call(0x15, {0x4000, 12}) == -1);  // no room for the final 0
  CHECK(call(0x15, {0x4000, 13}) == 0);
  CHECK(std::string(reinterpret_cast<const char*>(&memory.octets[0x4000])) == "image --flag");
  CHECK(call(0x12, {0x4000, 2}) == -1);  // SYS_SYSTEM
}

TEST_CASE_METHOD(Fixture, "Semihosting exit codes") {
  const auto exits = [&](std::uint64_t reason, std::uint64_t code) {
    std::memcpy(&memory.octets[0x100], &reason, 8);
    std::memcpy(&memory.octets[0x108], &code, 8);
    const auto answer = calls->call(0x18, 0x100, memory, Time(0));
    CHECK(answer.exits);
    return answer.code;
  };
  CHECK(exits(0x20026, 0) == 0);
  CHECK(exits(0x20026, 3) == 1);
  CHECK(exits(0x20023, 0) == 1);  // ADP_Stopped_RunTimeErrorUnknown
}

TEST_CASE_METHOD(Fixture, "Semihosting with unreadable arguments fails with EFAULT") {
  CHECK(calls->call(0x01, 0xffff'0000, memory, Time(0)).value == ~0ull);
  CHECK(error() == EFAULT);
  const std::int64_t in = open("input", 0);
  CHECK(call(0x06, {static_cast<std::uint64_t>(in), 0xffff'0000, 4}) == -1);
  CHECK(error() == EFAULT);
}

}  // namespace dpusim::cpu
