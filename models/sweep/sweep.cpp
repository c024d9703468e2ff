#include "sweep/sweep.h"

#include <algorithm>
#include <csignal>
#include <deque>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

#include "sim/error.h"
#include "sweep/digest.h"
#include "sweep/page.h"
#include "sweep/results.h"
#include "sweep/sweep_directory.h"
#include "sweep/sweep_progress.h"
#include "sweep/worker_pool.h"

namespace dpusim::sweep {
namespace {

using Json = nlohmann::ordered_json;
using Status = PointResult::Status;
namespace fs = std::filesystem;

enum ExitCode { kDone = 0, kFailed = 1, kUsage = 2, kLimit = 3 };  // as those of `dpusim run`

// When the first point's configuration is wrong, so many points over the whole sweep are tried next: if all are wrong,
// none is run.
constexpr std::uint64_t kProbes = 16;
constexpr int kSecondsToEnd = 10;

volatile std::sig_atomic_t interrupted = 0;

void on_signal(int signal) {
  interrupted = 1;
  std::signal(signal, SIG_DFL);  // a second one ends at once
}

/// Lets Ctrl-C end a sweep in order while it exists.
class SignalGuard {
 public:
  SignalGuard() : int_(std::signal(SIGINT, on_signal)), term_(std::signal(SIGTERM, on_signal)) { interrupted = 0; }
  ~SignalGuard() {
    std::signal(SIGINT, int_);
    std::signal(SIGTERM, term_);
  }
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;

