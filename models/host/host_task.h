// Coroutines that are a host's programs: they run until they wait, and a calendar resumes them. No SystemC.
#pragma once

#include <coroutine>
#include <exception>
#include <queue>
#include <utility>
#include <vector>

#include "sim/units.h"

namespace dpusim::host {

/// A part of a program. It starts when it is awaited or start()ed, and goes with the object that holds it.
class Task {
 public:
  struct promise_type {
    std::coroutine_handle<> continuation;
    Task get_return_object() { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct Final {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> done) noexcept {
        if (done.promise().continuation) return done.promise().continuation;
        return std::noop_coroutine();
      }
      void await_resume() noexcept {}
    };
    Final final_suspend() noexcept { return {}; }
    void return_void() {}
    /// A Defect ends the run: it goes to whoever resumed.
    void unhandled_exception() { throw; }
  };

  Task() = default;
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Task() {
    if (handle_) handle_.destroy();
  }
  void start() { handle_.resume(); }
  [[nodiscard]] bool done() const { return !handle_ || handle_.done(); }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiting) noexcept {
    handle_.promise().continuation = waiting;
    return handle_;
  }
  void await_resume() noexcept {}

 private:
  explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  std::coroutine_handle<promise_type> handle_;
};

/// When the coroutines of one host go on, in order of time and of asking.
class TaskCalendar {
 public:
  /// Something that is resumed at a time; a wake-up whose number it no longer expects is void.
  class Sleeper {
   public:
    virtual ~Sleeper() = default;
    virtual void wake(std::uint64_t number, Time when) = 0;
  };
  void add(Sleeper& sleeper, std::uint64_t number, Time when) { due_.push({when, order_++, number, &sleeper}); }
  /// Returns when run() is needed next; kTimeMax for never.
  [[nodiscard]] Time next() const { return due_.empty() ? kTimeMax : due_.top().when; }
  /// Returns the time of what is being done, or what the world said last.
  [[nodiscard]] Time now() const { return now_; }
  /// Wakes all that are due until `until`.
  void run(Time until) {
    while (!due_.empty() && due_.top().when <= until) {
      const Due due = due_.top();
      due_.pop();
      if (due.when > now_) now_ = due.when;
      due.sleeper->wake(due.number, due.when);
    }
    if (until > now_) now_ = until;
  }

 private:
  struct Due {
    Time when;
    std::uint64_t order, number;
    Sleeper* sleeper;
    bool operator>(const Due& other) const { return when != other.when ? when > other.when : order > other.order; }
  };
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  std::uint64_t order_ = 0;
  Time now_{0};
};

}  // namespace dpusim::host
