// LD1..LD4, ST1..ST4 (multiple and single structures) and LD1R..LD4R. @spec Arm ARM C4.1.88 (Advanced SIMD load/store
// structures)
#pragma once

#include <cstring>

#include "cpu/a64/isa/simd_memory.h"

namespace dpusim::cpu::simd {

/// The base register's way on, for both classes: none, by the octets accessed (Rm = 31), or by a register.
template <class M>
inline void post_index(M& m, const Op& op, std::uint64_t bytes) {
  m.x(op.n) += op.m == kZeroSlot ? bytes : m.x(op.m);
}

/// LDn, STn (multiple structures): kElements-way interleaving of kRegisters registers (LD1 of several registers does
/// not interleave).
template <unsigned kOpcode, unsigned kRegisters, unsigned kElements, bool kLoad, bool kPost>
struct StructureMultiple : SimdAccess {
  static constexpr Pattern pattern = (kPost ? Pattern("0 Q 0011001 L 0 Rm:5 opcode:4 size:2 Rn:5 Vt:5")
                                            : Pattern("0 Q 0011000 L 000000 opcode:4 size:2 Rn:5 Vt:5"))
                                         .fix("L", kLoad)
                                         .fix("opcode", kOpcode);
  static constexpr const char* text = kLoad ? "ld1-ld4 (multiple)" : "st1-st4 (multiple)";
  static constexpr Cost cost = kLoad ? Cost::kVectorLoad : Cost::kVectorStore;
  static bool decode(const Fields& f, Op& op) {
    op.d = static_cast<std::uint8_t>(f("Vt"));
    op.n = sp_or_x(f("Rn"));
    if constexpr (kPost) op.m = read_x(f("Rm"));
    op.a = static_cast<std::uint8_t>(f("size"));
    op.imm = f("Q") != 0 ? 16 : 8;
    return kElements == 1 || op.a != 3 || op.imm == 16;
  }
  template <class M>
  static bool exec(M& m, const Op& op) {
    const auto width = static_cast<unsigned>(op.imm);
    std::array<std::uint8_t, 16 * kRegisters> memory{};
    const std::uint64_t va = m.x(op.n);
    if constexpr (kLoad) {
      if (!m.load_bytes(va, memory.data(), width * kRegisters)) return false;
      std::array<Vector, kRegisters> result{};
      move<true>(memory.data(), result.data(), width, op.a);
      for (unsigned r = 0; r < kRegisters; ++r) m.v((op.d + r) & 31) = result[r];
    } else {
      std::array<Vector, kRegisters> source{};
      for (unsigned r = 0; r < kRegisters; ++r) source[r] = m.v((op.d + r) & 31);
      move<false>(memory.data(), source.data(), width, op.a);
      if (!m.store_bytes(va, memory.data(), width * kRegisters)) return false;
    }
    if constexpr (kPost) post_index(m, op, width * kRegisters);
    return true;
  }

