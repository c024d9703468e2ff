#include "host/host_thread.h"

#include <algorithm>

namespace dpusim::host {

void HostThread::sleep(Time until) {
  wake_at_ = until;
  if (until != kTimeMax) calendar_.add(*this, ++number_, until);
}

HostThread::Wait HostThread::sync() {
  if (time_ <= calendar_.now()) return {*this, true};
  sleep(time_);
  return {*this, false};
}

Time HostThread::seen(Time visible) const {
  if (visible <= since_) return since_;
  if (by_ != WakeBy::kMemory || poll_ <= Time(0) || visible == kTimeMax) return visible;
  return since_ + poll_ * ((visible - since_ + poll_ - Time(1)) / poll_);
}

HostThread::Wait HostThread::idle(Time until, WakeBy by, Time poll) {
  since_ = time_;
  by_ = by;
  poll_ = poll;
  Time at = by == WakeBy::kInterrupt ? std::min(until, handler_at_) : seen(until);
  at = std::max(at, time_);
  if (at <= calendar_.now()) return {*this, true};
  waiting_ = true;
  ++number_;
  sleep(at);
  return {*this, false};
}

void HostThread::poke(Time visible) {
  if (!waiting_ || by_ != WakeBy::kMemory) return;
  const Time at = seen(std::max(visible, calendar_.now()));
  if (at < wake_at_) sleep(at);
}

void HostThread::interrupt(Time visible) {
  handler_at_ = std::min(handler_at_, visible + timing_.interrupt_latency);
  if (waiting_ && by_ == WakeBy::kInterrupt && handler_at_ < wake_at_) sleep(std::max(handler_at_, time_));
}

void HostThread::wake(std::uint64_t number, Time when) {
  if (number != number_) return;
  waiting_ = false;
  time_ = std::max(time_, when);
  resume_.resume();
}

void HostThread::post(std::uint64_t address, std::span<std::uint8_t> data) {
  PcieRequest request{.type = TlpType::kMemoryWrite, .address = address, .data = data};
  devices_.to_device(request, time_);
  spend(std::max(timing_.mmio_write, request.sent > time_ ? request.sent - time_ : Time(0)));
}

void HostThread::fetch(std::uint64_t address, std::span<std::uint8_t> data) {
  PcieRequest request{.type = TlpType::kMemoryRead, .address = address, .data = data};
  const Time done = devices_.to_device(request, time_);
  if (request.status != CompletionStatus::kSuccessful) std::fill(data.begin(), data.end(), std::uint8_t{0xff});
  if (done > time_) spend(done - time_);
}

}  // namespace dpusim::host
