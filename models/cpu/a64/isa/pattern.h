// Bit patterns of instructions, written as the Arm ARM's encoding diagrams are, from bit 31 down to bit 0.
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string_view>

namespace dpusim::cpu {

/// A field's name, at most eight characters, packed into a number so that looking it up is one comparison.
struct FieldName {
  std::uint64_t packed = 0;
  constexpr FieldName() = default;
  constexpr FieldName(std::string_view text) {  // NOLINT(google-explicit-constructor)
    if (text.empty() || text.size() > 8) throw std::logic_error("a field name has one to eight characters");
    for (const char c : text) packed = (packed << 8) | static_cast<unsigned char>(c);
  }
  constexpr FieldName(const char* text) : FieldName(std::string_view(text)) {}  // NOLINT(google-explicit-constructor)
  constexpr bool operator==(const FieldName&) const = default;
};

/// The encodings of one instruction: fixed bits, named fields, and values that a field must not have.
///
/// Text: groups of 0 and 1 are fixed bits; `name` is a field of one bit, `name:n` of n bits; `x` is a bit that does not
/// matter. Example: "sf 0 0 100010 sh imm12:12 Rn:5 Rd:5". What does not come to 32 bits fails to compile.
class Pattern {
 public:
  struct Field {
    FieldName name;
    std::uint8_t low = 0, width = 0;
  };
  /// Words that agree with `value` under `mask` do not belong to the pattern.
  struct Exclusion {
    std::uint32_t mask = 0, value = 0;
  };

  constexpr Pattern(const char* text) {  // NOLINT(google-explicit-constructor)
    unsigned bit = 32;
    const std::string_view all(text);
    for (std::size_t at = 0; at < all.size();) {
      if (all[at] == ' ') {
        ++at;
        continue;
      }
      std::size_t end = all.find(' ', at);
      if (end == std::string_view::npos) end = all.size();
      take(all.substr(at, end - at), bit);
      at = end;
    }
    if (bit != 0) throw std::logic_error("a pattern has 32 bits");
  }

  /// Fixes a field to a value; it stays readable.
  [[nodiscard]] constexpr Pattern fix(FieldName name, std::uint32_t value) const {
    Pattern result = *this;
    const Field f = field(name);
    if (f.width < 32 && (value >> f.width) != 0) throw std::logic_error("value does not fit the field");
    result.mask_ |= mask_of(f);
    result.value_ = (result.value_ & ~mask_of(f)) | (value << f.low);
    return result;
  }
  /// Excludes the words whose field has this value.
  [[nodiscard]] constexpr Pattern except(FieldName name, std::uint32_t value) const {
    const Field f = field(name);
    return except_bits(mask_of(f), value << f.low);
  }
  /// Excludes the words where both fields have these values.
  [[nodiscard]] constexpr Pattern except(FieldName a, std::uint32_t value_a, FieldName b, std::uint32_t value_b) const {
    const Field fa = field(a), fb = field(b);
    return except_bits(mask_of(fa) | mask_of(fb), (value_a << fa.low) | (value_b << fb.low));
  }
  [[nodiscard]] constexpr Pattern except_bits(std::uint32_t mask, std::uint32_t value) const {
    Pattern result = *this;
    if (result.exclusion_count_ == result.exclusions_.size()) throw std::logic_error("too many exclusions");
    result.exclusions_[result.exclusion_count_++] = {mask, value};
    return result;
  }

  [[nodiscard]] constexpr bool matches(std::uint32_t word) const {
    if ((word & mask_) != value_) return false;
    for (unsigned i = 0; i < exclusion_count_; ++i)
      if ((word & exclusions_[i].mask) == exclusions_[i].value) return false;
    return true;
  }
  /// Returns the field of that name. @error std::logic_error when there is none: the instruction's author slipped.
  [[nodiscard]] constexpr Field field(FieldName name) const {
    for (unsigned i = 0; i < field_count_; ++i)
      if (fields_[i].name == name) return fields_[i];
    throw std::logic_error("no such field in the pattern");
  }
  [[nodiscard]] constexpr std::uint32_t mask() const { return mask_; }
  [[nodiscard]] constexpr std::uint32_t value() const { return value_; }
  /// Tells whether some word may belong to both. Exact unless two exclusions only together rule a word out.
  [[nodiscard]] constexpr bool overlaps(const Pattern& other) const {
    if (((value_ ^ other.value_) & mask_ & other.mask_) != 0) return false;
    const std::uint32_t mask = mask_ | other.mask_, value = value_ | other.value_;
    return !excludes(mask, value) && !other.excludes(mask, value);
  }

 private:
  static constexpr std::uint32_t mask_of(const Field& f) {
    return (f.width == 32 ? ~0u : (1u << f.width) - 1) << f.low;
  }
  [[nodiscard]] constexpr bool excludes(std::uint32_t mask, std::uint32_t value) const {
    for (unsigned i = 0; i < exclusion_count_; ++i) {
      const Exclusion& e = exclusions_[i];
      if ((e.mask & mask) == e.mask && (value & e.mask) == e.value) return true;
    }
    return false;
  }
  constexpr void take(std::string_view token, unsigned& bit) {
    if (token[0] == '0' || token[0] == '1' || token[0] == 'x') {
      for (const char c : token) {
        if (bit == 0) throw std::logic_error("a pattern has 32 bits");
        --bit;
        if (c == 'x') continue;
        mask_ |= 1u << bit;
        if (c == '1') value_ |= 1u << bit;
      }
      return;
    }
    const std::size_t colon = token.find(':');
    unsigned width = 1;
    if (colon != std::string_view::npos) {
      width = 0;
      for (const char c : token.substr(colon + 1)) width = width * 10 + static_cast<unsigned>(c - '0');
    }
    if (width == 0 || width > bit) throw std::logic_error("a pattern has 32 bits");
    bit -= width;
    if (field_count_ == fields_.size()) throw std::logic_error("too many fields");
    fields_[field_count_++] = {FieldName(token.substr(0, colon)), static_cast<std::uint8_t>(bit),
                               static_cast<std::uint8_t>(width)};
  }

  std::uint32_t mask_ = 0, value_ = 0;
  std::array<Field, 12> fields_{};
  std::array<Exclusion, 6> exclusions_{};
  unsigned field_count_ = 0, exclusion_count_ = 0;
};

}  // namespace dpusim::cpu
