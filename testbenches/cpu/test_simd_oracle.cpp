// FP and SIMD instructions against qemu-aarch64: random encodings of every row of the decode table on random and
// boundary operands.
#include <catch2/catch.hpp>
#include <cstring>
#include <random>
#include <set>
#include <sstream>

#include "a64_oracle.h"
#include "cpu/a64/isa/decoder.h"
#include "flat_machine.h"
#include "test_fp_operands.h"

using namespace dpusim::cpu;
using dpusim::cpu::test::OracleState;

namespace {

bool has_field(const Pattern& p, const char* name) {
  try {
    (void)p.field(name);
    return true;
  } catch (const std::logic_error&) {
    return false;
  }
}

// Draws a word of the row whose registers are among those that the oracle carries: V0..V7 (structures: their first
// register low enough), X0..X3, or XZR where that is no base.
std::uint32_t draw_word(const Entry& row, std::mt19937_64& random) {
  for (;;) {
    const auto bits = static_cast<std::uint32_t>(random());
    std::uint32_t word = (bits & ~row.pattern.mask()) | row.pattern.value();
    const auto set = [&](const char* name, std::uint32_t value) {
      if (!has_field(row.pattern, name)) return;
      const Pattern::Field f = row.pattern.field(name);
      const std::uint32_t mask = ((1u << f.width) - 1) << f.low;
      word = (word & ~mask) | ((value << f.low) & mask);
    };
    const auto v = [&] { return static_cast<std::uint32_t>(random() % 8); };
    set("Vd", v());
    set("Vn", static_cast<std::uint32_t>(random() % 5));
    set("Vt", static_cast<std::uint32_t>(random() % 5));
    set("Vt2", v());
    set("Va", v());
    // By-element forms keep an index bit in Vm's top bit.
    set("Vm", v() | (has_field(row.pattern, "H") && has_field(row.pattern, "size") && (bits & 1) != 0 ? 16u : 0u));
    set("Rd", static_cast<std::uint32_t>(random() % 4));
    set("Rn", static_cast<std::uint32_t>(random() % 4));
    set("Rm", random() % 3 == 0 ? 31 : static_cast<std::uint32_t>(random() % 4));
    // An index register that is the base as well would add the guest's address to itself.
    if (has_field(row.pattern, "Rm") && has_field(row.pattern, "Rn") && (word >> 16 & 31) == (word >> 5 & 31)) continue;
    if (row.pattern.matches(word)) return word;
  }
}

std::uint64_t random_half(std::mt19937_64& random, int bits) {
  switch (bits) {
    case 64:
      return test::random_number<std::uint64_t>(random);
    case 32:
      return test::random_number<std::uint32_t>(random) | std::uint64_t{test::random_number<std::uint32_t>(random)}
                                                              << 32;
    case 16: {
      std::uint64_t all = 0;
      for (int i = 0; i < 4; ++i) all = all << 16 | test::random_number<std::uint16_t>(random);
      return all;
    }
    case 8: {
      constexpr std::uint8_t kEdges[] = {0, 1, 0x7f, 0x80, 0x81, 0xff, 0xfe, 8, 0xf8, 16};
      std::uint64_t all = 0;
      for (int i = 0; i < 8; ++i) {
        const std::uint64_t r = random();
        all = all << 8 | ((r & 1) != 0 ? kEdges[(r >> 8) % std::size(kEdges)] : r >> 56);
      }
      return all;
    }
    default:
      return test::random_integer(random);
  }
}

struct Case {
  const Entry* row;
  std::uint32_t word;
  std::int32_t offset;  // the immediate that decoding gave
};

bool decodes(const Entry& row, std::uint32_t word, std::int32_t& offset) {
  std::vector<std::uint64_t> pool;
  Op op;
  const bool good = row.decode(Fields(word, 0, row.pattern, pool), op);
  offset = op.imm;
  return good;
}

// Runs words, each followed by a branch to itself, on an engine.
class Ours {
 public:
  explicit Ours(const std::vector<std::uint32_t>& words) : machine_(std::make_unique<FlatMachine>()) {
    machine_->enable_mmu();  // without it data is Device memory and unaligned accesses fault
    for (std::size_t i = 0; i < words.size(); ++i) machine_->put(code(i), {words[i], 0x14000000});
  }
  // @return whether the instruction retired
  bool run(OracleState& s) {
    CpuState& state = machine_->state();
    for (unsigned i = 0; i < 4; ++i) state.x[i] = s.x[i];
    if (s.base < 4) state.x[s.base] += kMemory;
    for (unsigned i = 0; i < 8; ++i) state.v[i].d = s.v[i];
    state.fpcr = s.fpcr;
    state.fpsr = s.fpsr;
    state.nzcv = s.nzcv;
    std::memcpy(&machine_->ram[kMemory - FlatMachine::kRam], s.memory.data(), s.memory.size());
    state.pc = code(s.word);
    machine_->engine.run(2);
    const bool retired = state.pc == code(s.word) + 4;
    for (unsigned i = 0; i < 4; ++i) s.x[i] = state.x[i];
    if (s.base < 4) s.x[s.base] -= kMemory;
    for (unsigned i = 0; i < 8; ++i) s.v[i] = state.v[i].d;
    s.fpsr = state.fpsr;
    s.nzcv = state.nzcv;
    std::memcpy(s.memory.data(), &machine_->ram[kMemory - FlatMachine::kRam], s.memory.size());
    return retired;
  }

