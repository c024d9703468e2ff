#include "cpu/a64/arm_cluster.h"

#include <algorithm>

#include "sim/error.h"

namespace dpusim::cpu {

using namespace dpusim::literals;

namespace {
constexpr unsigned kLine = 64;
}

const ConfigTable<ArmClusterConfig>& ArmClusterConfig::table() {
  using C = ArmClusterConfig;
  static const ConfigTable<C> table(
      "Cluster of AArch64 cores",
      {field("core", &C::core, one_of({{"cortex-a72", CoreModel::kCortexA72}, {"cortex-a78", CoreModel::kCortexA78}}),
             "Which core: ID registers, optional instructions (LSE on cortex-a78) and static costs"),
       field("cores", &C::cores, between(1, 32), "Number of cores"),
       field("clock", &C::clock, between(1_MHz, 5_GHz), "Core clock"),
       field("start_el", &C::start_el, between(1, 3), "Exception level after reset"),
       field("timer_frequency", &C::timer_frequency, between(1_MHz, 1_GHz),
             "Frequency of the system counter (CNTFRQ_EL0)"),
       field("psci", &C::psci,
             one_of({{"auto", PsciConduit::kAuto},
                     {"smc", PsciConduit::kSmc},
                     {"hvc", PsciConduit::kHvc},
                     {"none", PsciConduit::kNone}}),
             "Who answers PSCI: the model by SMC or HVC, nobody, or auto: HVC when cores start at EL1, else SMC until "
             "the guest installs "
             "its own EL3 vectors"),
       field("semihosting", &C::semihosting, "Serve HLT #0xF000; files are confined to the run directory"),
       field("command_line", &C::command_line, "What semihosting SYS_GET_CMDLINE gives"),
       field("quantum", &C::quantum, between(10_ns, 1_ms), "How far a core may run ahead of the other models"),
       field("l1d", &C::l1d, between(4_KiB, 1_MiB), "Size of each L1 data cache"),
       field("l1d_ways", &C::l1d_ways, between(1, 16), "Associativity of the L1 data cache"),
       field("l1i", &C::l1i, between(4_KiB, 1_MiB), "Size of each L1 instruction cache"),
       field("l1i_ways", &C::l1i_ways, between(1, 16), "Associativity of the L1 instruction cache"),
       field("l2", &C::l2, between(64_KiB, 64_MiB), "Size of each L2 cache"),
       field("l2_ways", &C::l2_ways, between(1, 32), "Associativity of the L2 cache"),
       field("cores_per_l2", &C::cores_per_l2, between(1, 32), "Cores that share one L2"),
       field("l2_latency", &C::l2_latency, between(Cycles(5), Cycles(200)), "L2 load-to-use; the L1's is 4"),
       field("snoop_latency", &C::snoop_latency, between(Cycles(0), Cycles(1000)),
             "More for a line, or its ownership, from another core"),
       field("prefetch_lines", &C::prefetch_lines, between(0, 32),
             "Lines that the stream prefetcher runs ahead; 0 is off"),
       field("store_misses", &C::store_misses, between(1, 64), "Store misses in flight before a core waits")});
  return table;
}

ArmCluster::ArmCluster(const BlockContext& context, const ArmClusterConfig& config)
    : sc_module(sc_core::sc_module_name(context.name.c_str())),
      context_(context),
      config_(config),
      semihosting_(context.simulation.guest_dir()) {
  const bool timed = context.fidelity == Fidelity::kApproximate;
  const CoreTiming& core_timing = config.core == CoreModel::kCortexA72 ? cortex_a72_timing() : cortex_a78_timing();
  if (timed) {
    constexpr std::uint32_t kL1Cycles = 4;
    CacheConfig caches;
    caches.l1d = {config.l1d, config.l1d_ways, Bytes(64)};
    caches.l1i = {config.l1i, config.l1i_ways, Bytes(64)};
    caches.l2 = {config.l2, config.l2_ways, Bytes(64)};
    caches.cores = config.cores;
    caches.cores_per_l2 = config.cores_per_l2;
    caches.l2_cycles = static_cast<std::uint32_t>(config.l2_latency.count()) - kL1Cycles;
    caches.snoop_cycles = static_cast<std::uint32_t>(config.snoop_latency.count());
    caches.prefetch_lines = config.prefetch_lines;
    caches.store_misses = config.store_misses;
    caches_ = std::make_unique<Caches>(caches, static_cast<MissPort&>(*this));
  }
  for (unsigned number = 0; number < config.cores; ++number) {
    const std::string name = "core" + std::to_string(number);
    StatGroup& stats = context_.stats.child(name);
    if (timed) {
      timings_.push_back(std::make_unique<CortexTiming>(core_timing, *caches_, number));
    } else {
      timings_.push_back(std::make_unique<UnitTiming>());
    }
    CoreConfig core;
    core.system.core = config.core;
    core.system.features = core_features(config.core);
    core.system.number = number;
    core.system.start_el = config.start_el;
    core.system.psci = config.psci;
    core.system.timer_frequency = config.timer_frequency;
    core.system.semihosting = config.semihosting;
    core.system.gic = false;
    core.system.l1d_size = config.l1d;
    core.system.l1i_size = config.l1i;
    core.system.l2_size = config.l2;
    core.system.l1d_ways = config.l1d_ways;
    core.system.l1i_ways = config.l1i_ways;
    core.system.l2_ways = config.l2_ways;
    core.clock = config.clock;
    core.quantum = config.quantum;
    cores_.push_back(std::make_unique<A64Cpu>(name.c_str(), context_, stats, core, static_cast<CoreGroup&>(*this),
                                              *timings_.back()));
    peers_.push_back(cores_.back().get());
    if (!timed) continue;
    A64Cpu& cpu = *cores_.back();
    caches_->connect(number, cpu.engine());
    const auto formula = [&](const char* what, const char* unit, const char* text,
                             std::function<double(Time)> compute) {
      cache_statistics_.push_back(
          std::make_unique<Formula>(stats, what, unit, text, std::move(compute), FormulaKind::kTotal));
    };
    const auto of = [this, number](std::uint64_t CacheCounters::*member) {
      return [this, number, member](Time) { return static_cast<double>(caches_->counters(number).*member); };
    };
    formula("l1d_refills", "lines", "L1D_CACHE_REFILL: lines brought into the L1 data cache",
            of(&CacheCounters::l1d_refills));
    formula("l1i_refills", "lines", "L1I_CACHE_REFILL: lines brought into the L1 instruction cache",
            of(&CacheCounters::l1i_refills));
    formula("l2_accesses", "lines", "L2D_CACHE: L1 misses looked up in the L2", of(&CacheCounters::l2_accesses));
    formula("l2_refills", "lines", "L2D_CACHE_REFILL: demand misses sent to the bus", of(&CacheCounters::l2_refills));
    formula("l2_write_backs", "lines", "L2D_CACHE_WB: dirty lines sent to the bus", of(&CacheCounters::l2_write_backs));
    formula("prefetches", "lines", "Lines that the stream prefetcher fetched from the bus",
            of(&CacheCounters::prefetches));
    formula("snoops", "lines", "Lines that others took from the L1 data cache", of(&CacheCounters::snoops));
    formula("branches", "branches", "Branches predicted: conditional, indirect and returns",
            [&cpu](Time) { return static_cast<double>(cpu.engine().predictor().branches); });
    formula("branch_mispredicts", "branches", "BR_MIS_PRED: mispredicted branches",
            [&cpu](Time) { return static_cast<double>(cpu.engine().predictor().mispredicts); });
  }
  semihosting_.set_command_line(config.command_line);
  semihosting_.set_console([this](std::string_view text) { console_octets(text); });
}

ArmCluster::~ArmCluster() = default;

void ArmCluster::console_octets(std::string_view text) {
  for (const char c : text) {
    if (c != '\n') {
      console_line_.push_back(c);
      continue;
    }
    context_.log(LogLevel::kInfo, "semihosting: {}", console_line_);
    console_line_.clear();
  }
}

void ArmCluster::set_entry(std::uint64_t pc, std::uint64_t x0) {
  DPUSIM_CHECK(!entry_set_, "{}: the entry was set twice", context_.name);
  entry_set_ = true;
  cores_[0]->start(pc, x0);
}

bool ArmCluster::idle() const {
  return std::all_of(cores_.begin(), cores_.end(), [](const auto& core) { return core->idle(); });
}

std::vector<Port> ArmCluster::ports() {
  std::vector<Port> ports;
  for (unsigned number = 0; number < core_count(); ++number) {
    const std::string index = "[" + std::to_string(number) + "]";
    A64Cpu& cpu = *cores_[number];
    ports.push_back({"bus" + index, &cpu.bus(), "Memory accesses of a core"});
    ServicePort gic;
    gic.kind = kGicServiceKind;
    gic.accept = [&cpu](void* service) { cpu.connect_gic(*static_cast<GicCpuInterface*>(service)); };
    ports.push_back({"gic" + index, gic, "GIC CPU interface of a core"});
    ports.push_back(
        {"cntp" + index, &cpu.system().timers().line(Timer::kPhysical), "EL1 physical timer, PPI INTID 30"});
    ports.push_back({"cntv" + index, &cpu.system().timers().line(Timer::kVirtual), "EL1 virtual timer, PPI INTID 27"});
    ports.push_back(
        {"cnthp" + index, &cpu.system().timers().line(Timer::kHypervisor), "EL2 physical timer, PPI INTID 26"});
    ports.push_back(
        {"cntps" + index, &cpu.system().timers().line(Timer::kSecure), "EL1 secure physical timer, PPI INTID 29"});
  }
  return ports;
}

void ArmCluster::attached(const std::string& port, AddressSpace& bus, unsigned requester) {
  for (unsigned number = 0; number < core_count(); ++number) {
    if (port != "bus[" + std::to_string(number) + "]") continue;
    cores_[number]->set_requester(requester);
    // One agent for the cluster: its cores keep one another coherent without the bus.
    bus.add_agent(requester, *this);
  }
}

void ArmCluster::assembled() {
  if (!entry_set_) context_.log(LogLevel::kInfo, "no firmware is loaded: the cores stay off");
}

void ArmCluster::finish() {
  if (!console_line_.empty()) console_octets("\n");
}

void ArmCluster::snoop_write(std::uint64_t address, std::uint64_t length) {
  if (caches_) caches_->snoop_write(address, length);
  for (const auto& core : cores_) core->check_monitor();
}

std::uint64_t ArmCluster::affinity(unsigned pe) const { return cores_[pe]->system().mpidr() & 0xff'00ff'ffffull; }

void ArmCluster::system_off(bool reset) {
  if (reset) {
    context_.simulation.request_stop(1, "the guest asked for a reset (PSCI SYSTEM_RESET), which ends a run");
  } else {
    context_.simulation.request_stop(0, "the guest switched the system off (PSCI SYSTEM_OFF)");
  }
}

std::uint32_t ArmCluster::fill(unsigned core, std::uint64_t line, bool /*for_write*/) {
  return cores_[core]->charge_transfer(line, kLine, false, true);
}

std::uint32_t ArmCluster::uncached(unsigned core, std::uint64_t physical, unsigned size, bool write) {
  return cores_[core]->charge_transfer(physical, size, write, false);
}

void ArmCluster::write_back(unsigned core, std::uint64_t line) {
  cores_[core]->charge_transfer(line, kLine, true, true);
}

}  // namespace dpusim::cpu
