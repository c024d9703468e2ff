// The two machines that `exec` is compiled over: Fast does what the software TLB can answer, Slow does everything.
#pragma once

#include <cstring>

#include "cpu/a64/engine/machine.h"
#include "cpu/a64/isa/instruction.h"

namespace dpusim::cpu {

/// Registers and flags: what both machines share.
class Registers {
 public:
  explicit Registers(Machine& machine) : machine_(machine) {}
  /// A general register slot. Write only slots that write_x or sp_or_x gave.
  [[nodiscard]] std::uint64_t& x(unsigned slot) { return machine_.state.x[slot]; }
  [[nodiscard]] std::uint32_t w(unsigned slot) const { return static_cast<std::uint32_t>(machine_.state.x[slot]); }
  /// A slot as T (uint32_t or uint64_t); writes of 32 bits clear the upper half.
  template <class T>
  [[nodiscard]] T get(unsigned slot) const {
    return static_cast<T>(machine_.state.x[slot]);
  }
  template <class T>
  void set(unsigned slot, T value) {
    machine_.state.x[slot] = value;
  }
  [[nodiscard]] Vector& v(unsigned number) { return machine_.state.v[number]; }
  [[nodiscard]] Flags& flags() { return machine_.flags; }
  [[nodiscard]] std::uint32_t& fpcr() { return machine_.state.fpcr; }
  [[nodiscard]] std::uint32_t& fpsr() { return machine_.state.fpsr; }
  [[nodiscard]] CpuState& state() { return machine_.state; }

 protected:
  Machine& machine_;
};

/// The machine of the hot path: no calls, no exceptions; an access that it cannot make returns false and is done again
/// by Slow.
/// @tparam kShift log2 of the software TLB's granule: 12, or 6 when cache lines are timed.
template <unsigned kShift>
class Fast : public Registers {
 public:
  using Registers::Registers;
  static constexpr std::uint64_t kMask = ~((std::uint64_t{1} << kShift) - 1);

  /// Loads a naturally aligned T of at most 8 octets, or a Vector of any alignment.
  template <class T>
  bool load(std::uint64_t va, T& value) {
    const TlbEntry& e = entry(va);
    if (!hits(e, e.read_tag, va, sizeof(T))) [[unlikely]]
      return false;
    std::memcpy(&value, host(e, va), sizeof(T));
    return true;
  }
  template <class T>
  bool store(std::uint64_t va, const T& value) {
    const TlbEntry& e = entry(va);
    if (!hits(e, e.write_tag, va, sizeof(T))) [[unlikely]]
      return false;
    std::memcpy(host(e, va), &value, sizeof(T));
    return true;
  }
  /// Loads two neighbours; both or neither.
  template <class T>
  bool load_pair(std::uint64_t va, T& first, T& second) {
    const TlbEntry& e = entry(va);
    if (!hits(e, e.read_tag, va, sizeof(T)) || ((va + 2 * sizeof(T) - 1) & kMask) != e.read_tag) [[unlikely]]
      return false;
    std::memcpy(&first, host(e, va), sizeof(T));
    std::memcpy(&second, host(e, va) + sizeof(T), sizeof(T));
    return true;
  }
  template <class T>
  bool store_pair(std::uint64_t va, const T& first, const T& second) {
    const TlbEntry& e = entry(va);
    if (!hits(e, e.write_tag, va, sizeof(T)) || ((va + 2 * sizeof(T) - 1) & kMask) != e.write_tag) [[unlikely]]
      return false;
    std::memcpy(host(e, va), &first, sizeof(T));
    std::memcpy(host(e, va) + sizeof(T), &second, sizeof(T));
    return true;
  }
  /// Loads and stores `count` whole octets (vector structures); within one granule only.
  bool load_bytes(std::uint64_t va, void* data, unsigned count) {
    const TlbEntry& e = entry(va);
    if ((va & kMask) != e.read_tag || ((va + count - 1) & kMask) != e.read_tag || (e.physical & 1) != 0) return false;
    std::memcpy(data, host(e, va), count);
    return true;
  }
  bool store_bytes(std::uint64_t va, const void* data, unsigned count) {
    const TlbEntry& e = entry(va);
    if ((va & kMask) != e.write_tag || ((va + count - 1) & kMask) != e.write_tag || (e.physical & 1) != 0) return false;
    std::memcpy(host(e, va), data, count);
    return true;
  }
  /// Asks that the accesses of this instruction be aligned whatever the memory type. Here they always are.
  void require_alignment() {}
  /// Reads a T, lets `f` compute what to store, stores it, atomically. @param old what was read.
  template <class T, class F>
  bool read_modify_write(std::uint64_t va, T& old, F&& f) {
    const TlbEntry& e = entry(va);
    if (!hits(e, e.read_tag, va, sizeof(T)) || e.write_tag != e.read_tag) [[unlikely]]
      return false;
    std::memcpy(&old, host(e, va), sizeof(T));
    const T value = f(old);
    std::memcpy(host(e, va), &value, sizeof(T));
    return true;
  }

