// A thread of a host's processor: what programs spend time on, wait with, and reach devices through. No SystemC.
#pragma once

#include <algorithm>
#include <cstring>

#include "host/host_task.h"
#include "sim/error.h"
#include "sim/stats.h"
#include "tlm/pcie.h"

namespace dpusim::host {

/// What a processor's work takes.
struct CpuTiming {
  Clock clock{Frequency(1'000'000'000)};
  Time mmio_write{0};         ///< of a core, for a posted write
  Time interrupt_latency{0};  ///< message visible to first instruction of the handler
  Time interrupt_time{0};     ///< of a core, for entering and leaving the handler
  bool functional = false;    ///< nothing takes time
  [[nodiscard]] Time cycles(Cycles count) const { return functional ? Time(0) : clock.time(count); }
};

/// Runs one program's coroutine at a time on a clock of its own, which is never behind the calendar's.
class HostThread : private TaskCalendar::Sleeper {
 public:
  HostThread(TaskCalendar& calendar, PcieDownstream& devices, const CpuTiming& timing)
      : calendar_(calendar), devices_(devices), timing_(timing) {}

  /// Returns what time it is for the program.
  [[nodiscard]] Time time() const { return time_; }
  [[nodiscard]] const CpuTiming& timing() const { return timing_; }
  /// Returns the time that programs worked.
  [[nodiscard]] Time busy() const { return busy_; }
  /// Works for a while.
  void spend(Time cost) {
    time_ += cost;
    busy_ += cost;
  }

  /// Lets time pass without work.
  void rest(Time time) { time_ += time; }
  /// Goes on no earlier than another thread, when that one hands over.
  void join(const HostThread& other) { time_ = std::max(time_, other.time_); }

  enum class WakeBy : std::uint8_t { kMemory, kInterrupt };
  struct Wait {
    HostThread& thread;
    bool ready;
    [[nodiscard]] bool await_ready() const noexcept { return ready; }
    void await_suspend(std::coroutine_handle<> handle) noexcept { thread.resume_ = handle; }
    void await_resume() const noexcept {}
  };
  /// `co_await sync()`: lets the world come up to this thread's time, so that what it sees and does from here on
  /// happens now.
  [[nodiscard]] Wait sync();
  /// `co_await idle(...)`: does nothing until `until`, or until poke() or an interrupt, as `by` says, whichever is
  /// first. With memory, the thread looks once every `poll` and so goes on at a whole number of these later.
  [[nodiscard]] Wait idle(Time until, WakeBy by, Time poll = Time(0));
  /// Tells a thread that is idle that there is something to see in memory from `visible` on.
  void poke(Time visible);
  /// Takes an interrupt message, seen from `visible` on. It stays pending until accept_interrupt().
  void interrupt(Time visible);
  [[nodiscard]] bool interrupt_pending() const { return handler_at_ <= time_; }
  /// Enters the handler.
  void accept_interrupt() {
    handler_at_ = kTimeMax;
    spend(timing_.interrupt_time);
  }

  /// Stores into a device's memory: posted, in order. Await it.
  template <class T>
  [[nodiscard]] Task write(std::uint64_t address, T value) {
    co_await sync();
    post(address, {reinterpret_cast<std::uint8_t*>(&value), sizeof value});
  }
  /// Loads from a device's memory into `value`; all ones when nobody answers. Await it.
  template <class T>
  [[nodiscard]] Task read(std::uint64_t address, T& value) {
    co_await sync();
    fetch(address, {reinterpret_cast<std::uint8_t*>(&value), sizeof value});
    co_await sync();
  }

 private:
  void wake(std::uint64_t number, Time when) override;
  void post(std::uint64_t address, std::span<std::uint8_t> data);
  void fetch(std::uint64_t address, std::span<std::uint8_t> data);
  void sleep(Time until);
  [[nodiscard]] Time seen(Time visible) const;

  TaskCalendar& calendar_;
  PcieDownstream& devices_;
  const CpuTiming timing_;
  Time time_{0}, busy_{0};
  std::coroutine_handle<> resume_;
  bool waiting_ = false;
  WakeBy by_ = WakeBy::kMemory;
  Time since_{0}, poll_{0}, wake_at_ = kTimeMax, handler_at_ = kTimeMax;
  std::uint64_t number_ = 0;  // of the wake-up that counts
};

}  // namespace dpusim::host
