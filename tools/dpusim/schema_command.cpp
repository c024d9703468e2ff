#include <memory>

#include "commands.h"
#include "host/program.h"
#include "net/capture/frame_generator.h"
#include "platform/platform_schema.h"
#include "platform/run.h"
#include "platform/type_registry.h"
#include "sim/error.h"

namespace dpusim::tool {

namespace {

/// Prints the parameters of generated traffic and of host programs.
void print_scenario(bool as_json) {
  nlohmann::ordered_json all = nlohmann::ordered_json::object();
  const auto print = [&](const std::string& title, const std::string& place, const ConfigTableBase& table) {
    all[place] = table.schema();
    if (!as_json) fmt::print("## {}\n\n`scenario.{}`: {}.\n\n{}\n", title, place, table.text(), table.markdown());
  };
  print("generate", "receive.PORT.generate", net::GeneratorConfig::table());
  for (const host::ProgramType& type : host::program_types())
    print(type.name, fmt::format("programs.HOST[] of type \"{}\"", type.name), *type.config);
  if (as_json) fmt::print("{}\n", all.dump(2));
}

}  // namespace

Command add_schema(CLI::App& app) {
  struct Options {
    std::string type, format = "json";
    std::vector<std::string> plugins;
  };
  CLI::App* command =
      app.add_subcommand("schema", "Prints the JSON Schema of platform files, or the parameters of one block type");
  auto options = std::make_shared<Options>();
  command->add_option("TYPE", options->type,
                      "A block type, or \"scenario\" for generated traffic and host programs; without it, the schema "
                      "of a whole platform file");
  command
      ->add_option("--format", options->format,
                   "json (default), or markdown: a table of parameters (of one type, or of all)")
      ->type_name("json|markdown");
  command->add_option("--plugin", options->plugins, "Also know the block types of a shared library (repeatable)")
      ->type_name("FILE")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  return [options] {
    for (const std::string& file : options->plugins) platform::add_plugin(file, "--plugin");
    if (options->format != "json" && options->format != "markdown")
      throw ConfigError("--format", fmt::format("\"{}\"", options->format), "json or markdown");
    if (options->type == "scenario") {
      print_scenario(options->format == "json");
    } else if (options->format == "json") {
      fmt::print("{}\n", (options->type.empty() ? platform::platform_schema()
                                                : platform::find_type(options->type, "TYPE").config->schema())
                             .dump(2));
    } else {
      for (const BlockType* type : platform::block_types()) {
        if (!options->type.empty() && type != &platform::find_type(options->type, "TYPE")) continue;
        fmt::print("## {}\n\n{} (`models/{}`).\n\n{}\n", type->name, type->text, type->family,
                   type->config->markdown());
      }
    }
    return static_cast<int>(platform::kExitDone);
  };
}

}  // namespace dpusim::tool
