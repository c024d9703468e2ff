#include "platform/run.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <systemc>

#include "host/scenario_user.h"
#include "platform/card.h"
#include "platform/digest.h"
#include "platform/firmware_loader.h"
#include "platform/measurement.h"
#include "platform/memory_loader.h"
#include "platform/progress.h"
#include "platform/run_directory.h"
#include "platform/shutdown_request.h"
#include "platform/summary.h"
#include "platform/wires.h"
#include "sim/error.h"
#include "sim/nearest.h"
#include "sim/quantity_text.h"
#include "sim/systemc_time.h"

namespace dpusim::platform {
namespace {

volatile std::sig_atomic_t interrupted = 0;
// The first asks for an end in order, the second ends at once.
void on_signal(int signal) {
  interrupted = 1;
  std::signal(signal, SIG_DFL);
}

/// Parses --log texts into levels. @error ConfigError.
void set_log_levels(Log& log, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) {
      log.set_level(parse_log_level(text));
    } else {
      log.set_level(text.substr(0, equals), parse_log_level(text.substr(equals + 1)));
    }
  }
}

/// Refuses --log levels of instances that are not there. @error ConfigError.
void check_log_names(const std::vector<std::string>& texts, const Card& card) {
  std::vector<std::string> names = {"run"};
  for (const Card::Instance& instance : card.instances()) names.push_back(instance.description->name);
  for (const std::string& text : texts) {
    const std::string name = text.substr(0, text.find('='));
    if (name.size() < text.size() &&
        std::find(names.begin(), names.end(), name.substr(0, name.find('.'))) == names.end())
      throw ConfigError("--log " + text, fmt::format("no instance \"{}\"", name), nearest_or_list(name, names));
  }
}

/// Returns the digests of all input files, so that a result can be matched to what it was made from.
nlohmann::ordered_json digests(const RunOptions& options) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  const auto add = [&](const std::string& file) { json[file] = sha256(file); };
  for (const std::string& argument : options.firmware) add(argument.substr(0, argument.rfind("@0x")));
  for (const Traffic& traffic : options.receive) {
    if (!traffic.capture.empty()) add(traffic.capture);
  }
  for (const std::string& argument : options.files) add(guest_file(argument).first);
  return json;
}

nlohmann::ordered_json run_json(const RunOptions& options) {
  const auto pairs = [](const auto& list) {
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    for (const auto& [key, value] : list) json[key] = value;
    return json;
  };
  nlohmann::ordered_json json = {
      {"dpusim", DPUSIM_VERSION}, {"systemc", SC_VERSION}, {"platform", options.platform}, {"set", options.overrides}};
  json["fidelity"] = options.fidelity == Fidelity::kFunctional ? "functional" : "approximate";
  json["seed"] = options.seed;
  json["firmware"] = options.firmware;
  json["arguments"] = options.arguments;
  json["files"] = options.files;
  json["sha256"] = digests(options);
  json["rx"] = nlohmann::ordered_json::object();
  for (const Traffic& traffic : options.receive) {
    if (traffic.capture.empty()) {
      json["rx"][traffic.port] = {{"generate", net::GeneratorConfig::table().dump(traffic.generate)}};
    } else {
      json["rx"][traffic.port] = {
          {"capture", traffic.capture},
          {"speed", traffic.line_rate ? nlohmann::ordered_json("line-rate") : nlohmann::ordered_json(traffic.speed)},
          {"loop", traffic.loops}};
    }
  }
  json["tx"] = pairs(options.transmit);
  if (!options.scenario.is_null()) json["scenario"] = options.scenario;
  json["start"] = to_text(options.start);
  json["warmup"] = to_text(options.warmup);
  if (!options.window_of.empty()) json["window_of"] = options.window_of;
  if (options.max_instructions) json["max_instructions"] = *options.max_instructions;
  if (options.until) json["until"] = to_text(*options.until);
  if (options.interval) json["interval"] = to_text(*options.interval);
  json["settle"] = to_text(options.settle);
  json["grace"] = to_text(options.grace);
  return json;
}

/// Advances time until something ends the run, and says what.
class Loop {
 public:
  Loop(const RunOptions& options, Simulation& simulation, Card& card, Wires& wires, StatSnapshots& snapshots,
       Measurement& measurement, Progress& progress)
      : options_(options),
        simulation_(simulation),
        card_(card),
        wires_(wires),
        snapshots_(snapshots),
        measurement_(measurement),
        progress_(progress),
        users_(card.all<host::ScenarioUser>()) {}

