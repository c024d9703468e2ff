#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <thread>

#include "commands.h"
#include "platform/platform_file.h"
#include "platform/run.h"
#include "platform/scenario.h"
#include "platform/type_registry.h"
#include "sim/error.h"
#include "sim/quantity_text.h"
#include "sweep/digest.h"
#include "sweep/sweep.h"

namespace dpusim::tool {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct Texts {
  std::string file, out, jobs, points;
  bool resume = false, list = false, quiet = false;
};

/// Reads what a point's run will read, as `dpusim run` does, and checks it.
class Inspector {
 public:
  explicit Inspector(const sweep::SweepFile& sweep) : sweep_(sweep) {}

  sweep::Inspection operator()(const std::vector<std::string>& settings) {
    std::vector<std::string> changes, overrides;
    for (const std::string& text : settings) {
      if (text.starts_with("scenario."))
        changes.push_back(text.substr(9));
      else
        overrides.push_back(text);
    }
    sweep::Inspection inspection;
    Json inputs = Json::array();
    if (!sweep_.scenario.empty() || !changes.empty()) {
      const platform::Scenario scenario = platform::read_scenario(sweep_.scenario, changes);
      overrides.insert(overrides.begin(), scenario.overrides.begin(), scenario.overrides.end());
      inspection.limited = scenario.until || scenario.max_instructions;
      inspection.functional = scenario.fidelity == "functional";
      if (scenario.seed) inspection.seed = std::to_string(*scenario.seed);
      if (!scenario.transmit.empty())
        throw ConfigError("scenario.transmit", "a file that every point would write",
                          R"(no recording in a sweep, such as by "set": {"scenario.transmit": {}})");
      inputs.push_back(scenario.json);
      for (const std::string& image : scenario.firmware) inputs.push_back(digest(image));
      for (const std::string& file : scenario.files) inputs.push_back(digest(file));
      for (const platform::Traffic& traffic : scenario.receive) inputs.push_back(digest(traffic.capture));
      add_named_files(inputs, scenario.json, fs::path(sweep_.scenario).parent_path());
    }
    const platform::PlatformDescription platform = platform::read_platform(sweep_.platform, overrides);
    for (std::size_t i = 0; i < platform.plugins.size(); ++i) {
      platform::add_plugin(platform.plugins[i], fmt::format("plugins[{}]", i));
      inputs.push_back(digest(platform.plugins[i]));
    }
    for (const platform::BlockDescription& block : platform.blocks)
      platform::find_type(block.type, block.path + ".type").config->effective(block.parameters, block.path);
    inputs.push_back(platform.json);
    add_named_files(inputs, platform.json, sweep_.folder);
    for (const std::string& argument : sweep_.arguments) {
      if (argument.starts_with("--firmware="))
        inputs.push_back(digest(platform::find_firmware(argument.substr(11))));
      else if (argument.starts_with("--rx="))
        inputs.push_back(digest(argument.substr(std::min(argument.find('=', 5), argument.size() - 1) + 1)));
      else if (argument.starts_with("--file="))
        inputs.push_back(digest(argument.substr(7)));
    }
    inspection.inputs = inputs.dump(-1, ' ', true, Json::error_handler_t::replace);
    return inspection;
  }

 private:
  /// Returns a file's digest. @param text its path; "@ADDRESS" and "=NAME" may follow.
  std::string digest(std::string text) {
    std::error_code ignored;
    if (!fs::is_regular_file(text, ignored)) text.resize(std::min({text.find("@0x"), text.find('='), text.size()}));
    const auto [known, fresh] = digests_.try_emplace(text);
    if (fresh) known->second = sweep::file_digest(text);
    return known->second;
  }

  // Programs of hosts may name files as well: whatever text of the scenario is one.
  void add_named_files(Json& inputs, const Json& json, const fs::path& beside) {
    if (json.is_structured()) {
      for (const Json& value : json) add_named_files(inputs, value, beside);
      return;
    }
    if (!json.is_string()) return;
    std::error_code ignored;
    const std::string text = json.get<std::string>();
    for (const fs::path& file : {beside / text, fs::path(text)}) {
      if (fs::is_regular_file(file, ignored)) inputs.push_back(digest(file.string()));
    }
  }

