#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <systemc>

#include "commands.h"
#include "platform/run.h"
#include "sim/error.h"

namespace {

using dpusim::tool::Command;

int dispatch(int argc, char** argv) {
  CLI::App app("dpusim: a cycle-approximate simulator of a DPU card");
  app.set_version_flag("--version", DPUSIM_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 done; 1 the guest or the scenario reported failure; 2 wrong use or configuration (nothing was "
      "run);\n"
      "3 a limit or Ctrl-C ended the run (results are written); 4 a defect of dpusim.\n"
      "`dpusim COMMAND --help` explains a command.");
  const std::map<std::string, Command> commands = {{"run", dpusim::tool::add_run(app)},
                                                   {"describe", dpusim::tool::add_describe(app)},
                                                   {"schema", dpusim::tool::add_schema(app)},
                                                   {"sweep", dpusim::tool::add_sweep(app)}};
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? dpusim::platform::kExitDone : dpusim::platform::kExitUsage;
  }
  return commands.at(app.get_subcommands().front()->get_name())();
}

}  // namespace

int sc_main(int argc, char* argv[]) {
  try {
    return dispatch(argc, argv);
  } catch (const dpusim::ConfigError& error) {
    fmt::print(stderr, "dpusim: {}\n", error.what());
    return dpusim::platform::kExitUsage;
  } catch (const dpusim::OutputError& error) {
    fmt::print(stderr, "dpusim: results could not be written: {}\n", error.what());
    return dpusim::platform::kExitFailure;
  } catch (const std::exception& error) {
    fmt::print(stderr, "dpusim: this is a defect of dpusim: {}\n", error.what());
    return dpusim::platform::kExitDefect;
  }
}

int main(int argc, char* argv[]) {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);  // NOLINT(concurrency-mt-unsafe): before any thread
  return sc_core::sc_elab_and_sim(argc, argv);
}