  void operator()() {
    // What is due at time 0, so that a window can begin there.
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    measure();
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
  [[nodiscard]] int code() const { return code_; }
  [[nodiscard]] const std::string& reason() const { return reason_; }

 private:
  std::optional<double> share() const {
    if (options_.until) return static_cast<double>(now().count()) / static_cast<double>(options_.until->count());
    if (wires_.any_source()) return wires_.share(now());
    return std::nullopt;
  }

  // Looks whether there was work since the last slice.
  void measure() {
    if (!options_.window_of.empty()) return measure_counter();
    if (!measurement_.begun() && now() >= window_start()) measurement_.begin(now());
    const Time last = simulation_.last_work();
    if (last == worked_ || drivers_ended_) return;
    worked_ = last;
    // What is still under way when the last driver has ended is no steady state any more.
    const bool sent = wires_.any_source() && now() >= wires_.expected_end() && wires_.expected_end() > Time(0);
    drivers_ended_ = any_driver() && (drivers_done() || (sent && programs_done()));
    measurement_.extend(now());
  }

  // The window lasts while the counter moves, and begins some time after it first has.
  void measure_counter() {
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

  // Returns when the window begins: some time after the first frame, or after the first other work.
  [[nodiscard]] Time window_start() const {
    const Time first = wires_.any_source() ? options_.start : simulation_.first_work();
    return first > kTimeMax - options_.warmup ? kTimeMax : first + options_.warmup;
  }

  [[nodiscard]] bool programs_done() const {
    return std::all_of(users_.begin(), users_.end(), [](const auto& user) { return user.second->programs_done(); });
  }
  [[nodiscard]] bool any_program() const {
    return std::any_of(users_.begin(), users_.end(),
                       [](const auto& user) { return user.second->has_active_programs(); });
  }
  /// Tells whether all that drives the card from outside has ended.
  [[nodiscard]] bool drivers_done() const { return wires_.sources_done(now()) && programs_done(); }
  [[nodiscard]] bool any_driver() const { return wires_.any_source() || any_program(); }

  bool end(int code, std::string reason) {
    code_ = code;
    reason_ = std::move(reason);
    return true;
  }

  bool ended() {
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
    if (starved && !programs_done() && !asked_)
      return end(kExitFailure, "the host's programs wait for something that will not come");
    const bool quiet = done && (starved || (any_driver() && now() - quiet_since_ >= options_.settle));
    if (!quiet) return false;
    if (!asked_)
      return !ask_to_finish() && end(kExitDone, starved ? "nothing is left to happen" : "traffic ended, card quiet");
    if (!starved && now() - *asked_ < options_.grace) return false;
    if (options_.firmware.empty()) return end(kExitDone, "nothing is left to happen");
    return end(kExitLimit, starved ? "firmware was asked to finish, and all cores wait for ever"
                                   : "firmware was asked to finish and did not within --grace");
  }

  // Returns what all cores have retired.
  [[nodiscard]] double instructions() const {
    double all = 0;
    for (const StatGroup* block : simulation_.stats().children()) {
      for (const StatGroup* core : block->children()) {
        if (const Statistic* retired = core->find("instructions")) all += retired->scalar(now());
      }
    }
    return all;
  }

  // Asks firmware to finish, once. @return whether somebody was asked.
  bool ask_to_finish() {
    asked_ = now();
    bool any = false;
    for (const auto& [name, block] : card_.all<ShutdownRequest>()) any = block->request() || any;
    return any;
  }

  Time next_stop() const {
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
      stop = std::min(stop,
                      std::max(now() + Time(1), (asked_ ? *asked_ + options_.grace : quiet_since_ + options_.settle)));
    }
    if (options_.until) stop = std::min(stop, *options_.until);
    if (options_.interval) stop = std::min(stop, next_snapshot_);
    return stop;
  }

  const RunOptions& options_;
  Simulation& simulation_;
  Card& card_;
  Wires& wires_;
  StatSnapshots& snapshots_;
  Measurement& measurement_;
  Progress& progress_;
  std::vector<std::pair<std::string, host::ScenarioUser*>> users_;
  Time worked_{0};
  bool drivers_ended_ = false;
  const Statistic* counter_ = nullptr;
  double counted_ = 0;
  std::optional<Time> counting_since_;
  Time next_snapshot_{options_.interval.value_or(Time(0))};
  std::uint64_t sent_ = 0;
  Time quiet_since_{0};
  std::optional<Time> asked_;
  int code_ = kExitDone;
  std::string reason_;
};

std::vector<FirmwareImage> read_images(const RunOptions& options) {
  std::vector<FirmwareImage> images;
  for (const std::string& argument : options.firmware) images.push_back(read_firmware(argument));
  check_placement(images);
  return images;
}

void start_processors(Card& card, const std::vector<FirmwareImage>& images, const RunOptions& options) {
  const auto processors = card.all<Processor>();
  if (processors.empty() && !images.empty())
    throw ConfigError("--firmware", "a platform without cores", "a platform with a processor block");
  for (const auto& [name, processor] : processors) {
    if (!images.empty()) processor->set_entry(images.front().entry, 0);
    if (!options.arguments.empty()) processor->set_command_line(options.arguments);
    processor->set_console([](std::string_view text) {
      std::fwrite(text.data(), 1, text.size(), stdout);
      std::fflush(stdout);
    });
    processor->set_symbolizer([&images](std::uint64_t address) {
      for (const FirmwareImage& image : images) {
        if (const auto text = image.symbolise(address)) return *text;
      }
      return std::string();
    });
  }
}

/// Gives the scenario's programs to the blocks that run them. @error ConfigError.
void set_programs(Card& card, const RunOptions& options) {
  for (const auto& [name, list] : options.programs) {
    const std::string place = "scenario.programs." + name;
    auto* user = dynamic_cast<host::ScenarioUser*>(&card.find(name, place));
    if (user == nullptr)
      throw ConfigError(place, fmt::format("\"{}\", which runs no programs", name), "a block of type \"host\"");
    user->set_programs(list, place);
  }
}

std::string where_and_when() { return fmt::format("at {}", to_text(now())); }

}  // namespace