  const sweep::SweepFile& sweep_;
  std::map<std::string, std::string> digests_;
};

unsigned jobs_of(const std::string& text) {
  if (text.empty()) return std::max(1U, std::thread::hardware_concurrency());
  const TextValue read = read_integer(text);
  if (!read.problem.empty() || read.value < 1 || read.value > 1024)
    throw ConfigError("-j", fmt::format("\"{}\"", text), "a number of processes from 1 to 1024");
  return static_cast<unsigned>(read.value);
}

int list(const sweep::SweepFile& sweep, const std::vector<bool>& selected) {
  for (std::uint64_t number = 0; number < sweep.points(); ++number) {
    if (!selected.empty() && !selected[number]) continue;
    const sweep::Point point = sweep::point_at(sweep, number);
    fmt::print("{}  {}\n", sweep::folder_name(sweep, number), sweep::point_text(sweep, point));
    for (const std::string& text : sweep::settings_of(sweep, point)) fmt::print("      --set '{}'\n", text);
  }
  return platform::kExitDone;
}

int run(const Texts& texts) {
  const sweep::SweepFile sweep = sweep::read_sweep(texts.file);
  sweep::SweepOptions options;
  options.out = fs::absolute(texts.out.empty() ? "sweep-" + fs::path(texts.file).stem().string() : texts.out);
  options.jobs = jobs_of(texts.jobs);
  options.resume = texts.resume;
  options.quiet = texts.quiet;
  if (!texts.points.empty()) options.selected = sweep::parse_selection(texts.points, sweep.points());
  const fs::path program = fs::read_symlink("/proc/self/exe");
  // Paths in the file are relative to it, here as in the points' runs; those of the environment are not.
  for (const char* name : {"DPUSIM_PLATFORMS", "DPUSIM_FIRMWARE"}) {
    if (const char* set = std::getenv(name); set != nullptr)
      setenv(name, fs::absolute(set).c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
  }
  fs::current_path(sweep.folder);
  const auto inspector = std::make_shared<Inspector>(sweep);
  const sweep::Simulator simulator = {program.string(), DPUSIM_VERSION, sweep::file_digest(program),
                                      [inspector](const auto& settings) { return (*inspector)(settings); }};
  sweep::check_axes(sweep, simulator);
  return texts.list ? list(sweep, options.selected) : sweep::run_sweep(sweep, simulator, options);
}

}  // namespace

Command add_sweep(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("sweep", "Runs a platform at many parameters, several at a time, and draws what came out");
  auto texts = std::make_shared<Texts>();
  command->add_option("FILE", texts->file, "A sweep file: axes, measures and charts (docs/sweeps.md)")->required();
  command->add_option("-j,--jobs", texts->jobs, "Processes at a time (default: one a processor)")->type_name("N");
  command
      ->add_option("--out", texts->out,
                   "Sweep directory (default: sweep-FILE); an earlier sweep's is replaced once it has ended")
      ->type_name("DIR");
  command->add_option("--points", texts->points, "Only these points, such as 1-4,7")->type_name("NUMBERS");
  command->add_flag("--resume", texts->resume, "Keep the points of --out that are done and whose inputs are the same");
  command->add_flag("--list", texts->list, "Print the points and their parameters, and run nothing");
  command->add_flag("--quiet", texts->quiet, "No progress and no summary");
  command->footer(
      "The sweep directory holds index.html (charts and a table, which opens without a network), results.csv,\n"
      "results.json, and a folder a point. Exit codes: 0 all points are done; 1 some failed; 2 wrong use or\n"
      "configuration; 3 interrupted (--resume goes on).");
  return [texts] { return run(*texts); };
}

}  // namespace dpusim::tool