 private:
  void (*int_)(int);
  void (*term_)(int);
};

Json read_json(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  if (!stream || !(text << stream.rdbuf())) return nullptr;
  Json json = Json::parse(text.str(), nullptr, false);
  return json.is_discarded() ? Json() : json;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

/// Runs the points of one sweep.
class Runner {
 public:
  Runner(const SweepFile& sweep, const Simulator& simulator, const SweepOptions& options)
      : sweep_(sweep),
        simulator_(simulator),
        options_(options),
        directory_(options.out, options.resume),
        results_(sweep.points()) {
    const std::uint64_t last = results_.size() - 1, gaps = std::min(kProbes - 1, last);
    for (std::uint64_t i = 0; i <= gaps; ++i) probes_.push_back(gaps == 0 ? 0 : i * last / gaps);
  }

  int run() {
    const SignalGuard guard;
    for (std::uint64_t number = 0; number < results_.size(); ++number) {
      if (options_.selected.empty() || options_.selected[number]) pending_.push_back(number);
    }
    const std::size_t wanted = pending_.size();
    if (options_.resume) take_done_points();
    SweepProgress progress(!options_.quiet, wanted, wanted - pending_.size());
    progress_ = &progress;
    while (interrupted == 0 && (pool_.running() > 0 || !pending_.empty())) {
      while (interrupted == 0 && pool_.running() < options_.jobs && !pending_.empty()) start(next());
      if (const auto end = pool_.wait(100)) finish(*end);
      progress.refresh();
    }
    if (interrupted != 0) return interrupt();
    return write_results();
  }

 private:
  [[nodiscard]] std::string name(std::uint64_t number) const { return folder_name(sweep_, number); }

  std::string digest(const Point& point, const Inspection& inspection) const {
    return text_digest(Json({simulator_.identity, arguments_of(sweep_, point), inspection.inputs})
                           .dump(-1, ' ', true, Json::error_handler_t::replace));
  }

  Inspection inspect(const Point& point) const {
    return simulator_.inspect ? simulator_.inspect(settings_of(sweep_, point)) : Inspection{};
  }

  // Keeps what an earlier sweep of this directory has done with the same inputs.
  void take_done_points() {
    std::map<std::string, std::string> wanted;
    for (std::uint64_t number = 0; number < results_.size() && interrupted == 0; ++number) {
      const Point point = point_at(sweep_, number);
      try {
        wanted[name(number)] = digest(point, inspect(point));
      } catch (const ConfigError&) {
        continue;  // reported when its turn comes
      }
    }
    if (interrupted != 0) return;
    directory_.arrange(wanted);
    std::erase_if(pending_, [&](std::uint64_t number) {
      const auto found = wanted.find(name(number));
      const std::optional<Json> marker = directory_.marker(name(number));
      if (found == wanted.end() || !marker || (*marker)["inputs"] != found->second) return false;
      results_[number].exit_code = marker->value("exit_code", 0);
      take_measures(number, (*marker)["results"]);
      return true;
    });
  }

  [[nodiscard]] bool misconfigured(std::uint64_t number) const {
    return results_[number].status == Status::kFailed && results_[number].exit_code == kUsage;
  }

  // The points in their order; the probes first when the first one's configuration is wrong.
  std::uint64_t next() {
    auto at = pending_.begin();
    for (const std::uint64_t probe : probes_) {
      const auto found = misconfigured(0) ? std::find(pending_.begin(), pending_.end(), probe) : pending_.end();
      if (found == pending_.end()) continue;
      at = found;
      break;
    }
    const std::uint64_t number = *at;
    pending_.erase(at);
    return number;
  }

  // Which points this looks at does not depend on the order in which they end, so neither does what the user sees.
  void check_probes() {
    if (!std::all_of(probes_.begin(), probes_.end(), [&](std::uint64_t probe) { return misconfigured(probe); })) return;
    directory_.discard_points();
    throw ConfigError(results_[0].reason);
  }

  void start(std::uint64_t number) {
    const Point point = point_at(sweep_, number);
    Started started;
    try {
      started.inspection = inspect(point);
    } catch (const ConfigError& error) {
      return fail(number, kUsage, error.what());
    }
    started.digest = digest(point, started.inspection);
    const fs::path folder = directory_.make_point(name(number));
    std::vector<std::string> command = {simulator_.program};
    for (std::string& argument : arguments_of(sweep_, point)) command.push_back(std::move(argument));
    command.insert(command.end(), {"--out", (folder / "run").string(), "--quiet"});
    pool_.start(number, command, sweep_.folder, folder / "stderr.txt");
    started_[number] = std::move(started);
  }

  void finish(const WorkerPool::End& end) {
    const Started started = std::move(started_[end.number]);
    started_.erase(end.number);
    const fs::path folder = directory_.point(name(end.number));
    const Json results = read_json(folder / "run" / "results.json");
    const std::string outcome = outcome_of(results);
    // The user, and firmware that does not finish, end runs with this code as well.
    const bool limit = end.code == kLimit && (sweep_.limited || started.inspection.limited) &&
                       outcome.find(" limit ") != std::string::npos;
    if (end.code != kDone && !limit) return fail(end.number, end.code, failure_text(end, folder, outcome));
    if (!results.is_object()) return fail(end.number, end.code, "it left no results.json");
    directory_.keep();
    Json marker = {{"schema", {{"name", "dpusim-sweep-point"}, {"version", 1}}},
                   {"parameters", point_text(sweep_, point_at(sweep_, end.number))},
                   {"arguments", arguments_of(sweep_, point_at(sweep_, end.number))},
                   {"inputs", started.digest},
                   {"exit_code", end.code}};
    marker["results"] = results;
    directory_.mark(name(end.number), marker);
    results_[end.number].exit_code = end.code;
    take_measures(end.number, results);
    const PointResult& result = results_[end.number];
    progress_->ended(end.number, point_text(sweep_, point_at(sweep_, end.number)),
                     result.status == Status::kFailed ? result.reason : "");
  }

  static std::string outcome_of(const Json& results) {
    if (!results.is_object() || !results.contains("outcome") || !results["outcome"].is_object()) return "";
    const Json& outcome = results["outcome"];
    return outcome.contains("reason") && outcome["reason"].is_string() ? outcome["reason"].get<std::string>() : "";
  }

  // What dpusim said of its end, without paths of this host.
  std::string failure_text(const WorkerPool::End& end, const fs::path& folder, const std::string& outcome) const {
    std::ifstream stream(folder / "stderr.txt");
    std::string first, said;
    for (std::string line; said.empty() && std::getline(stream, line);) {
      if (first.empty()) first = line;
      if (line.starts_with("dpusim: ")) said = line.substr(8);
    }
    if (said.empty()) said = outcome.empty() ? first : outcome;
    if (end.signal != 0) said = fmt::format("ended by signal {}{}{}", end.signal, said.empty() ? "" : ": ", said);
    if (said.empty()) said = fmt::format("exit code {}", end.code);
    said = replaced(std::move(said), folder.string() + "/", "");
    return replaced(std::move(said), sweep_.folder.string() + "/", "");
  }

  void take_measures(std::uint64_t number, const Json& results) {
    PointResult& result = results_[number];
    try {
      result.measured = measure(sweep_.measures, results,
                                [&] { return read_json(directory_.point(name(number)) / "run" / "stats.json"); });
      result.status = Status::kDone;
      result.reason = outcome_of(results);
    } catch (const ConfigError& error) {
      result.status = Status::kFailed;
      result.reason = error.what();
    }
  }

  void fail(std::uint64_t number, int code, const std::string& reason) {
    PointResult& result = results_[number];
    result.status = Status::kFailed;
    result.exit_code = code;
    result.reason = reason;
    if (code == kUsage) check_probes();
    progress_->ended(number, point_text(sweep_, point_at(sweep_, number)), reason);
  }

  // What all points have in common is taken from the first whose configuration is right.
  SweepFacts find_facts() const {
    SweepFacts facts{simulator_.version, "1", sweep_.functional ? "functional" : "approximate"};
    if (sweep_.run.contains("seed"))
      facts.seed = sweep_.run["seed"].is_string() ? sweep_.run["seed"].get<std::string>() : sweep_.run["seed"].dump();
    for (std::uint64_t number = 0; number < results_.size(); ++number) {
      if (results_[number].status != Status::kDone) continue;
      const Inspection inspection = inspect(point_at(sweep_, number));
      if (!sweep_.run.contains("seed") && !inspection.seed.empty()) facts.seed = inspection.seed;
      if (!sweep_.run.contains("fidelity") && inspection.functional) facts.fidelity = "functional";
      break;
    }
    return facts;
  }

  // Ends what runs. What it had so far is no result: these points run anew on --resume.
  int interrupt() {
    pool_.signal_all(SIGTERM);
    for (int i = 0; i < kSecondsToEnd * 10 && pool_.running() > 0; ++i) pool_.wait(100);
    directory_.keep();
    const auto done =
        std::count_if(results_.begin(), results_.end(), [](const PointResult& r) { return r.status == Status::kDone; });
    fmt::print(stderr, "dpusim: interrupted; {} of {} points are done, --resume --out {} runs the others\n", done,
               results_.size(), options_.out.string());
    return kLimit;
  }

  int write_results() {
    directory_.keep();
    const SweepFacts facts = find_facts();
    const Json json = results_json(sweep_, facts, results_);
    directory_.write("results.csv", results_csv(sweep_, results_));
    directory_.write("index.html", page_html(sweep_, facts, results_));
    directory_.write("results.json", json.dump(2, ' ', true, Json::error_handler_t::replace) + "\n");
    const auto count = [&](Status status) {
      return std::count_if(results_.begin(), results_.end(), [&](const PointResult& r) { return r.status == status; });
    };
    if (!options_.quiet) {
      fmt::print("{}: {} points, {} done, {} failed", sweep_.name, results_.size(), count(Status::kDone),
                 count(Status::kFailed));
      if (count(Status::kNotRun) > 0) fmt::print(", {} not run", count(Status::kNotRun));
      fmt::print("; results in {}\n", (options_.out / "index.html").string());
    }
    return count(Status::kFailed) > 0 ? kFailed : kDone;
  }

  struct Started {
    Inspection inspection;
    std::string digest;
  };

  const SweepFile& sweep_;
  const Simulator& simulator_;
  const SweepOptions& options_;
  SweepDirectory directory_;
  WorkerPool pool_;  // after directory_, so that workers end before the directory is let go
  SweepProgress* progress_ = nullptr;
  std::vector<PointResult> results_;
  std::deque<std::uint64_t> pending_;
  std::map<std::uint64_t, Started> started_;
  std::vector<std::uint64_t> probes_;
};

}  // namespace

int run_sweep(const SweepFile& sweep, const Simulator& simulator, const SweepOptions& options) {
  DPUSIM_CHECK(options.jobs > 0, "no jobs");
  return Runner(sweep, simulator, options).run();
}

void check_axes(const SweepFile& sweep, const Simulator& simulator) {
  if (!simulator.inspect) return;
  constexpr std::size_t kChecked = 500;  // values of an axis; a longer one is a range
  std::map<std::uint64_t, std::string> problems;
  const auto problem = [&](const std::vector<std::size_t>& values) {
    const auto [known, fresh] = problems.try_emplace(number_of(sweep, values));
    if (!fresh) return known->second;
    try {
      simulator.inspect(settings_of(sweep, Point{known->first, values}));
    } catch (const ConfigError& error) {
      known->second = error.what();
    }
    return known->second;
  };
  std::vector<std::size_t> first(sweep.axes.size()), last;
  for (const Axis& axis : sweep.axes) last.push_back(axis.values.size() - 1);
  for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis) {
    const std::size_t count = std::min(sweep.axes[axis].values.size(), kChecked);
    for (std::size_t value = 0; value < count; ++value) {
      std::vector<std::size_t> values = first;
      values[axis] = value;
      const std::string found = problem(values);
      if (found.empty()) continue;
      values = last;
      values[axis] = value;
      if (!problem(values).empty())
        throw ConfigError(fmt::format("{} {}: {}", sweep.axes[axis].name, sweep.axes[axis].values[value].label, found));
    }
  }
}

}  // namespace dpusim::sweep
