#include "cpu/a64/timing/static_cost.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace dpusim::cpu {

namespace {

using Unit = ClassTiming::Unit;

// By Cost, in its order. Latencies: B012 ALU 1, B013 shifted 2, B014/B015 MUL 3/5, B017/B018 DIV 19/35 (LLVM's worst
// case; lmbench measures 6..8 for small operands, rows B030, B031, which is used here), B010 load 4, B023 store 1, B019
// FADD 3 (4 measured, B034), B020 FMUL 4 measured (B035), B021 FDIV 17, B022 vector load 5, B024 AES 3, B026 CRC 3.
constexpr std::array<ClassTiming, kCosts> kA72{{
    {1, 1, Unit::kInteger},    {2, 1, Unit::kMultiCycle}, {1, 1, Unit::kInteger},    {3, 1, Unit::kMultiCycle},
    {5, 3, Unit::kMultiCycle}, {8, 8, Unit::kMultiCycle}, {3, 1, Unit::kMultiCycle}, {4, 1, Unit::kLoad},
    {4, 2, Unit::kLoad},       {1, 1, Unit::kStore},      {1, 2, Unit::kStore},      {8, 8, Unit::kLoad},
    {4, 4, Unit::kLoad},       {1, 1, Unit::kBranch},     {1, 1, Unit::kBranch},     {1, 1, Unit::kBranch},
    {1, 1, Unit::kBranch},     {1, 1, Unit::kBranch},     {8, 8, Unit::kNone},       {4, 4, Unit::kNone},
    {4, 4, Unit::kNone},       {1, 1, Unit::kNone},       {3, 1, Unit::kVector},     {4, 1, Unit::kVector},
    {4, 1, Unit::kVector},     {7, 1, Unit::kVector},     {17, 15, Unit::kVector},   {17, 15, Unit::kVector},
    {3, 1, Unit::kVector},     {3, 1, Unit::kVector},     {3, 1, Unit::kVector},     {3, 1, Unit::kVector},
    {5, 1, Unit::kVector},     {3, 1, Unit::kVector},     {6, 1, Unit::kVector},     {4, 1, Unit::kVector},
    {4, 1, Unit::kVector},     {7, 1, Unit::kVector},     {17, 15, Unit::kVector},   {17, 15, Unit::kVector},
    {5, 1, Unit::kLoad},       {1, 1, Unit::kStore},      {5, 1, Unit::kVector},     {5, 1, Unit::kVector},
    {3, 1, Unit::kVector},
}};

constexpr CoreTiming make_a72() {
  // Two integer pipes, one multi-cycle, one load, one store, one branch, two FP/SIMD; system instructions serialise on
  // one.
  return {.dispatch_width = 3, .classes = kA72, .units = {2, 1, 1, 1, 1, 2, 1}, .mispredict = 14};
}
constexpr CoreTiming make_a78() {
  return {.dispatch_width = 4, .classes = kA72, .units = {3, 1, 2, 2, 2, 2, 1}, .mispredict = 12};
}

// Registers that a word reads and writes, as numbers 0..30 general, 32..63 vector, 64 flags. Missing a register makes a
// path shorter, so what is not recognised costs nothing.
struct Registers {
  std::array<std::uint8_t, 4> sources{};
  std::array<std::uint8_t, 3> targets{};
  unsigned source_count = 0, target_count = 0;
  void reads(unsigned r) {
    if (r != 31) sources[source_count++] = static_cast<std::uint8_t>(r);
  }
  void writes(unsigned r) {
    if (r != 31) targets[target_count++] = static_cast<std::uint8_t>(r);
  }
};
constexpr unsigned kVectorBase = 32, kFlags = 64, kNumbers = 65;

bool is_store(Cost cost) { return cost == Cost::kStore || cost == Cost::kStorePair || cost == Cost::kVectorStore; }

Registers registers_of(const CostedOp& op) {
  const std::uint32_t w = op.word;
  const unsigned d = w & 31, n = (w >> 5) & 31, a = (w >> 10) & 31, m = (w >> 16) & 31;
  Registers r;
  const unsigned group = (w >> 25) & 15;
  if ((group & 0b1110) == 0b1000) {  // data processing, immediate
    const unsigned kind = (w >> 23) & 7;
    if (kind <= 1) {
      r.writes(d);
      return r;
    }  // ADR, ADRP
    if (kind == 5) {
      if (((w >> 29) & 3) == 3) r.reads(d);
      r.writes(d);
      return r;
    }  // MOVN, MOVZ, MOVK
    r.reads(n);
    r.writes(d);
    if ((kind == 2 && ((w >> 29) & 1) != 0) || (kind == 4 && ((w >> 29) & 3) == 3)) r.writes(kFlags);
  } else if ((group & 0b0101) == 0b0100) {  // loads and stores
    const bool vector = ((w >> 26) & 1) != 0;
    const bool pair = op.cost == Cost::kLoadPair || op.cost == Cost::kStorePair;
    const unsigned data = vector ? d + kVectorBase : d;
    if (((w >> 27) & 7) == 0b011 && ((w >> 24) & 1) == 0) {
      r.writes(data);
      return r;
    }  // literal
    r.reads(n);
    if (is_store(op.cost))
      r.reads(data);
    else
      r.writes(data);
    if (pair && !is_store(op.cost)) r.writes(vector ? a + kVectorBase : a);
  } else if ((group & 0b0111) == 0b0101) {  // data processing, register
    r.reads(n);
    r.reads(m);
    r.writes(d);
    const bool three_source = ((w >> 24) & 31) == 0b11011;
    if (three_source) r.reads(a);
    const bool select = ((w >> 21) & 0xff) == 0b11010100;
    if (select) r.reads(kFlags);
    const bool add_sub = ((w >> 24) & 31) == 0b01011, logical = ((w >> 24) & 31) == 0b01010;
    if ((add_sub && ((w >> 29) & 1) != 0) || (logical && ((w >> 29) & 3) == 3)) r.writes(kFlags);
  } else if ((group & 0b0111) == 0b0111) {  // FP and SIMD
    r.reads(n + kVectorBase);
    r.reads(m + kVectorBase);
    r.writes(d + kVectorBase);
    if (op.cost == Cost::kFpFma) r.reads(a + kVectorBase);
    if (op.cost == Cost::kVectorFpFma) r.reads(d + kVectorBase);
  } else if (op.cost == Cost::kBranchConditional) {
    r.reads((w >> 25) == 0b0101010 ? kFlags : d);
  }
  return r;
}

// Longest path from a register's entry value to a later value of the same register, over all registers. A later
// overwrite does not shorten it, so that the cost of a prefix never exceeds the whole's.
unsigned longest_recurrence(const CoreTiming& core, std::span<const CostedOp> ops, std::span<const Registers> decoded) {
  unsigned longest = 0;
  std::array<bool, kNumbers> tried{};
  for (const Registers& first : decoded) {
    for (unsigned i = 0; i < first.source_count; ++i) {
      const unsigned root = first.sources[i];
      if (std::exchange(tried[root], true)) continue;
      // When each register is ready, counted from the root's entry value; -1 when it does not depend on it.
      std::array<std::int32_t, kNumbers> ready;
      ready.fill(-1);
      ready[root] = 0;
      for (std::size_t k = 0; k < ops.size(); ++k) {
        std::int32_t start = -1;
        for (unsigned s = 0; s < decoded[k].source_count; ++s) start = std::max(start, ready[decoded[k].sources[s]]);
        const std::int32_t end = start < 0 ? -1 : start + core.classes[static_cast<unsigned>(ops[k].cost)].latency;
        for (unsigned t = 0; t < decoded[k].target_count; ++t) ready[decoded[k].targets[t]] = end;
        longest = std::max(longest, static_cast<unsigned>(std::max(ready[root], 0)));
      }
    }
  }
  return longest;
}

}  // namespace

const CoreTiming& cortex_a72_timing() {
  static constexpr CoreTiming timing = make_a72();
  return timing;
}
const CoreTiming& cortex_a78_timing() {
  static constexpr CoreTiming timing = make_a78();
  return timing;
}

std::uint32_t static_cost(const CoreTiming& core, std::span<const CostedOp> ops) {
  if (ops.empty()) return 0;
  std::array<std::uint32_t, 7> busy{};
  std::vector<Registers> decoded;
  decoded.reserve(ops.size());
  for (const CostedOp& op : ops) {
    const ClassTiming& timing = core.classes[static_cast<unsigned>(op.cost)];
    busy[timing.unit] += timing.occupancy;
    decoded.push_back(registers_of(op));
  }
  auto bound = static_cast<std::uint32_t>((ops.size() + core.dispatch_width - 1) / core.dispatch_width);
  for (std::size_t unit = 0; unit < busy.size(); ++unit)
    bound = std::max(bound, (busy[unit] + core.units[unit] - 1) / core.units[unit]);
  return std::max<std::uint32_t>(bound, longest_recurrence(core, ops, decoded));
}

}  // namespace dpusim::cpu