int run(const RunOptions& options) {
  const std::vector<FirmwareImage> images = read_images(options);
  PlatformDescription description = read_platform(options.platform, options.overrides);
  for (const std::string& argument : options.files) guest_file(argument);
  const std::vector<Wires::Extent> extents = Wires::inspect(options);
  if (options.out.empty() && (description.name.empty() || description.name.find('/') != std::string::npos))
    throw ConfigError("name", fmt::format("\"{}\"", description.name), "a name without '/', or --out");
  RunDirectory directory(options.out.empty() ? std::filesystem::path("run-" + description.name) : options.out);
  Progress progress(!options.quiet);
  Log log(
      [&](LogLevel, const std::string& line) {
        progress.clear();
        fmt::print(stderr, "{}\n", line);
        directory.log(line);
      },
      [] { return now(); });
  set_log_levels(log, options.log);
  set_check_context(&where_and_when);
  for (const std::string& argument : options.files) {
    const auto [file, name] = guest_file(argument);
    directory.add_guest_file(file, name);
  }

  Simulation simulation(log, options.seed, options.fidelity, directory.path());
  simulation.stop_hook = [] { sc_core::sc_pause(); };
  Card card(std::move(description), simulation);
  check_log_names(options.log, card);
  const Logger voice(log, "run");
  Wires wires(card, options, extents, simulation,
              [&](const std::string& text) { voice(LogLevel::kWarning, "{}", text); });
  MemoryLoader loader("loader");
  if (const auto buses = card.all<AddressSpace>(); !buses.empty()) {
    buses.front().second->connect("loader", loader.bus);
  } else {
    throw ConfigError("blocks", "no interconnect", "one block that connects the others, such as type \"crossbar\"");
  }
  for (const FirmwareImage& image : images) loader.load(image, card.mappings());
  if (images.empty() && !card.all<Processor>().empty())
    voice(LogLevel::kWarning, "no --firmware was given: the cores stay off");
  start_processors(card, images, options);
  set_programs(card, options);
  nlohmann::ordered_json effective = card.effective();
  effective["run"] = run_json(options);
  directory.write("effective.json", effective.dump(2) + "\n");

  directory.keep();
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  StatSnapshots snapshots(simulation.stats());
  Measurement measurement(card, simulation.stats());
  Loop loop(options, simulation, card, wires, snapshots, measurement, progress);
  loop();
  progress.clear();
  for (const Card::Instance& instance : card.instances()) instance.block->finish();

  int code = loop.code();
  const std::vector<std::string> broken = simulation.stats().broken_laws();
  for (const std::string& law : broken) voice(LogLevel::kError, "counters contradict one another: {}", law);
  if (!broken.empty()) code = kExitDefect;
  const Outcome outcome{code, loop.reason(), now(), options.fidelity};
  nlohmann::ordered_json stats = stats_to_json(simulation.stats(), now());
  stats["outcome"] = {{"exit_code", code}, {"reason", loop.reason()}};
  stats["fidelity"] = options.fidelity == Fidelity::kFunctional ? "functional" : "approximate";
  directory.write("stats.json", stats.dump(1) + "\n");
  directory.write("stats.csv", stats_to_csv(simulation.stats(), now()));
  if (options.interval) directory.write("intervals.csv", snapshots.to_csv());
  if (!options.window_of.empty() && !measurement.begun())
    voice(LogLevel::kWarning, "nothing was measured: {} {}", options.window_of,
          simulation.stats().find(options.window_of) == nullptr ? "is no statistic of this run" : "never moved");
  directory.write("results.json", measurement.results(outcome).dump(1) + "\n");
  std::string summary = summarise(card, simulation.stats(), outcome);
  if (options.fidelity == Fidelity::kApproximate && measurement.begun())
    summary += "\n  Bottleneck: " + find_bottleneck(measurement.resources(), measurement.losses()).text + "\n";
  directory.write("summary.txt", summary);
  wires.finish();
  if (!options.quiet) fmt::print("{}\nResults in {}/\n", summary, directory.path().string());
  return code;
}

}  // namespace dpusim::platform
