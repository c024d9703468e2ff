// The subcommands of dpusim: each adds itself to the command line and returns what runs it.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace dpusim::tool {

/// Runs a parsed subcommand. @return the exit code.
using Command = std::function<int()>;

Command add_run(CLI::App& app);
Command add_describe(CLI::App& app);
Command add_schema(CLI::App& app);
Command add_sweep(CLI::App& app);

}  // namespace dpusim::tool