 private:
  // Moves between memory order and registers. @param size element size code
  template <bool kToRegisters>
  static void move(std::uint8_t* memory, Vector* registers, unsigned width, unsigned size) {
    const auto copy = [](std::uint8_t* in_memory, std::uint8_t* in_register, unsigned n) {
      if constexpr (kToRegisters)
        std::memcpy(in_register, in_memory, n);
      else
        std::memcpy(in_memory, in_register, n);
    };
    const auto bytes_of = [&](unsigned r) { return reinterpret_cast<std::uint8_t*>(registers[r].d.data()); };
    if constexpr (kElements == 1) {
      for (unsigned r = 0; r < kRegisters; ++r) copy(memory + r * width, bytes_of(r), width);
    } else {
      by_size(size, [&]<class T>() {
        constexpr auto kSize = static_cast<unsigned>(sizeof(T));
        for (unsigned e = 0; e < width / kSize; ++e)
          for (unsigned r = 0; r < kElements; ++r)
            copy(memory + (e * kElements + r) * kSize, bytes_of(r) + e * kSize, kSize);
      });
    }
  }
};

/// LDn, STn (single structure) of element type T: one element of each of kElements registers.
template <class T, unsigned kElements, bool kLoad, bool kPost>
struct StructureSingle : SimdAccess {
  static constexpr unsigned log_size = std::countr_zero(sizeof(T));
  static constexpr Pattern base = (kPost ? Pattern("0 Q 0011011 L R Rm:5 scale:2 e S size:2 Rn:5 Vt:5")
                                         : Pattern("0 Q 0011010 L R 00000 scale:2 e S size:2 Rn:5 Vt:5"))
                                      .fix("L", kLoad)
                                      .fix("R", (kElements - 1) & 1)
                                      .fix("e", (kElements - 1) >> 1)
                                      .fix("scale", log_size == 3 ? 2 : log_size);
  // The element's index is Q:S:size, without the bits that the element size takes.
  static constexpr Pattern pattern = log_size == 0   ? base
                                     : log_size == 1 ? base.except_bits(0x400, 0x400)
                                     : log_size == 2 ? base.fix("size", 0)
                                                     : base.fix("size", 1).fix("S", 0);
  static constexpr const char* text = kLoad ? "ld1-ld4 (single)" : "st1-st4 (single)";
  static constexpr Cost cost = kLoad ? Cost::kVectorLoad : Cost::kVectorStore;
  static bool decode(const Fields& f, Op& op) {
    op.d = static_cast<std::uint8_t>(f("Vt"));
    op.n = sp_or_x(f("Rn"));
    if constexpr (kPost) op.m = read_x(f("Rm"));
    op.imm = static_cast<std::int32_t>((f("Q") << 3 | f("S") << 2 | f("size")) >> log_size);
    return true;
  }
  template <class M>
  static bool exec(M& m, const Op& op) {
    std::array<T, kElements> memory{};
    const std::uint64_t va = m.x(op.n);
    const auto index = static_cast<unsigned>(op.imm);
    if constexpr (kLoad) {
      if (!m.load_bytes(va, memory.data(), sizeof(memory))) return false;
      for (unsigned r = 0; r < kElements; ++r) {
        Vector& v = m.v((op.d + r) & 31);
        Lanes<T> l = lanes<T>(v);
        l[index] = memory[r];
        v = vector_of<T>(l);
      }
    } else {
      for (unsigned r = 0; r < kElements; ++r) memory[r] = lanes<T>(m.v((op.d + r) & 31))[index];
      if (!m.store_bytes(va, memory.data(), sizeof(memory))) return false;
    }
    if constexpr (kPost) post_index(m, op, sizeof(memory));
    return true;
  }
};

/// LD1R..LD4R: one structure to all elements.
template <unsigned kElements, bool kPost>
struct StructureReplicate : SimdAccess {
  static constexpr Pattern pattern = (kPost ? Pattern("0 Q 0011011 1 R Rm:5 11 e 0 size:2 Rn:5 Vt:5")
                                            : Pattern("0 Q 0011010 1 R 00000 11 e 0 size:2 Rn:5 Vt:5"))
                                         .fix("R", (kElements - 1) & 1)
                                         .fix("e", (kElements - 1) >> 1);
  static constexpr const char* text = "ld1r-ld4r";
  static constexpr Cost cost = Cost::kVectorLoad;
  static bool decode(const Fields& f, Op& op) {
    op.d = static_cast<std::uint8_t>(f("Vt"));
    op.n = sp_or_x(f("Rn"));
    if constexpr (kPost) op.m = read_x(f("Rm"));
    op.a = static_cast<std::uint8_t>(f("size"));
    op.imm = f("Q") != 0 ? 16 : 8;
    return true;
  }
  template <class M>
  static bool exec(M& m, const Op& op) {
    bool done = false;
    by_size(op.a, [&]<class T>() {
      std::array<T, kElements> memory{};
      if (!m.load_bytes(m.x(op.n), memory.data(), sizeof(memory))) return;
      for (unsigned r = 0; r < kElements; ++r) {
        Lanes<T> l;
        l.fill(memory[r]);
        m.v((op.d + r) & 31) = keep_low(vector_of<T>(l), op.imm);
      }
      if constexpr (kPost) post_index(m, op, sizeof(memory));
      done = true;
    });
    return done;
  }
};

template <bool kLoad, bool kPost>
using StructureMultiples =
    InstructionList<StructureMultiple<0b0000, 4, 4, kLoad, kPost>, StructureMultiple<0b0010, 4, 1, kLoad, kPost>,
                    StructureMultiple<0b0100, 3, 3, kLoad, kPost>, StructureMultiple<0b0110, 3, 1, kLoad, kPost>,
                    StructureMultiple<0b0111, 1, 1, kLoad, kPost>, StructureMultiple<0b1000, 2, 2, kLoad, kPost>,
                    StructureMultiple<0b1010, 2, 1, kLoad, kPost>>;
template <class T, bool kLoad, bool kPost>
using StructureSinglesOf = InstructionList<StructureSingle<T, 1, kLoad, kPost>, StructureSingle<T, 2, kLoad, kPost>,
                                           StructureSingle<T, 3, kLoad, kPost>, StructureSingle<T, 4, kLoad, kPost>>;
template <bool kLoad, bool kPost>
using StructureSingles =
    Join<StructureSinglesOf<std::uint8_t, kLoad, kPost>, StructureSinglesOf<std::uint16_t, kLoad, kPost>,
         StructureSinglesOf<std::uint32_t, kLoad, kPost>, StructureSinglesOf<std::uint64_t, kLoad, kPost>>;
template <bool kPost>
using StructureReplicates = InstructionList<StructureReplicate<1, kPost>, StructureReplicate<2, kPost>,
                                            StructureReplicate<3, kPost>, StructureReplicate<4, kPost>>;

using SimdStructures =
    Join<StructureMultiples<false, false>, StructureMultiples<true, false>, StructureMultiples<false, true>,
         StructureMultiples<true, true>, StructureSingles<false, false>, StructureSingles<true, false>,
         StructureSingles<false, true>, StructureSingles<true, true>, StructureReplicates<false>,
         StructureReplicates<true>>;

}  // namespace dpusim::cpu::simd
