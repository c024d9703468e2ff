// RegisterBank over the table that tools/regs made of regs/example.regs.json: every expected value is worked out from
// that file.
#include <catch2/catch.hpp>
#include <map>
#include <vector>

#include "example_regs.h"
#include "sim/error.h"
#include "sim/random.h"
#include "sim/registers.h"

using namespace dpusim;
using namespace dpusim::example_regs;
using Octets = std::vector<std::uint8_t>;

namespace {

struct Device {
  RegisterBank bank{kTable};

  std::uint64_t read(std::uint64_t offset, std::size_t size, RegisterResult expected = RegisterResult::kOk) {
    Octets data(size, 0xee);
    CHECK(bank.read(offset, data) == expected);
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size && i < 8; ++i) value |= std::uint64_t{data[i]} << (8 * i);
    if (expected != RegisterResult::kOk) CHECK(data == Octets(size, 0xee));
    return value;
  }
  void write(std::uint64_t offset, std::size_t size, std::uint64_t value,
             RegisterResult expected = RegisterResult::kOk) {
    Octets data(size);
    for (std::size_t i = 0; i < size; ++i) data[i] = static_cast<std::uint8_t>(value >> (8 * (i % 8)));
    CHECK(bank.write(offset, data) == expected);
  }
};

}  // namespace

TEST_CASE("Registers hold their reset values") {
  Device device;
  CHECK(device.read(0x00, 4) == 0xa5000102);
  CHECK(device.read(0x04, 4) == 0);
  CHECK(device.read(0x08, 8) == 0x1122334455667788);
  for (unsigned i = 0; i < 4; ++i) CHECK(device.read(0x10 + i, 1) == 0x0f);
  CHECK(device.read(0x14, 2) == 0xbeef);
  CHECK(device.read(0x48, 4) == 7);
  CHECK(kSize == 0x80);

  device.bank.set(CTRL, 0);
  device.bank.set(OCTET, 0x55, 3);
  CHECK_THROWS_AS(device.bank.set(OCTET, 0, 4), Defect);
  CHECK_THROWS_AS(device.bank.get(ONE + 1), Defect);
  device.bank.reset();
  CHECK(device.bank.get(CTRL) == 0xa5000102);
  CHECK(device.bank.get(OCTET, 3) == 0x0f);
}

TEST_CASE("rw bits take what is written, ro bits and reserved bits ignore it, wo bits read 0") {
  Device device;
  device.write(0x00, 4, 0xffffffff);
  CHECK(device.read(0x00, 4) == 0xa500ff0f);
  CHECK(device.bank.get(CTRL) == 0xa5ffff0f);
  device.write(0x00, 4, 0x00120000);
  CHECK(device.read(0x00, 4) == 0xa5000000);
  CHECK((device.bank.get(CTRL) & kCTRL_KEY_mask) >> kCTRL_KEY_shift == 0x12);
  device.write(0x14, 2, 0);
  CHECK(device.read(0x14, 2) == 0xbeef);
}

TEST_CASE("A reserved bit reads 0 even when the model stores 1 there") {
  Device device;
  device.bank.set(CTRL, 0xffffffff);
  CHECK(device.read(0x00, 4) == 0xff00ff0f);
}

TEST_CASE("w1c bits are cleared by ones and kept by zeros") {
  Device device;
  device.bank.set(EVENT, 3);
  device.write(0x04, 4, 0);
  CHECK(device.bank.get(EVENT) == 3);
  device.write(0x04, 4, 2);
  CHECK(device.bank.get(EVENT) == 1);
  CHECK(device.read(0x04, 4) == 1);  // reading does not clear
  CHECK(device.read(0x04, 4) == 1);
  device.write(0x04, 4, 1);
  CHECK(device.bank.get(EVENT) == 0);
}

