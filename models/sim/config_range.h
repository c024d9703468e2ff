// Ranges of configuration fields: between(lo, hi), at_least(lo), power_of_two(lo, hi), one_of(...), items(lo, hi,
// range).
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <type_traits>
#include <typeindex>
#include <typeinfo>
#include <utility>
#include <vector>

#include "sim/config_scalar.h"
#include "sim/error.h"

namespace dpusim {

template <class T>
struct IsQuantity : std::false_type {};
template <class Tag, class Rep>
struct IsQuantity<Quantity<Tag, Rep>> : std::true_type {};

/// A type that one JSON scalar fills.
template <class T>
concept ConfigScalar =
    std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, std::string> || IsQuantity<T>::value;

/// Returns what the C++ type alone says of a scalar.
template <class T>
ScalarSpec make_spec() {
  static_assert(ConfigScalar<T>,
                "a field is a bool, integer, double, std::string, Quantity, enum, struct with table(), or vector");
  static_assert(!std::is_same_v<T, float>, "use double");
  ScalarSpec spec;
  if constexpr (std::is_same_v<T, bool>) {
    spec.kind = ScalarSpec::Kind::kBool;
  } else if constexpr (std::is_integral_v<T>) {
    spec.kind = ScalarSpec::Kind::kInteger;
    spec.min = std::numeric_limits<T>::min();
    spec.max = std::numeric_limits<T>::max();
  } else if constexpr (std::is_floating_point_v<T>) {
    spec.kind = ScalarSpec::Kind::kReal;
  } else if constexpr (std::is_enum_v<T>) {
    spec.kind = ScalarSpec::Kind::kEnum;
  } else if constexpr (IsQuantity<T>::value) {
    spec.kind = ScalarSpec::Kind::kQuantity;
    spec.dimension = &dimension<T>();
    spec.min = spec.dimension->min;
    spec.max = spec.dimension->max;
  } else {
    spec.kind = ScalarSpec::Kind::kString;
  }
  return spec;
}

/// Converts a field's value to a ScalarValue.
template <class T>
ScalarValue to_scalar(const T& value) {
  if constexpr (IsQuantity<T>::value) {
    return static_cast<Wide>(value.count());
  } else if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, double>) {
    return value;
  } else if constexpr (std::is_enum_v<T>) {
    return static_cast<Wide>(static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<Wide>(value);
  } else {
    return std::string(value);
  }
}

/// Converts back. @param value of the kind and within the limits that make_spec<T>() says.
template <class T>
T from_scalar(const ScalarValue& value) {
  if constexpr (IsQuantity<T>::value) {
    return T(static_cast<decltype(T().count())>(std::get<Wide>(value)));
  } else if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, double> || std::is_same_v<T, std::string>) {
    return std::get<T>(value);
  } else {
    return static_cast<T>(std::get<Wide>(value));
  }
}

/// Returns limit `from`, written for a field of type T, as T's scalar. Plain integers serve for counts without unit
/// only.
template <class T, class From>
ScalarValue limit_for(const From& from) {
  constexpr bool kSame = std::is_same_v<T, From>;
  constexpr bool kIntegers = std::is_integral_v<T> && std::is_integral_v<From> && !std::is_same_v<T, bool>;
  constexpr bool kReals = std::is_same_v<T, double> && std::is_arithmetic_v<From>;
  constexpr bool kCounts =
      (std::is_same_v<T, Cycles> || std::is_same_v<T, Address> || std::is_same_v<T, Bytes>)&&std::is_integral_v<From>;
  constexpr bool kTexts = std::is_same_v<T, std::string> && std::is_convertible_v<From, std::string>;
  static_assert(kSame || kIntegers || kReals || kCounts || kTexts,
                "the range is written in another type than the field");
  if constexpr (kReals) {
    return static_cast<double>(from);
  } else if constexpr (kTexts) {
    return std::string(from);
  } else {
    return to_scalar(from);
  }
}

