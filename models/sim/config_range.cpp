#include "sim/config_range.h"

#include <algorithm>

namespace dpusim {
namespace {

constexpr const char* kOutside = "a range's limit lies outside what the field's C++ type can hold";

}  // namespace

void set_lower(ScalarSpec& spec, const ScalarValue& limit) {
  spec.bounded_below = true;
  if (spec.kind == ScalarSpec::Kind::kReal) {
    spec.real_min = std::get<double>(limit);
  } else {
    DPUSIM_CHECK(std::get<Wide>(limit) >= spec.min && std::get<Wide>(limit) <= spec.max, "{}", kOutside);
    spec.min = std::get<Wide>(limit);
  }
}

void set_upper(ScalarSpec& spec, const ScalarValue& limit) {
  spec.bounded_above = true;
  if (spec.kind == ScalarSpec::Kind::kReal) {
    DPUSIM_CHECK(std::get<double>(limit) >= spec.real_min, "a range's upper limit is below its lower limit");
    spec.real_max = std::get<double>(limit);
  } else {
    DPUSIM_CHECK(std::get<Wide>(limit) >= spec.min && std::get<Wide>(limit) <= spec.max, "{}", kOutside);
    spec.max = std::get<Wide>(limit);
  }
}

std::string items_text(std::size_t min, std::size_t max) {
  if (min == max) return fmt::format("{} elements", min);
  if (max == SIZE_MAX) return min == 0 ? "" : fmt::format("at least {} elements", min);
  return fmt::format("{} to {} elements", min, max);
}

void check_table_keys(const std::string& table, const std::vector<std::string>& keys) {
  for (auto key = keys.begin(); key != keys.end(); ++key) {
    DPUSIM_CHECK(!key->empty() && key->find_first_of(".[]= ") == std::string::npos, "{}: bad key \"{}\"", table, *key);
    DPUSIM_CHECK(std::find(keys.begin(), key, *key) == key, "{}: two fields have the key \"{}\"", table, *key);
  }
}

}  // namespace dpusim
