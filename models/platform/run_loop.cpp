#include "platform/run_loop.h"

#include <algorithm>
#include <csignal>
#include <systemc>

#include "platform/shutdown_request.h"
#include "sim/systemc_time.h"

namespace dpusim::platform {
namespace {

volatile std::sig_atomic_t interrupted = 0;
// The first asks for an end in order, the second ends at once.
void on_signal(int signal) {
  interrupted = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

void catch_signals() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

void Loop::start() {
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  measure();  // a window can begin at time 0
}

void Loop::operator()() {
  while (!ended()) {
    sc_core::sc_start(to_sc(next_stop() - now()));
    measure();
    if (options_.interval && now() == next_snapshot_) snapshots_.take(now());
    if (options_.interval && now() >= next_snapshot_) next_snapshot_ += *options_.interval;
    progress_.update(now(), share());
  }
  // What is due exactly now, which sc_start(t) leaves.
  if (sc_core::sc_pending_activity_at_current_time()) sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

std::optional<double> Loop::share() const {
  if (options_.until) return static_cast<double>(now().count()) / static_cast<double>(options_.until->count());
  if (wires_.any_source()) return wires_.share(now());
  return std::nullopt;
}

void Loop::measure() {
  if (!options_.window_of.empty()) return measure_counter();
  if (!measurement_.begun() && now() >= window_start()) measurement_.begin(now());
  const Time last = simulation_.last_work();
  const bool sent = wires_.any_source() && wires_.expected_end() > Time(0) && now() >= wires_.expected_end();
  if (drivers_ended_ || (last == worked_ && !sent && measurement_.measured())) return;
  worked_ = last;
  measurement_.extend(now());
  // What is still under way when the last driver has ended is no steady state any more.
  drivers_ended_ = measurement_.measured() && any_driver() && (drivers_done() || (sent && programs_done()));
}

void Loop::measure_counter() {
  if (counter_ == nullptr) counter_ = simulation_.stats().find(options_.window_of);
  if (counter_ == nullptr) return;
  const double count = counter_->scalar(now());
  if (count == counted_) return;
  counted_ = count;
  if (!counting_since_) counting_since_ = now();
  if (measurement_.begun()) {
    measurement_.extend(now());
  } else if (now() - *counting_since_ >= options_.warmup) {
    measurement_.begin(now());
  }
}

Time Loop::window_start() const {
  const Time first = wires_.any_source() ? options_.start : simulation_.first_work();
  return first > kTimeMax - options_.warmup ? kTimeMax : first + options_.warmup;
}

bool Loop::programs_done() const {
  return std::all_of(users_.begin(), users_.end(), [](const auto& user) { return user.second->programs_done(); });
}

bool Loop::any_program() const {
  return std::any_of(users_.begin(), users_.end(), [](const auto& user) { return user.second->has_active_programs(); });
}

bool Loop::end(int code, std::string reason) {
  code_ = code;
  reason_ = std::move(reason);
  return true;
}

bool Loop::ended() {
  if (simulation_.stop_requested()) return end(simulation_.stop_code(), simulation_.stop_reason());
  if (interrupted != 0) return end(kExitLimit, "interrupted by the user");
  if (options_.until && now() >= *options_.until) return end(kExitLimit, "the time limit (--until) was reached");
  if (options_.max_instructions && instructions() >= static_cast<double>(*options_.max_instructions))
    return end(kExitLimit, "the instruction limit (--max-instructions) was reached");
  const bool starved = !sc_core::sc_pending_activity();
  const std::uint64_t sent = wires_.frames_sent();
  const bool done = drivers_done();
  if (sent != sent_ || !done) {
    sent_ = sent;
    quiet_since_ = now();
  }
  // A host's thread may have booked work ahead.
  quiet_since_ = std::max(quiet_since_, simulation_.last_work());
  if (starved && !programs_done() && !asked_)
    return end(kExitFailure, "the host's programs wait for something that will not come");
  const bool quiet =
      done && (starved || (any_driver() && now() - quiet_since_ >= options_.settle + options_.cable_delay));
  if (!quiet) return false;
  if (!asked_)
    return !ask_to_finish() && end(kExitDone, starved ? "nothing is left to happen" : "traffic ended, card quiet");
  if (!starved && now() - *asked_ < options_.grace) return false;
  if (options_.firmware.empty()) return end(kExitDone, "nothing is left to happen");
  return end(kExitLimit, starved ? "firmware was asked to finish, and all cores wait for ever"
                                 : "firmware was asked to finish and did not within --grace");
}

double Loop::instructions() const {
  double all = 0;
  for (const StatGroup* block : simulation_.stats().children()) {
    for (const StatGroup* core : block->children()) {
      if (const Statistic* retired = core->find("instructions")) all += retired->scalar(now());
    }
  }
  return all;
}

bool Loop::ask_to_finish() {
  asked_ = now();
  bool any = false;
  for (const auto& [name, block] : card_.all<ShutdownRequest>()) any = block->request() || any;
  return any;
}

Time Loop::next_stop() const {
  Time stop = now() + measurement_.slice(now());
  // When a counter first moves or a program first does something is not known beforehand, so it is looked for often.
  const bool first_work_unknown = !options_.window_of.empty() || (any_program() && !wires_.any_source());
  if (first_work_unknown && !measurement_.begun()) stop = std::min(stop, now() + Time(5'000'000));
  // Nothing happens before the next event, so an idle stretch is one step.
  const Time event = now() + from_sc(sc_core::sc_time_to_pending_activity());
  if (sc_core::sc_pending_activity() && event > stop) stop = event + Time(1);
  if (now() < wires_.expected_end()) stop = std::min(stop, wires_.expected_end());
  if (!measurement_.begun() && now() < window_start()) stop = std::min(stop, window_start());
  if (any_driver() && drivers_done()) {
    stop = std::min(stop, std::max(now() + Time(1), (asked_ ? *asked_ + options_.grace
                                                            : quiet_since_ + options_.settle + options_.cable_delay)));
  }
  if (options_.until) stop = std::min(stop, *options_.until);
  if (options_.interval) stop = std::min(stop, next_snapshot_);
  return stop;
}

}  // namespace dpusim::platform