TEST_CASE("rc bits are cleared by a read and ignore writes") {
  Device device;
  device.bank.set(EVENT, 0x00123401);
  device.write(0x04, 4, 0x00ffff00);
  CHECK(device.bank.get(EVENT) == 0x00123401);
  CHECK(device.read(0x04, 4) == 0x00123401);
  CHECK(device.bank.get(EVENT) == 1);
}

TEST_CASE("A partial read clears only the rc bits that it read") {
  Device device;
  device.bank.set(EVENT, 0x00123400);
  CHECK(device.read(0x05, 1) == 0x34);
  CHECK(device.bank.get(EVENT) == 0x00120000);
  CHECK(device.read(0x04, 4) == 0x00120000);
  CHECK(device.bank.get(EVENT) == 0);
}

TEST_CASE("Partial writes change the addressed octets only") {
  Device device;
  device.write(0x01, 1, 0x77);
  CHECK(device.read(0x00, 4) == 0xa5007702);
  device.write(0x02, 2, 0xffff);  // KEY (wo) and STAT (ro)
  CHECK(device.bank.get(CTRL) == 0xa5ff7702);
  CHECK(device.read(0x00, 2) == 0x7702);
  CHECK(device.read(0x03, 1) == 0xa5);
}

TEST_CASE("A 64-bit register takes halves where min_access is 4, and no octets") {
  Device device;
  CHECK(device.read(0x08, 4) == 0x55667788);
  CHECK(device.read(0x0c, 4) == 0x11223344);
  device.write(0x0c, 4, 0xcafef00d);
  CHECK(device.read(0x08, 8) == 0xcafef00d55667788);
  device.read(0x08, 2, RegisterResult::kBadSize);
  device.read(0x0f, 1, RegisterResult::kBadSize);
  device.write(0x08, 1, 0, RegisterResult::kBadSize);
  CHECK(device.bank.get(WIDE) == 0xcafef00d55667788);

  device.read(0x38, 4, RegisterResult::kBadSize);
  device.write(0x3c, 4, 1, RegisterResult::kBadSize);
  device.write(0x38, 8, 0x8000000000000001);
  CHECK(device.read(0x38, 8) == 0x8000000000000001);
}

TEST_CASE("An access covers several whole registers, in rising order") {
  Device device;
  device.write(0x10, 4, 0x44332211);  // four 8-bit registers
  for (unsigned i = 0; i < 4; ++i) CHECK(device.bank.get(OCTET, i) == 0x11 * (i + 1));
  CHECK(device.read(0x12, 2) == 0x4433);
  device.write(0x28, 8, 0x8877665544332211);  // two 32-bit registers of two arrays
  CHECK(device.bank.get(QUEUE_LOW, 1) == 0x44332211);
  CHECK(device.bank.get(QUEUE_HIGH, 1) == 0x88776655);
  CHECK(device.read(0x28, 8) == 0x8877665544332211);
  CHECK(device.read(0x00, 8) == 0xa5000102);  // CTRL and EVENT

  std::vector<unsigned> order;
  for (const unsigned reg : {unsigned{QUEUE_HIGH}, unsigned{QUEUE_LOW}}) {
    device.bank.on_write(reg, [&order, reg](const RegisterBank::Write& w) { order.push_back(reg * 100 + w.element); });
  }
  device.write(0x30, 8, 0);
  CHECK(order == std::vector<unsigned>{QUEUE_LOW * 100U + 2, QUEUE_HIGH * 100U + 2});
}

TEST_CASE("An access that runs into a hole changes nothing") {
  Device device;
  device.write(0x10, 8, ~0ULL, RegisterResult::kUnmapped);  // OCTET[4] and HALF, then 0x16
  CHECK(device.bank.get(OCTET, 0) == 0x0f);
  device.read(0x14, 4, RegisterResult::kUnmapped);
  device.bank.set(STEP, 5);
  device.read(0x40, 8, RegisterResult::kUnmapped);
}

