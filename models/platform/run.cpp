#include "platform/run.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <systemc>

#include "host/scenario_user.h"
#include "platform/card.h"
#include "platform/digest.h"
#include "platform/firmware_loader.h"
#include "platform/measurement.h"
#include "platform/memory_loader.h"
#include "platform/progress.h"
#include "platform/run_directory.h"
#include "platform/run_loop.h"
#include "platform/shutdown_request.h"
#include "platform/summary.h"
#include "platform/wires.h"
#include "sim/error.h"
#include "sim/nearest.h"
#include "sim/quantity_text.h"
#include "sim/systemc_time.h"

namespace dpusim::platform {
namespace {

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
nlohmann::ordered_json digests(const RunOptions& options, const nlohmann::ordered_json& blocks) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  const auto add = [&](const std::string& file) { json[file] = sha256(file); };
  for (const std::string& argument : options.firmware) add(argument.substr(0, argument.rfind("@0x")));
  for (const Traffic& traffic : options.receive) {
    if (!traffic.capture.empty()) add(traffic.capture);
  }
  for (const std::string& argument : options.files) add(guest_file(argument).first);
  const std::function<void(const nlohmann::ordered_json&)> named = [&](const nlohmann::ordered_json& value) {
    if (value.is_structured()) {
      for (const nlohmann::ordered_json& inner : value) named(inner);
      return;
    }
    std::error_code ignored;
    if (value.is_string() && std::filesystem::is_regular_file(value.get<std::string>(), ignored))
      add(value.get<std::string>());
  };
  named(blocks);  // files that parameters name, such as rules
  return json;
}

nlohmann::ordered_json run_json(const RunOptions& options, const nlohmann::ordered_json& blocks) {
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
  json["sha256"] = digests(options, blocks);
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

/// Refuses a --window-of that is no counter of this run. @error ConfigError.
void check_window(const std::string& path, const StatGroup& root) {
  if (path.empty() || dynamic_cast<const Counter*>(root.find(path)) != nullptr) return;
  std::vector<std::string> counters;
  const std::function<void(const StatGroup&, const std::string&)> collect = [&](const StatGroup& group,
                                                                                const std::string& prefix) {
    for (const Statistic* statistic : group.statistics()) {
      if (dynamic_cast<const Counter*>(statistic) != nullptr) counters.push_back(prefix + statistic->name());
    }
    for (const StatGroup* child : group.children()) collect(*child, prefix + child->name() + ".");
  };
  collect(root, "");
  throw ConfigError("--window-of", fmt::format("\"{}\", which is no counter of this run", path),
                    nearest_or_list(path, counters));
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
  effective["run"] = run_json(options, effective.at("blocks"));
  directory.write("effective.json", effective.dump(2) + "\n");

  StatSnapshots snapshots(simulation.stats());
  Measurement measurement(card, simulation.stats());
  Loop loop(options, simulation, card, wires, snapshots, measurement, progress);
  loop.start();
  check_window(options.window_of, simulation.stats());
  directory.keep();
  catch_signals();
  loop();
  progress.clear();
  for (const Card::Instance& instance : card.instances()) instance.block->finish();

  int code = loop.code();
  std::string reason = loop.reason();
  for (const auto& [name, user] : card.all<host::ScenarioUser>()) {
    const std::optional<std::string> failure = user->failure();
    if (!failure || code != kExitDone) continue;
    code = kExitFailure;
    reason = name + ": " + *failure;
    voice(LogLevel::kError, "{}", reason);
  }
  const std::vector<std::string> broken = simulation.stats().broken_laws();
  for (const std::string& law : broken) voice(LogLevel::kError, "counters contradict one another: {}", law);
  if (!broken.empty()) code = kExitDefect;
  const Outcome outcome{code, reason, now(), options.fidelity};
  nlohmann::ordered_json stats = stats_to_json(simulation.stats(), now());
  stats["outcome"] = {{"exit_code", code}, {"reason", reason}};
  stats["fidelity"] = options.fidelity == Fidelity::kFunctional ? "functional" : "approximate";
  directory.write("stats.json", stats.dump(1) + "\n");
  directory.write("stats.csv", stats_to_csv(simulation.stats(), now()));
  if (options.interval) directory.write("intervals.csv", snapshots.to_csv());
  if (!options.window_of.empty() && !measurement.begun())
    voice(LogLevel::kWarning, "nothing was measured: {} never moved", options.window_of);
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
