#include "sim/histogram.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

namespace dpusim {
namespace {

// Returns the rank ceil(q * count), 1 at least. A product that misses a whole number by rounding alone (0.07 * 100
// gives 7.000000000000001) is that number.
std::uint64_t nearest_rank(double q, std::uint64_t count) {
  const double product = q * static_cast<double>(count);
  const double whole = std::nearbyint(product);
  const double rank = std::abs(product - whole) <= product * 1e-15 ? whole : std::ceil(product);
  if (rank >= static_cast<double>(count)) return count;  // also where count has more than a double's 53 bits
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(rank));
}

}  // namespace

Histogram::Histogram(StatGroup& group, std::string name, std::string unit, std::string text)
    : Statistic(group, std::move(name), std::move(unit), std::move(text)) {}

std::uint64_t Histogram::middle_of(std::size_t bucket) {
  if (bucket < 256) return bucket;
  const std::size_t shift = bucket / 128 - 1;  // a bucket is 2^shift wide
  return ((128 + bucket % 128) << shift) + (std::uint64_t{1} << (shift - 1));
}

void Histogram::grow(std::size_t bucket) { buckets_.resize(bucket + 1); }

double Histogram::mean() const { return count_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(count_); }

std::uint64_t Histogram::quantile(double q) const {
  DPUSIM_CHECK(q >= 0 && q <= 1, "{}: quantile {}", name(), q);
  if (count_ == 0) return 0;
  const std::uint64_t rank = nearest_rank(q, count_);
  if (rank == 1) return min_;
  if (rank == count_) return max_;
  std::uint64_t below = 0;
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
    below += buckets_[bucket];
    if (below >= rank) return std::clamp(middle_of(bucket), min_, max_);
  }
  return max_;
}

nlohmann::ordered_json Histogram::value_json(Time /*now*/) const {
  nlohmann::ordered_json json{{"count", count_}, {"min", nullptr}, {"mean", nullptr},  {"p50", nullptr},
                              {"p90", nullptr},  {"p99", nullptr}, {"p99.9", nullptr}, {"max", nullptr}};
  if (count_ == 0) return json;
  json["min"] = min_;
  json["mean"] = mean();
  json["p50"] = quantile(0.5);
  json["p90"] = quantile(0.9);
  json["p99"] = quantile(0.99);
  json["p99.9"] = quantile(0.999);
  json["max"] = max_;
  return json;
}

double Histogram::scalar(Time /*now*/) const { return static_cast<double>(count_); }

}  // namespace dpusim