TEST_CASE("Sizes and alignments that no register takes are bad sizes") {
  Device device;
  device.read(0x00, 0, RegisterResult::kBadSize);
  device.read(0x00, 3, RegisterResult::kBadSize);
  device.read(0x00, 16, RegisterResult::kBadSize);
  device.write(0x00, 16, 0, RegisterResult::kBadSize);
  device.read(0x01, 2, RegisterResult::kBadSize);
  device.read(0x02, 4, RegisterResult::kBadSize);
  device.read(0x04, 8, RegisterResult::kBadSize);
  device.read(0x20, 2, RegisterResult::kBadSize);
  device.read(0x20, 1, RegisterResult::kBadSize);
}

TEST_CASE("Offsets of no register are unmapped, whatever the size") {
  Device device;
  device.read(0x18, 4, RegisterResult::kUnmapped);
  device.write(0x18, 4, 0, RegisterResult::kUnmapped);
  device.read(0x17, 1, RegisterResult::kUnmapped);
  device.read(0x44, 4, RegisterResult::kUnmapped);
  device.read(0x54, 4, RegisterResult::kUnmapped);
  device.read(0x80, 4, RegisterResult::kUnmapped);
  device.read(0x1'0000'0000, 4, RegisterResult::kUnmapped);  // does not wrap to 0
  device.read(~0ULL, 1, RegisterResult::kUnmapped);
  device.read(0x18, 3, RegisterResult::kUnmapped);
}

TEST_CASE("Arrays and the registers in their holes are told apart") {
  Device device;
  for (unsigned i = 0; i < 3; ++i) {
    device.bank.set(QUEUE_LOW, 0x100 + i, i);
    device.bank.set(QUEUE_HIGH, 0x200 + i, i);
  }
  for (unsigned i = 0; i < 3; ++i) {
    CHECK(device.read(0x20 + 8 * i, 4) == 0x100 + i);
    CHECK(device.read(0x24 + 8 * i, 4) == 0x200 + i);
  }
  device.write(0x40, 4, 0xaa);
  device.write(0x48, 4, 0xbb);
  device.write(0x50, 4, 0xcc);
  CHECK(device.bank.get(STEP, 0) == 0xaa);
  CHECK(device.bank.get(ONE) == 0xbb);
  CHECK(device.bank.get(STEP, 1) == 0xcc);
}

TEST_CASE("Byte enables select octets of a write") {
  Device device;
  const Octets data{0x11, 0x22, 0x33, 0x44};
  CHECK(device.bank.write(0x20, data, Octets{0xff, 0, 0, 0xff}) == RegisterResult::kOk);
  CHECK(device.bank.get(QUEUE_LOW) == 0x44000011);
  CHECK(device.bank.write(0x10, data, Octets{0, 0xff, 0xff, 0}) == RegisterResult::kOk);
  CHECK(device.read(0x10, 4) == 0x0f33220f);
}

TEST_CASE("Byte enables select octets of a read and leave the others in the buffer") {
  Device device;
  Octets data(4, 0xee);
  CHECK(device.bank.read(0x00, data, Octets{0xff, 0, 0, 0xff}) == RegisterResult::kOk);
  CHECK(data == Octets{0x02, 0xee, 0xee, 0xa5});
  device.bank.set(EVENT, 0x00123400);
  CHECK(device.bank.read(0x04, data, Octets{0, 0xff, 0, 0}) == RegisterResult::kOk);
  CHECK(device.bank.get(EVENT) == 0x00120000);
}

TEST_CASE("A register with all lanes off is not accessed") {
  Device device;
  unsigned calls = 0;
  const auto count = [&](const RegisterBank::Write&) { ++calls; };
  device.bank.on_write(QUEUE_LOW, count);
  device.bank.on_write(QUEUE_HIGH, count);
  device.bank.on_read(
      QUEUE_LOW, [&](RegisterBank::Element) { return std::uint64_t{++calls}; }, false);
  Octets data(8, 0xee);
  const Octets high{0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff};
  CHECK(device.bank.write(0x20, data, high) == RegisterResult::kOk);
  CHECK(calls == 1);
  CHECK(device.bank.read(0x20, data, high) == RegisterResult::kOk);
  CHECK(calls == 1);
  CHECK(device.bank.write(0x18, data, Octets(8, 0)) == RegisterResult::kUnmapped);
}

