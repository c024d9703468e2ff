#include "platform/summary.h"

#include <cmath>

#include "sim/quantity_text.h"

namespace dpusim::platform {
namespace {

using Row = std::vector<std::string>;

/// Lays rows out in columns: the first to the left, the others to the right.
std::string columns(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line = " ";
    for (std::size_t i = 0; i < row.size(); ++i)
      line += i == 0 ? fmt::format(" {:<{}}", row[i], widths[i]) : fmt::format("  {:>{}}", row[i], widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

/// Reads statistics by path, as of the end of the run.
class Reader {
 public:
  Reader(const StatGroup& root, Time now) : root_(root), now_(now) {}
  [[nodiscard]] double number(const std::string& path) const {
    const Statistic* found = root_.find(path);
    return found == nullptr ? 0 : found->scalar(now_);
  }
  [[nodiscard]] const StatGroup* group(const std::string& name) const {
    for (const StatGroup* child : root_.children()) {
      if (child->name() == name) return child;
    }
    return nullptr;
  }
  [[nodiscard]] const Histogram* histogram(const std::string& path) const {
    return dynamic_cast<const Histogram*>(root_.find(path));
  }

 private:
  const StatGroup& root_;
  Time now_;
};

std::string count(double n) { return fmt::format("{:.0f}", n); }
std::string nanoseconds(double picoseconds) { return fmt::format("{:.0f}", picoseconds / 1e3); }

std::string bit_rate(double bits_per_second) {
  for (const auto& [unit, factor] : {std::pair("Gb/s", 1e9), std::pair("Mb/s", 1e6), std::pair("kb/s", 1e3)}) {
    if (bits_per_second >= factor) return fmt::format("{:.2f} {}", bits_per_second / factor, unit);
  }
  return fmt::format("{:.0f} b/s", bits_per_second);
}

/// What the port received and sent, and at what rate while it was receiving or sending.
void port_rows(std::vector<Row>& rows, const Reader& stats, const std::string& port, bool rates) {
  const auto row = [&](const char* what, const std::string& frames, const std::string& octets,
                       const std::string& wire) {
    const double first = stats.number(wire + ".first_bit"), last = stats.number(wire + ".last_bit");
    Row line = {port + " " + what, frames, octets};
    if (rates) line.push_back(last > first ? bit_rate(std::stod(octets) * 8 / (last - first) * 1e12) : "-");
    rows.push_back(std::move(line));
  };
  row("in", count(stats.number(port + ".etherStatsPkts")), count(stats.number(port + ".etherStatsOctets")),
      "wire_" + port + ".source");
  const double sent = stats.number(port + ".aFramesTransmittedOK");
  row("out", count(sent), count(stats.number(port + ".ifOutOctets")), "wire_" + port + ".sink");
}

struct Loss {
  std::string where;
  const Statistic* counter;
};

/// Counters of frames that did not get through, by reason: those of ports that begin with ifIn or ifOut and end in
/// Discards or Errors, and those of NICs that begin with dropped_.
std::vector<Loss> losses(const Card& card, const Reader& stats) {
  std::vector<Loss> found;
  for (const Card::Instance& instance : card.instances()) {
    const std::string& name = instance.description->name;
    const StatGroup* group = stats.group(name);
    if (group == nullptr) continue;
    for (const Statistic* statistic : group->statistics()) {
      const std::string& key = statistic->name();
      const bool port = instance.type->name == "ethernet_port" && (key == "ifInDiscards" || key == "ifInErrors" ||
                                                                   key == "ifOutDiscards" || key == "ifOutErrors");
      const bool nic = instance.type->name == "nic" && (key.starts_with("dropped_") || key == "tx_errors");
      if (port || nic) found.push_back({name, statistic});
    }
  }
  return found;
}

std::string traffic(const Card& card, const Reader& stats, const Outcome& outcome) {
  const bool rates = outcome.fidelity == Fidelity::kApproximate;
  std::vector<Row> rows = {{"port", "frames", "octets"}};
  if (rates) rows.front().push_back("rate");
  std::vector<Row> software = {{"NIC and software", "frames"}};
  for (const Card::Instance& instance : card.instances()) {
    const std::string& name = instance.description->name;
    if (instance.type->name == "ethernet_port") port_rows(rows, stats, name, rates);
    if (instance.type->name != "nic") continue;
    software.push_back({name + ": delivered to software", count(stats.number(name + ".rx_delivered"))});
    software.push_back({name + ": sent by software", count(stats.number(name + ".tx_frames"))});
    software.push_back({name + ": still inside", count(stats.number(name + ".rx_held"))});
  }
  if (rows.size() == 1) return "";
  std::string text =
      "Traffic (octets with FCS; rate from first to last bit, without preamble and gap)\n" + columns(rows);
  if (software.size() > 1) text += "\n" + columns(software);
  std::vector<Row> dropped = {{"dropped", "frames", "why"}};
  for (const Loss& loss : losses(card, stats)) {
    const double frames = loss.counter->scalar(outcome.time);
    if (frames > 0) dropped.push_back({loss.where + "." + loss.counter->name(), count(frames), loss.counter->text()});
  }
  if (dropped.size() == 1) dropped.push_back({"nothing by the card", "0", ""});
  return text + "\n" + columns(dropped);
}

std::string latency(const Card& card, const Reader& stats) {
  std::vector<Row> rows = {{"latency, ns", "frames", "min", "p50", "p90", "p99", "p99.9", "max"}};
  const auto row = [&](const std::string& path, const char* text) {
    const Histogram* h = stats.histogram(path);
    if (h == nullptr || h->count() == 0) return;
    rows.push_back({text, count(static_cast<double>(h->count())), nanoseconds(static_cast<double>(h->min()))});
    for (const double q : {0.5, 0.9, 0.99, 0.999})
      rows.back().push_back(nanoseconds(static_cast<double>(h->quantile(q))));
    rows.back().push_back(nanoseconds(static_cast<double>(h->max())));
  };
  for (const Card::Instance& instance : card.instances()) {
    if (instance.type->name != "nic") continue;
    const std::string& name = instance.description->name;
    row(name + ".rx_latency", "wire to memory (rx_latency)");
    row(name + ".card_latency", "wire to wire (card_latency)");
  }
  return rows.size() == 1 ? "" : "\n" + columns(rows);
}

/// Engines' jobs and octets; rates are over the whole run, as memory's.
std::string accelerators(const Card& card, const Reader& stats) {
  std::vector<Row> rows = {
      {"accelerator", "jobs", "failed", "octets in", "octets out", "queue p50, ns", "service p50, ns"}};
  for (const Card::Instance& instance : card.instances()) {
    if (instance.type->family != "accel") continue;
    const std::string& name = instance.description->name;
    const double jobs = stats.number(name + ".jobs");
    if (jobs == 0) continue;
    const auto median = [&](const std::string& path) {
      const Histogram* h = stats.histogram(name + path);
      return h == nullptr || h->count() == 0 ? std::string("-") : nanoseconds(static_cast<double>(h->quantile(0.5)));
    };
    rows.push_back({name, count(jobs), count(jobs - stats.number(name + ".jobs_ok")),
                    count(stats.number(name + ".octets_in")), count(stats.number(name + ".octets_out")),
                    median(".queue_time"), median(".service_time")});
  }
  return rows.size() == 1 ? "" : "\n" + columns(rows);
}

/// What a host's programs counted: their counters and the medians of their latencies, whatever they are.
std::string programs(const Card& card, const Reader& stats, bool latencies) {
  std::vector<Row> rows = {{"host program", "what", "count", "unit"}};
  for (const Card::Instance& instance : card.instances()) {
    const StatGroup* host = stats.group(instance.description->name);
    if (instance.type->family != "host" || host == nullptr) continue;
    for (const StatGroup* program : host->children()) {
      for (const Statistic* statistic : program->statistics()) {
        const std::string path = host->name() + "." + program->name();
        if (dynamic_cast<const Counter*>(statistic) != nullptr) {
          const double value = stats.number(path + "." + statistic->name());
          if (value > 0) rows.push_back({path, statistic->name(), count(value), statistic->unit()});
        } else if (const auto* h = dynamic_cast<const Histogram*>(statistic);
                   h != nullptr && h->count() > 0 && latencies) {
          for (const auto& [q, text] : {std::pair(0.5, " p50"), std::pair(0.99, " p99")})
            rows.push_back({path, statistic->name() + text, nanoseconds(static_cast<double>(h->quantile(q))), "ns"});
        }
      }
    }
  }
  return rows.size() == 1 ? "" : "\n" + columns(rows);
}

std::string cores(const Card& card, const Reader& stats) {
  std::vector<Row> rows = {{"core", "instructions", "IPC", "busy"}};
  for (const Card::Instance& instance : card.instances()) {
    if (dynamic_cast<const Processor*>(instance.block.get()) == nullptr) continue;
    const std::string& name = instance.description->name;
    const StatGroup* group = stats.group(name);
    if (group == nullptr) continue;
    for (const StatGroup* core : group->children()) {
      const std::string path = name + "." + core->name();
      const double retired = stats.number(path + ".instructions");
      if (retired == 0) continue;
      rows.push_back({path, count(retired), fmt::format("{:.2f}", stats.number(path + ".ipc")),
                      fmt::format("{:.3f} %", 100 * stats.number(path + ".utilisation"))});
    }
  }
  return rows.size() == 1 ? "" : "\n" + columns(rows);
}

std::string memory(const Card& card, const Reader& stats, const Outcome& outcome) {
  std::vector<Row> rows = {{"memory", "read, octets", "written, octets", "GB/s"}};
  const double seconds = static_cast<double>(outcome.time.count()) * 1e-12;
  for (const Card::Instance& instance : card.instances()) {
    if (instance.type->family != "mem") continue;
    const std::string& name = instance.description->name;
    const double read = stats.number(name + ".octets_read"), written = stats.number(name + ".octets_written");
    rows.push_back({name, count(read), count(written),
                    seconds > 0 ? fmt::format("{:.6f}", (read + written) / seconds / 1e9) : "-"});
  }
  return rows.size() == 1 ? "" : "\n" + columns(rows);
}

std::string instructions(const Card& card, const Reader& stats) {
  double all = 0;
  for (const Card::Instance& instance : card.instances()) {
    if (dynamic_cast<const Processor*>(instance.block.get()) == nullptr) continue;
    if (const StatGroup* group = stats.group(instance.description->name)) {
      for (const StatGroup* core : group->children())
        all += stats.number(instance.description->name + "." + core->name() + ".instructions");
    }
  }
  return all == 0 ? "" : fmt::format("\n  instructions  {:.0f}\n", all);
}

}  // namespace

std::string summarise(const Card& card, const StatGroup& root, const Outcome& outcome) {
  const Reader stats(root, outcome.time);
  std::string text =
      fmt::format("\n{}: {} after {:.6f} ms of simulated time (exit code {})\n\n", card.description().name,
                  outcome.reason, static_cast<double>(outcome.time.count()) / 1e9, outcome.code);
  text += traffic(card, stats, outcome);
  if (outcome.fidelity == Fidelity::kFunctional) {
    text += programs(card, stats, false);
    text += instructions(card, stats);
    return text + "\n  Functional fidelity: rates, latencies and utilisations are no measurements and are not shown.\n";
  }
  return text + latency(card, stats) + programs(card, stats, true) + accelerators(card, stats) + cores(card, stats) +
         memory(card, stats, outcome);
}

}  // namespace dpusim::platform
