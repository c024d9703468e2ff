// The regular-expression accelerator's algorithm: many patterns at once, in buffers and in streams.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "accel/function.h"
#include "accel/regex/match_store.h"
#include "accel/regex/regex_config.h"
#include "accel/regex/rule_set.h"

namespace dpusim::accel {

/// Computes opcodes 0x30 and 0x31. Its state is the open streams.
class RegexFunction : public Function {
 public:
  /// @param sets rules by rule set. @error ConfigError for a pattern that cannot be compiled.
  RegexFunction(const RegexConfig& config, std::vector<std::vector<Rule>> sets);
  ~RegexFunction() override;
  RegexFunction(const RegexFunction&) = delete;
  RegexFunction& operator=(const RegexFunction&) = delete;
  [[nodiscard]] std::uint8_t check(const AccelJob& job) const override;
  FunctionResult run(const AccelJob& job, std::span<const std::uint8_t> source,
                     std::span<std::uint8_t> destination) override;
  [[nodiscard]] std::uint32_t most_produced(const AccelJob& job) const override;
  void reset() override;
  [[nodiscard]] std::size_t open_streams() const { return streams_.size(); }

 private:
  struct Stream {
    hs_stream_t* handle = nullptr;
    unsigned set = 0;
    std::vector<bool> done;  ///< by rule: its single match was found
  };
  FunctionResult scan_buffer(const AccelJob& job, std::span<const std::uint8_t> source,
                             std::span<std::uint8_t> destination);
  FunctionResult scan_stream(const AccelJob& job, std::span<const std::uint8_t> source,
                             std::span<std::uint8_t> destination);
  /// Opens a stream or takes a handle of one that was closed.
  [[nodiscard]] Stream open(unsigned set);
  /// Scans the next octets of a stream. @return whether all matches went to the store.
  bool scan(Stream& stream, std::span<const std::uint8_t> octets);
  /// Reports what matches at a stream's end and leaves the handle for another. @return as scan().
  bool end(Stream& stream);
  /// Throws a stream away.
  static void drop(Stream& stream);
  FunctionResult report(const AccelJob& job, std::span<std::uint8_t> destination);

  RegexConfig config_;
  std::vector<RuleSet> sets_;
  std::unique_ptr<hs_scratch_t, VectorscanFree> scratch_;
  MatchStore store_;
  std::map<std::uint16_t, Stream> streams_;        ///< open, by number
  std::vector<std::vector<hs_stream_t*>> unused_;  ///< by rule set: handles of closed streams
};

}  // namespace dpusim::accel
