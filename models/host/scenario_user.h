// What a run needs of a block that plays a part of the scenario.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace dpusim::host {

/// A block whose programs come from the scenario rather than the platform file.
class ScenarioUser {
 public:
  virtual ~ScenarioUser() = default;
  /// Sets the programs, once, before time starts. @param list a JSON list of objects with "type". @param path its JSON
  /// path.
  /// @error ConfigError.
  virtual void set_programs(const nlohmann::ordered_json& list, const std::string& path) = 0;
  /// Returns the programs as they take effect, every parameter given.
  [[nodiscard]] virtual nlohmann::ordered_json programs() const = 0;
  /// Tells whether every program that ends by itself has ended. Programs that only answer (receive without a count,
  /// reflect) do not keep a run going.
  [[nodiscard]] virtual bool programs_done() const = 0;
  /// Tells what went wrong with the programs, if the run is to be a failure (exit code 1) for it: jobs that failed,
  /// rounds that were all lost, requests refused.
  [[nodiscard]] virtual std::optional<std::string> failure() const { return std::nullopt; }
  /// Tells whether there is a program that ends by itself.
  [[nodiscard]] virtual bool has_active_programs() const = 0;
};

}  // namespace dpusim::host