TEST_CASE("A write hook sees the merged value, the old one, the raw bits and their mask") {
  Device device;
  std::vector<RegisterBank::Write> writes;
  device.bank.on_write(CTRL, [&](const RegisterBank::Write& w) {
    CHECK(device.bank.get(CTRL) == w.value);  // stored before the hook runs
    writes.push_back(w);
  });
  device.write(0x01, 1, 0x5a);
  REQUIRE(writes.size() == 1);
  CHECK(writes[0].element == 0);
  CHECK(writes[0].old == 0xa5000102);
  CHECK(writes[0].value == 0xa5005a02);
  CHECK(writes[0].written == 0x5a00);
  CHECK(writes[0].mask == 0xff00);

  // Raw bits reach the hook where the register ignores them: write-one-to-act on reserved or read-only bits.
  device.write(0x00, 4, 0xffffffff);
  REQUIRE(writes.size() == 2);
  CHECK(writes[1].written == 0xffffffff);
  CHECK(writes[1].value == 0xa5ffff0f);
  CHECK(writes[1].mask == 0xffffffff);

  Octets data{0xab, 0xcd, 0xef, 0x01};
  CHECK(device.bank.write(0x00, data, Octets{0xff, 0, 0xff, 0}) == RegisterResult::kOk);
  REQUIRE(writes.size() == 3);
  CHECK(writes[2].written == 0x00ef00ab);
  CHECK(writes[2].mask == 0x00ff00ff);
}

TEST_CASE("A write hook may change what is stored") {
  Device device;
  device.bank.on_write(STEP, [&](const RegisterBank::Write& w) { device.bank.set(STEP, w.value & 0xf, w.element); });
  device.write(0x50, 4, 0x1234);
  CHECK(device.read(0x50, 4) == 4);
  CHECK(device.read(0x40, 4) == 0);
}

TEST_CASE("A read hook gives the value, of which software sees the readable bits of the octets it reads") {
  Device device;
  std::vector<RegisterBank::Element> elements;
  device.bank.on_read(
      STEP,
      [&](RegisterBank::Element e) {
        elements.push_back(e);
        return 0x1000ULL + e;
      },
      false);
  CHECK(device.read(0x50, 4) == 0x1001);
  CHECK(elements == std::vector<RegisterBank::Element>{1});
  device.bank.on_read(
      CTRL, [](RegisterBank::Element) { return ~0ULL; }, true);
  CHECK(device.read(0x00, 4) == 0xff00ff0f);
  CHECK(device.read(0x01, 1) == 0xff);
  CHECK(device.read(0x02, 1) == 0);
}

TEST_CASE("Debug reads see what software would, at any size, and change nothing") {
  Device device;
  device.bank.set(EVENT, 0x00123403);
  unsigned calls = 0;
  device.bank.on_read(
      OCTET,
      [&](RegisterBank::Element) {
        ++calls;
        return 0x77ULL;
      },
      false);
  device.bank.on_read(
      WIDE, [&](RegisterBank::Element) { return 0x0102030405060708ULL; }, true);
  Octets data(0x16, 0xee);
  CHECK(device.bank.debug_read(0x01, data) == 0x15);  // up to the hole at 0x16
  CHECK(data ==
        Octets{0x01, 0, 0xa5, 0x03, 0x34, 0x12, 0, 8, 7, 6, 5, 4, 3, 2, 1, 0x0f, 0x0f, 0x0f, 0x0f, 0xef, 0xbe, 0xee});
  CHECK(calls == 0);
  CHECK(device.bank.get(EVENT) == 0x00123403);
  CHECK(device.bank.debug_read(0x18, data) == 0);
  CHECK(device.bank.debug_read(0x80, data) == 0);
}

