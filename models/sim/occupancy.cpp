#include "sim/occupancy.h"

#include <algorithm>

#include "sim/error.h"

namespace dpusim {

std::size_t BusyCalendar::first_ending_after(Time at) const {
  // A saturated server is one long interval, and most requests arrive near the end.
  if (intervals() > 0 && intervals_.back().begin <= at) return intervals_.size() - (at < intervals_.back().end ? 1 : 0);
  const auto found = std::upper_bound(intervals_.begin() + static_cast<std::ptrdiff_t>(head_), intervals_.end(), at,
                                      [](Time t, const Interval& interval) { return t < interval.end; });
  return static_cast<std::size_t>(found - intervals_.begin());
}

// Makes [begin, end) busy. Intervals first to last - 1 lie inside it; its neighbours are joined when they touch it.
void BusyCalendar::occupy(std::size_t first, std::size_t last, Time begin, Time end) {
  if (first > head_ && intervals_[first - 1].end == begin) begin = intervals_[--first].begin;
  if (last < intervals_.size() && intervals_[last].begin == end) end = intervals_[last++].end;
  last_end_ = std::max(last_end_, end);
  if (first == last) {
    intervals_.insert(intervals_.begin() + static_cast<std::ptrdiff_t>(first), Interval{begin, end});
    bound();
    return;
  }
  intervals_[first] = {begin, end};
  if (last > first + 1) {
    intervals_.erase(intervals_.begin() + static_cast<std::ptrdiff_t>(first + 1),
                     intervals_.begin() + static_cast<std::ptrdiff_t>(last));
  }
}

void BusyCalendar::bound() {
  if (intervals() > kMaxIntervals) advance(intervals_[head_ + kMaxIntervals / 4].end);
}

Time BusyCalendar::reserve(Time arrival, Time service) {
  DPUSIM_CHECK(service >= Time(0), "service of {} ps", service.count());
  const Time at = std::max(arrival, floor_);
  booked_ += service;
  if (at >= last_end_) {  // the usual case: requests in time order, server idle
    if (service > Time(0)) occupy(intervals_.size(), intervals_.size(), at, at + service);
    return at;
  }
  std::size_t i = first_ending_after(at);
  Time start = at;
  for (; i < intervals_.size(); ++i) {
    const bool fits = service > Time(0) ? start + service <= intervals_[i].begin : start < intervals_[i].begin;
    if (fits) break;
    start = std::max(start, intervals_[i].end);
  }
  if (service > Time(0)) occupy(i, i, start, start + service);
  return start;
}

BusyCalendar::Slot BusyCalendar::reserve_split(Time arrival, Time service) {
  DPUSIM_CHECK(service >= Time(0), "service of {} ps", service.count());
  const Time at = std::max(arrival, floor_);
  if (at >= last_end_ || service == Time(0)) {
    const Time start = reserve(arrival, service);
    return {start, start + service};
  }
  booked_ += service;
  std::size_t i = first_ending_after(at);
  Time start = at;
  if (intervals_[i].begin <= at) start = intervals_[i++].end;
  const std::size_t first = i;
  Time left = service, cursor = start;
  for (; i < intervals_.size() && left > intervals_[i].begin - cursor; ++i) {
    left -= intervals_[i].begin - cursor;
    cursor = intervals_[i].end;
  }
  occupy(first, i, start, cursor + left);
  return {start, cursor + left};
}

void BusyCalendar::advance(Time no_earlier_than) {
  floor_ = std::max(floor_, no_earlier_than);
  while (head_ < intervals_.size() && intervals_[head_].end <= floor_) ++head_;
  if (head_ == intervals_.size()) {
    intervals_.clear();
    head_ = 0;
  } else if (head_ > 64 && head_ > intervals_.size() / 2) {
    intervals_.erase(intervals_.begin(), intervals_.begin() + static_cast<std::ptrdiff_t>(head_));
    head_ = 0;
  }
}

Time BusyCalendar::busy_until(Time now) const {
  Time later{0};
  for (std::size_t i = first_ending_after(now); i < intervals_.size(); ++i) {
    later += intervals_[i].end - std::max(now, intervals_[i].begin);
  }
  return booked_ - later;
}

Occupancy::Occupancy(StatGroup& group, const std::string& name, const std::string& what)
    : busy_(group, name + "_busy", "ps", "Time in which the " + what + " was in use",
            [this](Time now) { return static_cast<double>(calendar_.busy_until(now).count()); }),
      utilisation_(
          group, name + "_utilisation", "ratio", "Fraction of the run in which the " + what + " was in use",
          [this](Time now) { return utilisation(now); }, FormulaKind::kTimeMean),
      waiting_(group, name + "_waiting", "ps", "Time that requests waited for the " + what) {}

double Occupancy::utilisation(Time now) const {
  if (now <= Time(0)) return 0;
  return static_cast<double>(calendar_.busy_until(now).count()) / static_cast<double>(now.count());
}

}  // namespace dpusim
