#include <memory>

#include "commands.h"
#include "platform/run.h"
#include "sim/error.h"
#include "sim/quantity_text.h"

namespace dpusim::tool {
namespace {

/// The option texts before they are judged.
struct Texts {
  platform::RunOptions options;
  std::vector<std::string> set, receive, transmit;
  std::string scenario, warmup, loops, seed, max_instructions, speed, until, interval, start, settle, grace, fidelity,
      out;
};

std::vector<std::pair<std::string, std::string>> port_files(const std::vector<std::string>& texts, const char* option) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      throw ConfigError(option, fmt::format("\"{}\"", text), "PORT=FILE, such as p0=in.pcap");
    pairs.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return pairs;
}

void read_speed(platform::Traffic& traffic, const std::string& text) {
  if (text.empty()) return;
  traffic.line_rate = text == "line-rate";
  if (traffic.line_rate) return;
  std::size_t used = 0;
  try {
    traffic.speed = std::stod(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used != text.size() || !(traffic.speed > 0) || traffic.speed > 1e9 || traffic.speed < 1e-9)
    throw ConfigError("--speed", fmt::format("\"{}\"", text), "\"line-rate\" or a number from 1e-9 to 1e9, such as 2");
}

std::uint64_t whole_number(const std::string& text, const char* option) {
  const TextValue read = read_integer(text);
  if (!read.problem.empty() || read.value < 0 || read.value > static_cast<Wide>(UINT64_MAX))
    throw ConfigError(option, fmt::format("\"{}\"", text), "a whole number from 0 to 2^64 - 1");
  return static_cast<std::uint64_t>(read.value);
}

Time positive_time(const std::string& text, const char* option) {
  const Time time = parse_quantity<Time>(text, option);
  if (time <= Time(0)) throw ConfigError(option, fmt::format("\"{}\"", text), "a time above 0, such as 10ms");
  return time;
}

/// Takes what the scenario gives, as far as the options do not say otherwise (they are judged after it).
void apply_scenario(platform::RunOptions& options, const Texts& texts) {
  std::vector<std::string> changes;
  for (const std::string& text : texts.set) {
    if (text.starts_with("scenario.")) {
      changes.push_back(text.substr(9));
    } else {
      options.overrides.push_back(text);
    }
  }
  if (texts.scenario.empty() && changes.empty()) return;
  platform::Scenario scenario = platform::read_scenario(texts.scenario, changes);
  options.scenario = scenario.json;
  options.overrides.insert(options.overrides.begin(), scenario.overrides.begin(), scenario.overrides.end());
  if (options.firmware.empty()) options.firmware = std::move(scenario.firmware);
  if (options.arguments.empty()) options.arguments = std::move(scenario.arguments);
  options.files.insert(options.files.begin(), scenario.files.begin(), scenario.files.end());
  options.receive = std::move(scenario.receive);
  options.transmit = std::move(scenario.transmit);
  options.programs = std::move(scenario.programs);
  options.cables = std::move(scenario.cables);
  options.cable_delay = scenario.cable_delay;
  if (scenario.start) options.start = *scenario.start;
  if (scenario.window_of && options.window_of.empty()) options.window_of = *scenario.window_of;
  if (scenario.warmup) options.warmup = *scenario.warmup;
  if (scenario.settle) options.settle = *scenario.settle;
  if (scenario.grace) options.grace = *scenario.grace;
  if (scenario.seed) options.seed = *scenario.seed;
  options.until = scenario.until;
  options.interval = scenario.interval;
  options.max_instructions = scenario.max_instructions;
  if (scenario.fidelity == "functional") options.fidelity = Fidelity::kFunctional;
}

platform::RunOptions judge(const Texts& texts) {
  platform::RunOptions options = texts.options;
  apply_scenario(options, texts);
  for (std::string& image : options.firmware) image = platform::find_firmware(image);
  platform::Traffic replay;
  if (!texts.loops.empty()) replay.loops = whole_number(texts.loops, "--loop");
  read_speed(replay, texts.speed);
  for (const auto& [port, file] : port_files(texts.receive, "--rx")) {
    platform::Traffic traffic = replay;
    traffic.port = port;
    traffic.capture = file;
    traffic.place = "--rx " + port;
    options.receive.push_back(std::move(traffic));
  }
  for (const auto& pair : port_files(texts.transmit, "--tx")) options.transmit.push_back(pair);
  if (!texts.until.empty()) options.until = positive_time(texts.until, "--until");
  if (!texts.interval.empty()) options.interval = positive_time(texts.interval, "--interval");
  if (!texts.settle.empty()) options.settle = positive_time(texts.settle, "--settle");
  if (!texts.grace.empty()) options.grace = positive_time(texts.grace, "--grace");
  if (!texts.seed.empty()) options.seed = whole_number(texts.seed, "--seed");
  if (!texts.max_instructions.empty())
    options.max_instructions = whole_number(texts.max_instructions, "--max-instructions");
  if (!texts.start.empty()) {
    options.start = parse_quantity<Time>(texts.start, "--start");
    if (options.start < Time(0)) throw ConfigError("--start", fmt::format("\"{}\"", texts.start), "a time from 0 on");
  }
  if (!texts.warmup.empty()) {
    options.warmup = parse_quantity<Time>(texts.warmup, "--warmup");
    if (options.warmup < Time(0))
      throw ConfigError("--warmup", fmt::format("\"{}\"", texts.warmup), "a time from 0 on");
  }
  if (!texts.fidelity.empty()) {
    if (texts.fidelity != "functional" && texts.fidelity != "approximate")
      throw ConfigError("--fidelity", fmt::format("\"{}\"", texts.fidelity), "\"functional\" or \"approximate\"");
    options.fidelity = texts.fidelity == "functional" ? Fidelity::kFunctional : Fidelity::kApproximate;
  }
  options.out = texts.out;
  for (const platform::Traffic& traffic : options.receive) {
    if (!traffic.capture.empty() && traffic.loops == 0 && !options.until)
      throw ConfigError(traffic.place.starts_with("--") ? "--loop" : traffic.place + ".loop", "0 (for ever)",
                        "--until as well, so that the run ends");
  }
  return options;
}

}  // namespace

Command add_run(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("run", "Runs firmware and captures on a card, and leaves results in a directory");
  auto texts = std::make_shared<Texts>();
  platform::RunOptions& options = texts->options;
  command->add_option("PLATFORM", options.platform, "A platform file, or one that ships with dpusim (bluefield2)")
      ->required();
  command
      ->add_option("--scenario", texts->scenario,
                   "A JSON file that says what is done with the platform: firmware, traffic, host programs, limits; "
                   "options go before it")
      ->type_name("FILE");
  command
      ->add_option(
          "--set", texts->set,
          "Override a parameter: BLOCK.KEY=VALUE, such as p0.rate=25Gb/s or cpu.cores=4; or of the scenario, such as "
          "scenario.receive.p0.generate.size=1518B (repeatable)")
      ->type_name("PATH=VALUE")
      ->take_all()
      ->expected(1)
      ->allow_extra_args(false);
  command
      ->add_option("--firmware", options.firmware,
                   "Image to load: ELF, a raw FILE@ADDRESS, or the name of one that comes with dpusim, such as l3fwd "
                   "(repeatable; the first is started)")
      ->type_name("ELF")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  command->add_option("--rx", texts->receive, "Feed a pcap or pcapng file into a port from the wire (repeatable)")
      ->type_name("PORT=CAPTURE")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  command->add_option("--tx", texts->transmit, "Record what a port sends as pcapng with nanosecond stamps (repeatable)")
      ->type_name("PORT=FILE")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  command
      ->add_option("--file", options.files,
                   "Give firmware a file to read by semihosting, under its own or another NAME (repeatable)")
      ->type_name("PATH[=NAME]")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  command
      ->add_option("--speed", texts->speed,
                   "Replay X times as fast as recorded, or \"line-rate\": back to back (default: 1)")
      ->type_name("X|line-rate");
  command->add_option("--loop", texts->loops, "Replay captures N times; 0: for ever (default: 1)")->type_name("N");
  command
      ->add_option("--start", texts->start,
                   "When the first frame is on the wire (default: 20ms, when firmware has started)")
      ->type_name("TIME");
  command
      ->add_option("--warmup", texts->warmup,
                   "Traffic that flows before rates and occupancies are measured (default: 0)")
      ->type_name("TIME");
  command
      ->add_option(
          "--window-of", options.window_of,
          "Measure while this counter moves, such as compress.jobs (default: while anything in the data path does)")
      ->type_name("COUNTER");
  command->add_option("--until", texts->until, "End after this much simulated time, such as 10ms (exit code 3)")
      ->type_name("TIME");
  command
      ->add_option("--settle", texts->settle,
                   "Quiet time after the captures, before firmware is asked to finish (default: 100us)")
      ->type_name("TIME");
  command
      ->add_option("--grace", texts->grace,
                   "Time that firmware has to finish when asked (default: 100ms; then exit code 3)")
      ->type_name("TIME");
  command
      ->add_option("--max-instructions", texts->max_instructions,
                   "End when all cores together have retired N (exit code 3)")
      ->type_name("N");
  command->add_option("--interval", texts->interval, "Also write statistics every TIME to intervals.csv")
      ->type_name("TIME");
  command
      ->add_option("--fidelity", texts->fidelity,
                   "functional: fast, no timing results; approximate: timing modelled (default)")
      ->type_name("functional|approximate");
  command
      ->add_option("--seed", texts->seed, "Seed of random numbers (default: 1); generated traffic draws sizes and gaps")
      ->type_name("N");
  command
      ->add_option("--args", options.arguments, "Command line that firmware reads by semihosting, such as \"cores=2\"")
      ->type_name("TEXT");
  command->add_option("--out", texts->out, "Run directory (default: run-PLATFORM); an earlier run's is replaced")
      ->type_name("DIR");
  command
      ->add_option("--log", options.log,
                   "Messages: error, warning (default), info, debug or trace; also INSTANCE=LEVEL (repeatable)")
      ->type_name("LEVEL")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  command->add_flag("--quiet", options.quiet, "No progress line and no summary");
  command->footer(
      "The main job: replay a capture through the forwarding firmware of a BlueField-2-class card:\n"
      "  dpusim run bluefield2 --firmware build/release/firmware/l3fwd.elf \\\n"
      "      --rx p0=traces/mixed.p0.pcap --rx p1=traces/mixed.p1.pcap --tx p1=out.pcapng\n"
      "The run directory holds effective.json (every parameter as used), stats.json, stats.csv, summary.txt, UART logs "
      "and\n"
      "what firmware wrote. Without --until a run ends when firmware exits, or when the captures have ended and the "
      "card is quiet.");
  return [texts] { return platform::run(judge(*texts)); };
}

}  // namespace dpusim::tool