/// Narrows `spec` to limits; what the C++ type cannot hold is our own mistake.
void set_lower(ScalarSpec& spec, const ScalarValue& limit);
void set_upper(ScalarSpec& spec, const ScalarValue& limit);

/// No range beyond the type's.
struct NoRange {
  template <class T>
  void apply(ScalarSpec& /*spec*/) const {
    static_assert(!std::is_enum_v<T>, "an enum field needs one_of() with names");
  }
};

/// From lo to hi, both included.
template <class Lo, class Hi>
struct Between {
  Lo lo;
  Hi hi;
  template <class T>
  void apply(ScalarSpec& spec) const {
    set_lower(spec, limit_for<T>(lo));
    set_upper(spec, limit_for<T>(hi));
  }
};
template <class Lo, class Hi>
Between<Lo, Hi> between(Lo lo, Hi hi) {
  return {lo, hi};
}
/// The same as between.
template <class Lo, class Hi>
Between<Lo, Hi> at_least_at_most(Lo lo, Hi hi) {
  return {lo, hi};
}

/// From lo on, included.
template <class Lo>
struct AtLeast {
  Lo lo;
  template <class T>
  void apply(ScalarSpec& spec) const {
    set_lower(spec, limit_for<T>(lo));
  }
};
template <class Lo>
AtLeast<Lo> at_least(Lo lo) {
  return {lo};
}

/// A power of two from lo to hi, both included.
template <class Lo, class Hi>
struct PowerOfTwo {
  Lo lo;
  Hi hi;
  template <class T>
  void apply(ScalarSpec& spec) const {
    static_assert(std::is_integral_v<T> || IsQuantity<T>::value, "power_of_two is for integers and quantities");
    set_lower(spec, limit_for<T>(lo));
    set_upper(spec, limit_for<T>(hi));
    spec.power_of_two = true;
  }
};
template <class Lo, class Hi>
PowerOfTwo<Lo, Hi> power_of_two(Lo lo, Hi hi) {
  return {lo, hi};
}

/// A name and the enumerator it stands for.
struct NamedValue {
  template <class E>
  requires std::is_enum_v<E> NamedValue(const char* text, E enumerator)
      : name(text), value(static_cast<Wide>(static_cast<std::underlying_type_t<E>>(enumerator))), type(typeid(E)) {}
  std::string name;
  Wide value;
  std::type_index type;
};
/// One of the names of an enum.
struct Names {
  std::vector<NamedValue> values;
  template <class T>
  void apply(ScalarSpec& spec) const {
    static_assert(std::is_enum_v<T>, "one_of with names is for enum fields");
    for (const NamedValue& named : values) {
      DPUSIM_CHECK(named.type == typeid(T), "\"{}\" names another enum than the field's", named.name);
      spec.names.emplace_back(named.name, named.value);
    }
  }
};
inline Names one_of(std::initializer_list<NamedValue> values) { return {values}; }

/// One of a few values: one_of({1, 2, 4, 8}), one_of({25_Gbps, 100_Gbps}).
template <class V>
struct Values {
  std::vector<V> values;
  template <class T>
  void apply(ScalarSpec& spec) const {
    static_assert(!std::is_enum_v<T>, "an enum field needs one_of() with names");
    for (const V& value : values) spec.allowed.push_back(limit_for<T>(value));
  }
};
template <class V>
Values<V> one_of(std::initializer_list<V> values) {
  return {values};
}

/// A list of `min` to `max` elements, each within `range`.
template <class Range>
struct Items {
  std::size_t min, max;
  Range range;
};
template <class Range = NoRange>
Items<Range> items(std::size_t min, std::size_t max, Range range = {}) {
  return {min, max, range};
}
/// Returns "2 to 4 elements"; empty when the number is free.
std::string items_text(std::size_t min, std::size_t max);

/// Checks a table's own keys: not empty, no '.', no two equal.
void check_table_keys(const std::string& table, const std::vector<std::string>& keys);

}  // namespace dpusim
