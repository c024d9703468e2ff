// Memory-mapped registers: a device's table comes from its <m>.regs.json by tools/regs; a model writes hooks only.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "sim/error.h"

namespace dpusim {

/// One register, or an array of `count` equal ones `stride` octets apart, of a generated table. Masks say which bits
/// have which access of software: read and write, read-only (writes ignored), write-only (reads 0), write-one-to-clear,
/// read-to-clear (a read returns the bits and clears them; writes ignored). Bits in no mask read 0 and ignore writes.
struct RegisterInfo {
  std::string_view name;
  std::uint32_t offset;     ///< octets from the device's base
  std::uint8_t width;       ///< bits: 8, 16, 32 or 64
  std::uint8_t min_access;  ///< smallest access in octets that software may make; smaller ones are errors
  std::uint32_t count;      ///< 1 for a single register
  std::uint32_t stride;     ///< octets between array elements
  std::uint64_t reset;
  std::uint64_t rw_mask, ro_mask, wo_mask, w1c_mask, rc_mask;
};

/// Outcome of a bus access to a device.
enum class RegisterResult { kOk, kUnmapped, kBadSize };

/// Holds a device's register values and does partial accesses, byte enables, access classes and debug access.
///
/// Registers are named by their index in the table (the generated enum) and, for arrays, an element number. Data is
/// little-endian. An access must lie within one register or cover whole consecutive registers, and be naturally aligned
/// for its size (1, 2, 4, 8). It then acts on one register after the other, by rising offset. Its size, not its byte
/// enables, is held against min_access; a register with all lanes off is not accessed at all: no hook runs and nothing
/// is cleared.
class RegisterBank {
 public:
  using Element = std::uint32_t;
  /// Called by a read by software; returns the value of the whole register, of which software sees the readable bits
  /// (write-only bits and bits in no field read 0 all the same). Read-to-clear bits of the stored value are cleared
  /// after it.
  using ReadHook = std::function<std::uint64_t(Element)>;
  /// Called after the stored value was updated, with the merged new value and the old one; `written` has the raw bits
  /// software wrote (0 where byte enables were off), for write-one-to-act registers.
  struct Write {
    Element element;
    std::uint64_t value, old, written;
    std::uint64_t mask;  ///< the bits that byte enables and size selected
  };
  using WriteHook = std::function<void(const Write&)>;

  /// @param table generated; outlives the bank. @error Defect for a row that regs.py would refuse.
  explicit RegisterBank(std::span<const RegisterInfo> table);

  /// Returns or sets the stored value, without hooks and without access rules. @error Defect for an element or register
  /// that the table has not.
  [[nodiscard]] std::uint64_t get(unsigned reg, Element element = 0) const { return values_[index(reg, element)]; }
  void set(unsigned reg, std::uint64_t value, Element element = 0) { values_[index(reg, element)] = value; }
  /// Installs the value that software reads, computed. `pure` promises no side effect, so that debug access may call it
  /// too; otherwise debug access sees the stored value.
  void on_read(unsigned reg, ReadHook hook, bool pure);
  /// Installs what a write does beyond updating the stored value.
  void on_write(unsigned reg, WriteHook hook);
  /// Sets every register to its reset value; hooks stay.
  void reset();

  /// Does a bus access of data.size() octets at `offset`. `byte_enable` is empty or as long as data (0 = lane off).
  /// @return kUnmapped where no register is, kBadSize for a size or alignment that the register does not take; data
  /// unchanged.
  RegisterResult read(std::uint64_t offset, std::span<std::uint8_t> data,
                      std::span<const std::uint8_t> byte_enable = {});
  RegisterResult write(std::uint64_t offset, std::span<const std::uint8_t> data,
                       std::span<const std::uint8_t> byte_enable = {});
  /// Reads or writes for a debugger, at any size and alignment: no hook with a side effect runs, read-to-clear does not
  /// clear, a write puts the given bits into the stored value where it is rw, wo or w1c. Returns the number of octets
  /// done, up to the first unmapped one.
  std::size_t debug_read(std::uint64_t offset, std::span<std::uint8_t> data) const;
  std::size_t debug_write(std::uint64_t offset, std::span<const std::uint8_t> data);

  [[nodiscard]] std::span<const RegisterInfo> table() const { return table_; }

 private:
  /// Where an octet is: register, element, and octet within the element.
  struct Location {
    std::uint32_t reg, element, octet;
  };
  /// A run of the address space: one register, one array, several arrays of one stride that interleave, or one element
  /// of an array that interleaves irregularly.
  struct Region {
    std::uint32_t start;
    std::uint64_t end;
    std::uint32_t stride;       // 0 for a single register or element
    std::uint32_t first, last;  // its registers in order_
    std::uint32_t element;      // of a single element
  };
  [[nodiscard]] std::size_t index(unsigned reg, Element element) const {
    DPUSIM_CHECK(reg < table_.size() && element < table_[reg].count, "register {} element {}", reg, element);
    return first_[reg] + element;
  }
  void build_regions();
  void add_elements(std::uint32_t first, std::uint32_t last);
  bool find(std::uint64_t offset, Location& at) const;
  RegisterResult check(std::uint64_t offset, std::size_t size, Location& at) const;
  std::uint64_t read_one(const Location& at, std::uint64_t mask);
  void write_one(const Location& at, std::uint64_t written, std::uint64_t mask);

  std::span<const RegisterInfo> table_;
  std::vector<std::uint32_t> first_;  // index of a register's element 0 in values_
  std::vector<std::uint64_t> values_;
  std::vector<ReadHook> read_hooks_;
  std::vector<std::uint8_t> pure_;
  std::vector<WriteHook> write_hooks_;
  std::vector<std::uint32_t> order_;  // registers by offset
  std::vector<std::uint64_t> region_starts_;
  std::vector<Region> regions_;
};

}  // namespace dpusim