TEST_CASE("Debug writes put writable bits, without hooks and without clearing") {
  Device device;
  unsigned calls = 0;
  device.bank.on_write(EVENT, [&](const RegisterBank::Write&) { ++calls; });
  const Octets ones(8, 0xff);
  CHECK(device.bank.debug_write(0x00, ones) == 8);
  CHECK(device.bank.get(CTRL) == 0xa5ffff0f);
  CHECK(device.bank.get(EVENT) == 3);
  CHECK(device.bank.debug_write(0x04, Octets{0x01}) == 1);
  CHECK(device.bank.get(EVENT) == 1);
  CHECK(device.bank.debug_write(0x13, Octets{1, 2, 3, 4}) == 3);
  CHECK(device.bank.get(OCTET, 3) == 1);
  CHECK(device.bank.get(HALF) == 0xbeef);
  CHECK(calls == 0);
}

namespace {

// The rules of REGS descriptions once more, octet by octet and by exhaustive search, to hold the bank against.
struct Reference {
  struct Octet {
    const RegisterInfo* info;
    unsigned shift;  // of the octet within its register
    std::uint8_t stored;
  };
  std::map<std::uint64_t, Octet> octets;
  Reference() {
    for (const RegisterInfo& info : kTable) {
      for (unsigned i = 0; i < info.count * info.width / 8; ++i) {
        const unsigned shift = i % (info.width / 8U) * 8;
        octets[info.offset + i / (info.width / 8U) * info.stride + shift / 8] = {
            &info, shift, static_cast<std::uint8_t>(info.reset >> shift)};
      }
    }
  }
  RegisterResult check(std::uint64_t offset, std::size_t size) const {
    const auto first = octets.find(offset);
    if (first == octets.end()) return RegisterResult::kUnmapped;
    if (offset % size != 0 || size < first->second.info->min_access) return RegisterResult::kBadSize;
    for (std::size_t i = 1; i < size; ++i) {
      if (!octets.contains(offset + i)) return RegisterResult::kUnmapped;
    }
    return RegisterResult::kOk;
  }
  void read(std::uint64_t offset, Octets& data, const Octets& enables) {
    for (std::size_t i = 0; i < data.size(); ++i) {
      if (enables[i] == 0) continue;
      auto& [info, shift, stored] = octets.at(offset + i);
      data[i] =
          stored & static_cast<std::uint8_t>((info->rw_mask | info->ro_mask | info->w1c_mask | info->rc_mask) >> shift);
      stored &= static_cast<std::uint8_t>(~(info->rc_mask >> shift));
    }
  }
  void write(std::uint64_t offset, const Octets& data, const Octets& enables) {
    for (std::size_t i = 0; i < data.size(); ++i) {
      if (enables[i] == 0) continue;
      auto& [info, shift, stored] = octets.at(offset + i);
      const auto taken = static_cast<std::uint8_t>((info->rw_mask | info->wo_mask) >> shift);
      const auto cleared = static_cast<std::uint8_t>((info->w1c_mask >> shift) & data[i]);
      stored = static_cast<std::uint8_t>(((stored & ~taken) | (data[i] & taken)) & ~cleared);
    }
  }
};

}  // namespace