 private:
  [[nodiscard]] const TlbEntry& entry(std::uint64_t va) const {
    return machine_.tlb[(va >> kShift) & (kTlbEntries - 1)];
  }
  static std::uint8_t* host(const TlbEntry& e, std::uint64_t va) {
    return reinterpret_cast<std::uint8_t*>(va + e.addend);
  }
  static bool hits(const TlbEntry& e, std::uint64_t tag, std::uint64_t va, unsigned size) {
    // One compare is translation, permission and alignment; unaligned scalars are rare enough for the slow path.
    // Vectors are not.
    if (size <= 8) return (va & (kMask | (size - 1))) == tag;
    return ((va + size - 1) & kMask) == tag && ((va & 15 & -(e.physical & 1)) == 0);
  }
};

/// The machine of the slow path and of system instructions: translates, checks, reaches devices, and records faults.
class Slow : public Registers {
 public:
  using Registers::Registers;
  template <class T>
  bool load(std::uint64_t va, T& value) {
    return read(va, &value, sizeof(T));
  }
  template <class T>
  bool store(std::uint64_t va, const T& value) {
    return write(va, &value, sizeof(T));
  }
  template <class T>
  bool load_pair(std::uint64_t va, T& first, T& second) {
    T data[2];
    if (!read_elements(va, data, sizeof(T), 2)) return false;
    first = data[0];
    second = data[1];
    return true;
  }
  template <class T>
  bool store_pair(std::uint64_t va, const T& first, const T& second) {
    const T data[2] = {first, second};
    return write_elements(va, data, sizeof(T), 2);
  }
  bool load_bytes(std::uint64_t va, void* data, unsigned count) { return read_elements(va, data, 1, count); }
  bool store_bytes(std::uint64_t va, const void* data, unsigned count) { return write_elements(va, data, 1, count); }
  template <class T, class F>
  bool read_modify_write(std::uint64_t va, T& old, F&& f) {
    std::uint8_t* place = atomic_place(va, sizeof(T));
    if (place == nullptr) return false;
    std::memcpy(&old, place, sizeof(T));
    const T value = f(old);
    std::memcpy(place, &value, sizeof(T));
    return true;
  }

  // --- Beyond what Fast has: for instructions that are always slow ---
  void require_alignment() { aligned_ = true; }
  /// Makes the accesses of this instruction those of EL0 (LDTR, STTR).
  void set_unprivileged(bool on) { unprivileged_ = on; }
  /// Reads aligned octets for a load-exclusive and marks them. @param size 1..16
  bool load_exclusive(std::uint64_t va, void* data, unsigned size);
  /// Writes for a store-exclusive if the mark still stands and memory has the marked value. @param status 0 stored, 1
  /// not.
  bool store_exclusive(std::uint64_t va, const void* data, unsigned size, std::uint32_t& status);
  /// Checks a 16-octet pair for CASP and gives host memory; nullptr with a fault recorded.
  std::uint8_t* atomic_place(std::uint64_t va, unsigned size);
  /// Zeroes the 64-octet block at `va` (DC ZVA).
  bool zero_block(std::uint64_t va, unsigned rt);

  [[nodiscard]] System& system() { return *machine_.system; }
  [[nodiscard]] std::uint64_t pc() const { return machine_.block->pc + 4 * machine_.block->index_of(machine_.op); }
  [[nodiscard]] Machine& machine() { return machine_; }
  /// Takes a synchronous exception of this instruction.
  Outcome raise(const Exception& exception);
  Outcome undefined() { return raise({.ec = ExceptionClass::kUnknown}); }
  /// Turns what System answered into the block's way on; state.pc is System's.
  Outcome follow(Flow flow) {
    machine_.flow = flow;
    return Outcome::kLeave;
  }
  /// Accounts for a barrier.
  void barrier(Cost cost);
  /// Reports an encoding that is not implemented, once a word.
  void report_unimplemented(std::uint32_t word);

 private:
  bool read(std::uint64_t va, void* data, unsigned size);
  bool write(std::uint64_t va, const void* data, unsigned size);
  bool read_elements(std::uint64_t va, void* data, unsigned size, unsigned count);
  bool write_elements(std::uint64_t va, const void* data, unsigned size, unsigned count);
  bool unprivileged_ = false, aligned_ = false;
};

}  // namespace dpusim::cpu
