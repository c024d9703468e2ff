#include "host/program.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/dma_program.h"
#include "host/ping_pong_program.h"
#include "host/receive_program.h"
#include "host/reflect_program.h"
#include "host/send_program.h"
#include "sim/nearest.h"

namespace dpusim::host {

std::optional<std::string> Program::failure() const {
  if (auto text = trouble()) return text;
  if (bad_completions_.value() == 0) return std::nullopt;
  return fmt::format("{} completions that no request explains", bad_completions_.value());
}

void Program::add_utilisation(unsigned number, const HostThread& thread) {
  utilisations_.push_back(std::make_unique<Formula>(
      stats_, fmt::format("thread{}_utilisation", number), "ratio",
      fmt::format(
          "Fraction of the run in which thread {} of the program was in use; looking at empty rings does not count",
          number),
      [&thread](Time now) {
        if (now <= Time(0)) return 0.0;
        return std::min(1.0, static_cast<double>(thread.busy().count()) / static_cast<double>(now.count()));
      },
      FormulaKind::kTimeMean));
}

std::span<const ProgramType> program_types() {
  static const ProgramType types[] = {
      program_type<ReceiveProgram, ReceiveConfig>(
          "receive", "Takes frames from a port, with polling or interrupts, on one or more threads"),
      program_type<SendProgram, SendConfig>("send", "Sends frames by a port, at a rate or as fast as it can"),
      program_type<PingPongProgram, PingPongConfig>("ping_pong",
                                                    "Sends a frame and waits for the answer, again and again"),
      program_type<ReflectProgram, ReflectConfig>("reflect", "Sends back what a port receives"),
      program_type<DmaProgram, DmaProgramConfig>("dma", "Copies between host memory and the card by an accelerator"),
  };
  return types;
}

const ProgramType& find_program_type(const std::string& name, const std::string& path) {
  std::vector<std::string> names;
  for (const ProgramType& type : program_types()) {
    if (type.name == name) return type;
    names.push_back(type.name);
  }
  throw ConfigError(path, fmt::format("unknown program \"{}\"", name), nearest_or_list(name, names));
}

}  // namespace dpusim::host