TEST_CASE("Random accesses do what an octet-by-octet reference does") {
  Random random(7, "registers");
  RegisterBank bank(kTable);
  Reference reference;
  unsigned done[3] = {0, 0, 0};
  for (unsigned round = 0; round < 50'000; ++round) {
    if (random.below(8) == 0) {  // the device sets event bits
      const std::uint64_t events = random() & 0x00ffff03;
      bank.set(EVENT, events);
      for (unsigned i = 0; i < 4; ++i) reference.octets.at(4 + i).stored = static_cast<std::uint8_t>(events >> (8 * i));
    }
    const std::uint64_t offset = random.below(0x88);
    const std::size_t size = std::size_t{1} << random.below(4);
    Octets enables(size);
    Octets data(size);
    for (std::size_t i = 0; i < size; ++i) {
      data[i] = static_cast<std::uint8_t>(random());
      enables[i] = random.below(4) != 0 ? 0xff : 0;
    }
    const RegisterResult expected = reference.check(offset, size);
    ++done[static_cast<unsigned>(expected)];
    Octets seen = data;
    if (random.below(2) == 0) {
      if (bank.read(offset, seen, enables) != expected) FAIL("read of " << size << " at " << offset << ": result");
      if (expected == RegisterResult::kOk) reference.read(offset, data, enables);
      if (seen != data) FAIL("read of " << size << " at " << offset << ": data");
    } else {
      if (bank.write(offset, data, enables) != expected) FAIL("write of " << size << " at " << offset << ": result");
      if (expected == RegisterResult::kOk) reference.write(offset, data, enables);
    }
    for (const auto& [at, octet] : reference.octets) {
      const RegisterInfo& info = *octet.info;
      const auto element = static_cast<unsigned>((at - info.offset) / info.stride);
      const auto stored =
          static_cast<std::uint8_t>(bank.get(static_cast<unsigned>(&info - kTable), element) >> octet.shift);
      if (stored != octet.stored) FAIL("access of " << size << " at " << offset << " left another value at " << at);
    }
  }
  for (const unsigned count : done) CHECK(count > 1'000);  // all three outcomes were met often
}

TEST_CASE("A register in the last octets below 4 GiB is found") {
  static constexpr RegisterInfo kLast[] = {{"LAST", 0xfffffffc, 32, 1, 1, 4, 0x5, ~0U, 0, 0, 0, 0}};
  RegisterBank bank(kLast);
  Octets data(4);
  CHECK(bank.read(0xfffffffc, data) == RegisterResult::kOk);
  CHECK(data == Octets{5, 0, 0, 0});
  CHECK(bank.read(0x100000000, data) == RegisterResult::kUnmapped);
}

TEST_CASE("A table that regs.py would refuse is a defect") {
  const RegisterInfo good{"R", 0x10, 32, 4, 2, 8, 0, 0xff, 0xff00, 0, 0, 0};
  const auto make = [](std::initializer_list<RegisterInfo> rows) {
    const std::vector<RegisterInfo> table(rows);
    RegisterBank bank(table);
  };
  CHECK_NOTHROW(make({good}));
  RegisterInfo bad = good;
  bad.offset = 0x12;
  CHECK_THROWS_AS(make({bad}), Defect);
  bad = good, bad.width = 24;
  CHECK_THROWS_AS(make({bad}), Defect);
  bad = good, bad.min_access = 8;
  CHECK_THROWS_AS(make({bad}), Defect);
  bad = good, bad.stride = 2;
  CHECK_THROWS_AS(make({bad}), Defect);
  bad = good, bad.stride = 6;
  CHECK_THROWS_AS(make({bad}), Defect);
  bad = good, bad.count = 0;
  CHECK_THROWS_AS(make({bad}), Defect);
  bad = good, bad.wo_mask = 0x100;
  CHECK_THROWS_AS(make({bad}), Defect);
  bad = good, bad.rc_mask = 0x1'0000'0000;
  CHECK_THROWS_AS(make({bad}), Defect);
  bad = good, bad.name = "S";
  CHECK_THROWS_AS(make({good, bad}), Defect);
  bad.offset = 0x14;
  CHECK_NOTHROW(make({good, bad}));
  bad.count = 1, bad.offset = 0x18;
  CHECK_THROWS_AS(make({good, bad}), Defect);
}

extern "C" unsigned example_c_octet(unsigned n);
extern "C" unsigned long long example_c_top(void);

TEST_CASE("The C header of the same description has the same offsets and masks") {
  CHECK(example_c_octet(3) == 0x13);
  CHECK(example_c_top() == kWIDE_TOP_mask);
}
