#include <memory>

#include "commands.h"
#include "platform/card.h"
#include "platform/describe.h"
#include "platform/run.h"
#include "sim/error.h"

namespace dpusim::tool {

Command add_describe(CLI::App& app) {
  struct Options {
    std::string platform, format = "text";
    std::vector<std::string> overrides;
  };
  CLI::App* command = app.add_subcommand("describe", "Shows a platform's blocks, memory map and connections");
  auto options = std::make_shared<Options>();
  command->add_option("PLATFORM", options->platform, "A platform file, or one that ships with dpusim (bluefield2)")
      ->required();
  command->add_option("--set", options->overrides, "Override a parameter, as of `dpusim run`")
      ->type_name("PATH=VALUE")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  command
      ->add_option("--format", options->format,
                   "text (default), graphviz (`| dot -Tsvg`), mermaid, or json: the effective platform file")
      ->type_name("text|graphviz|mermaid|json");
  return [options] {
    Log log([](LogLevel, const std::string& line) { fmt::print(stderr, "{}\n", line); }, [] { return Time(0); });
    Simulation simulation(log, 1, Fidelity::kFunctional, {});
    const platform::Card card(platform::read_platform(options->platform, options->overrides), simulation);
    if (options->format == "text") {
      fmt::print("{}", platform::describe_text(card));
    } else if (options->format == "graphviz") {
      fmt::print("{}", platform::describe_graphviz(card));
    } else if (options->format == "mermaid") {
      fmt::print("{}", platform::describe_mermaid(card));
    } else if (options->format == "json") {
      fmt::print("{}\n", card.effective().dump(2));
    } else {
      throw ConfigError("--format", fmt::format("\"{}\"", options->format), "text, graphviz, mermaid or json");
    }
    return static_cast<int>(platform::kExitDone);
  };
}

}  // namespace dpusim::tool