 private:
  static constexpr std::uint64_t kMemory = FlatMachine::kRam + 0x1000;
  static std::uint64_t code(std::size_t i) { return FlatMachine::kRam + 0x10000 + 8 * i; }
  std::unique_ptr<FlatMachine> machine_;
};

// How many octets around its address an instruction may reach, for keeping it within the oracle's memory.
constexpr unsigned kReach = 64;

// @param memory whether the rows are loads and stores; x[base] is then an offset that keeps them within the memory
void compare_rows(std::span<const Entry> rows, unsigned words_per_row, unsigned cases_per_word, bool memory,
                  std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Case> drawn;
  std::vector<std::uint32_t> words;
  std::vector<OracleState> cases;
  for (const Entry& row : rows) {
    if (memory && std::string(row.text).find("literal") != std::string::npos) continue;  // relative to the guest's code
    unsigned undefined = 0;
    for (unsigned w = 0; w < words_per_row;) {
      Case c{&row, draw_word(row, random), 0};
      if (!decodes(row, c.word, c.offset)) {
        REQUIRE(++undefined < 1000);
        continue;
      }
      ++w;
      drawn.push_back(c);
      words.push_back(c.word);
      for (unsigned n = 0; n < cases_per_word; ++n) {
        OracleState s;
        s.word = static_cast<std::uint32_t>(words.size() - 1);
        s.fpcr = test::random_fpcr(random);
        s.fpsr = n % 3 == 0 ? fp::kFpsrIxc : 0;
        s.nzcv = static_cast<std::uint32_t>(random() & 15) << 28;
        constexpr int kWidths[] = {8, 16, 32, 64, 0};
        const int width = kWidths[random() % 5];
        for (auto& v : s.v) v = {random_half(random, width), random_half(random, width)};
        for (auto& x : s.x) x = test::random_integer(random);
        for (auto& byte : s.memory) byte = static_cast<std::uint8_t>(random());
        if (memory) {
          // The base is chosen so that the access lies within the memory; index registers are small.
          for (auto& x : s.x) x = random() % 4;
          s.base = c.word >> 5 & 3;
          const bool offset_first = has_field(row.pattern, "imm12") ||
                                    (has_field(row.pattern, "index") && (c.word >> 10 & 3) != 1) ||
                                    (has_field(row.pattern, "mode") && (c.word >> 23 & 3) != 1);
          s.x[s.base] = random() % (s.memory.size() - kReach + 1);
          if (offset_first) s.x[s.base] -= static_cast<std::uint64_t>(std::int64_t{c.offset});
        }
        cases.push_back(s);
      }
    }
  }
  INFO(rows.size() << " rows, " << words.size() << " words, " << cases.size() << " cases");
  const auto reference = test::run_oracle(words, cases);
  if (!reference) {
    WARN("skipped: qemu-aarch64 or aarch64-linux-gnu-gcc is not installed");
    return;
  }
  Ours machine(words);
  std::set<const Entry*> failing;
  std::ostringstream report;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Case& c = drawn[cases[i].word];
    OracleState ours = cases[i];
    if (!machine.run(ours)) {
      if (failing.insert(c.row).second) report << c.row->text << std::hex << " word " << c.word << " did not retire\n";
      continue;
    }
    OracleState expected = (*reference)[i];
    // qemu 7.2 leaves the sign extension of FCVTZS Hd, Hn, #fbits in bits 31..16; a scalar result clears all above it
    // (DDI 0487 C1.2.5, "the remaining bits are set to zero"; C7.2.90 V[d, esize] = result).
    if ((c.word & 0xff70fc00) == 0x5f10fc00) expected.v[c.word & 7][0] &= 0xffff;
    if (ours == expected || !failing.insert(c.row).second) continue;
    const OracleState& in = cases[i];
    std::ostringstream operands;
    operands << std::hex << " word " << c.word << " fpcr " << in.fpcr;
    for (unsigned r = 0; r < 8; ++r) operands << " v" << r << ' ' << in.v[r][1] << '_' << in.v[r][0];
    report << c.row->text << operands.str() << ": " << test::difference(ours, expected) << '\n';
  }
  INFO(report.str());
  CHECK(failing.empty());
}

}  // namespace

TEST_CASE("scalar FP instructions equal qemu-aarch64", "[fp][simd][oracle]") {
  compare_rows(fp_entries(), 6, 40, false, 1);
}
TEST_CASE("SIMD instructions equal qemu-aarch64", "[simd][oracle]") { compare_rows(simd_entries(), 12, 16, false, 2); }
TEST_CASE("SIMD loads and stores equal qemu-aarch64", "[simd][oracle]") {
  compare_rows(simd_memory_entries(), 12, 8, true, 5);
}
TEST_CASE("cryptographic instructions equal qemu-aarch64", "[simd][oracle]") {
  compare_rows(crypto_entries(), 20, 20, false, 6);
}
