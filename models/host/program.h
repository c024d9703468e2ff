// A program of a host's scenario: what all types have in common.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "host/host_services.h"
#include "sim/config.h"

namespace dpusim::host {

/// Parameters that every program has.
struct ProgramConfig {
  std::string type, name;
  Time start{0};  ///< not before enumeration is done
  DeviceConfig device;
};

/// One program: made from its JSON object, prepared when devices are known, then run.
class Program {
 public:
  /// @param who JSON path, for messages.
  Program(HostServices& host, StatGroup& stats, std::string who)
      : host_(host),
        stats_(stats),
        who_(std::move(who)),
        bad_completions_(stats, "bad_completions", "completions",
                         "Completions that no request of the program explains") {}
  virtual ~Program() = default;
  /// Takes what the program needs: threads, memory, queues. Once, before time starts. @error ConfigError.
  virtual void prepare() = 0;
  /// Returns the program itself. @param from when it may start.
  virtual Task run(Time from) = 0;
  /// Tells whether it ends by itself.
  [[nodiscard]] virtual bool ends() const { return true; }
  [[nodiscard]] virtual bool done() const = 0;
  /// Called once after the last event.
  virtual void finish(Time /*now*/) {}
  /// Tells what went wrong, after finish(): what its type calls a failure, or completions that nothing explains.
  [[nodiscard]] std::optional<std::string> failure() const;

 protected:
  /// Tells what the type of program calls a failure; nothing by default.
  [[nodiscard]] virtual std::optional<std::string> trouble() const { return std::nullopt; }
  /// Counts a completion that no request explains.
  void note_bad_completion() { ++bad_completions_; }
  /// Adds "threadN_utilisation" of a thread of the program.
  void add_utilisation(unsigned number, const HostThread& thread);
  [[nodiscard]] HostServices& host() { return host_; }
  [[nodiscard]] StatGroup& stats() { return stats_; }
  [[nodiscard]] const std::string& who() const { return who_; }

 private:
  HostServices& host_;
  StatGroup& stats_;
  std::string who_;
  Counter bad_completions_;
  std::vector<std::unique_ptr<Formula>> utilisations_;
};

/// One type of program.
struct ProgramType {
  std::string name, text;
  const ConfigTableBase* config;
  std::function<std::unique_ptr<Program>(HostServices&, StatGroup&, const nlohmann::ordered_json&,
                                         const std::string& path)>
      make;
};

/// Makes the row of a type whose constructor takes (HostServices&, StatGroup&, const Config&, path).
template <class Type, class Config>
ProgramType program_type(std::string name, std::string text) {
  return {
      std::move(name), std::move(text), &Config::table(),
      [](HostServices& host, StatGroup& stats, const nlohmann::ordered_json& json, const std::string& path) {
        return std::unique_ptr<Program>(std::make_unique<Type>(host, stats, Config::table().parse(json, path), path));
      }};
}

/// Returns all types.
std::span<const ProgramType> program_types();
/// Returns the type of this name. @error ConfigError.
const ProgramType& find_program_type(const std::string& name, const std::string& path);

}  // namespace dpusim::host
