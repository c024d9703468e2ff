#include "host/host.h"

#include <fmt/format.h>

#include <set>

#include "sim/error.h"
#include "sim/systemc_time.h"

namespace dpusim::host {
namespace {

RootTiming root_timing(const HostConfig& config, bool functional) {
  if (functional) return {Time(0), Time(0), BitRate(0)};
  return {config.read_latency, config.write_latency, config.memory_bandwidth};
}

CpuTiming cpu_timing(const HostConfig& config, bool functional) {
  CpuTiming timing;
  timing.clock = Clock(config.clock);
  timing.functional = functional;
  if (functional) return timing;
  timing.mmio_write = config.mmio_write;
  timing.interrupt_latency = config.interrupt_latency;
  timing.interrupt_time = config.interrupt_time;
  return timing;
}

}  // namespace

const ConfigTable<HostConfig>& HostConfig::table() {
  using namespace literals;
  static const ConfigTable<HostConfig> table(
      "Host",
      {field("memory_size", &HostConfig::memory_size, between(2_MiB, Bytes(std::uint64_t{1} << 40)),
             "Memory; what does not fit below 3 GiB lies from 4 GiB on"),
       field("read_latency", &HostConfig::read_latency, between(0_ps, 100_us),
             "Root port to memory and back: request there to data there"),
       field("write_latency", &HostConfig::write_latency, between(0_ps, 100_us),
             "Posted write at the root port to visible to a core"),
       field("memory_bandwidth", &HostConfig::memory_bandwidth, between(1_Gbps, 100'000_Gbps),
             "Of memory, as all devices together can use it"),
       field("threads", &HostConfig::threads, between(1U, 256U), "Threads of the processor that programs can have"),
       field("clock", &HostConfig::clock, between(100_MHz, 10_GHz), "Of the processor: programs' work is in cycles"),
       field("mmio_write", &HostConfig::mmio_write, between(0_ps, 100_us),
             "Time of a core for a posted write to a device"),
       field("interrupt_latency", &HostConfig::interrupt_latency, between(0_ps, 1_ms),
             "MSI-X message visible to first instruction of the program's handler"),
       field("interrupt_time", &HostConfig::interrupt_time, between(0_ps, 1_ms),
             "Time of a core to enter and leave the handler"),
       field("bus_master", &HostConfig::bus_master, "Enumeration lets functions make requests (Bus Master Enable)")});
  return table;
}

Host::Host(const BlockContext& context, const HostConfig& config)
    : Host(sc_core::sc_module_name(context.name.c_str()), context, config) {}

Host::Host(const sc_core::sc_module_name& name, const BlockContext& context, const HostConfig& config)
    : sc_module(name),
      root_port("root_port"),
      context_(context),
      config_(config),
      memory_(config.memory_size),
      spurious_(context_.stats, "spurious_interrupts", "messages", "Interrupt messages that lead to no thread"),
      root_(memory_, root_timing(config, context.fidelity == Fidelity::kFunctional), context_.stats,
            [this](std::uint64_t address, std::uint32_t data, Time visible) {
              if (!services_.deliver(address, data, visible)) ++spurious_;
            }),
      downstream_(*this),
      services_(context.simulation, memory_, root_, downstream_,
                cpu_timing(config, context.fidelity == Fidelity::kFunctional), config.threads),
      enumeration_(context_.stats, "enumeration_time", "ps", "When enumeration of devices was done",
                   [this](Time) { return static_cast<double>(enumerated_.count()); }),
      event_("due") {
  root_port.bind(static_cast<PcieUpstream&>(*this));
  SC_HAS_PROCESS(Host);
  SC_METHOD(on_event);
  sensitive << event_;
  dont_initialize();
}

Host::~Host() = default;

std::vector<Port> Host::ports() { return {{"root_port", &root_port, "Root port: a PCIe link, or an endpoint"}}; }

void Host::before_end_of_elaboration() {
  if (root_port.get_base_port().bind_count() == 0) root_port.get_base_port().bind(empty_slot_);
}

void Host::set_programs(const nlohmann::ordered_json& list, const std::string& path) {
  if (!list.is_array()) throw ConfigError(path, list.type_name(), "a list of programs");
  std::set<std::string> names;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string place = fmt::format("{}[{}]", path, i);
    const nlohmann::ordered_json& json = list[i];
    const auto text = [&](const char* key) {
      const auto found = json.is_object() ? json.find(key) : json.end();
      if (found == json.end() || !found->is_string() || found->get<std::string>().empty())
        throw ConfigError(place + "." + key, found == json.end() ? "nothing" : found->dump(), "a text");
      return found->get<std::string>();
    };
    const ProgramType& type = find_program_type(text("type"), place + ".type");
    const std::string name = text("name");
    if (name.find('.') != std::string::npos)
      throw ConfigError(place + ".name", fmt::format("\"{}\"", name), "a name without dots");
    if (!names.insert(name).second || context_.stats.find(name) != nullptr)
      throw ConfigError(place + ".name", fmt::format("\"{}\", which is taken", name),
                        "a name of its own for each program");
    scenario_.push_back(type.config->effective(json, place));
    programs_.push_back(type.make(services_, context_.stats.child(name), json, place));
  }
  if (!programs_.empty()) event_.notify(sc_core::SC_ZERO_TIME);  // the kernel has something to do from the beginning
}

nlohmann::ordered_json Host::programs() const { return scenario_; }

bool Host::programs_done() const {
  return std::all_of(programs_.begin(), programs_.end(),
                     [](const auto& program) { return !program->ends() || program->done(); });
}

std::optional<std::string> Host::failure() const {
  std::string all;
  for (std::size_t i = 0; i < programs_.size(); ++i) {
    const std::optional<std::string> one = programs_[i]->failure();
    if (!one) continue;
    all += fmt::format("{}program {}: {}", all.empty() ? "" : "; ", scenario_[i].at("name").get<std::string>(), *one);
  }
  return all.empty() ? std::nullopt : std::optional(all);
}

bool Host::has_active_programs() const {
  return std::any_of(programs_.begin(), programs_.end(), [](const auto& program) { return program->ends(); });
}

void Host::start_of_simulation() {
  PcieEnumerator enumerator(downstream_, memory_.end(), config_.bus_master);
  services_.functions = enumerator.run(Time(0));
  enumerated_ = enumerator.done();
  for (const auto& program : programs_) program->prepare();
}

void Host::finish() {
  for (const auto& program : programs_) program->finish(now());
}

Time Host::to_root(PcieRequest& request, Time when) {
  const Time done = root_.serve(request, when, now());
  rearm();
  return done;
}

void Host::on_event() {
  armed_ = kTimeMax;
  if (tasks_.empty()) {
    for (const auto& program : programs_) tasks_.push_back(program->run(enumerated_));
    for (Task& task : tasks_) task.start();
  }
  services_.calendar.run(now());
  rearm();
}

void Host::rearm() {
  const Time due = services_.calendar.next();
  if (due == kTimeMax) return;  // a wake-up too many does no harm
  const Time wake = std::max(due, now());
  if (wake >= armed_) return;
  armed_ = wake;
  event_.notify(to_sc(wake - now()));
}

}  // namespace dpusim::host
