#include "irq/gicv3.h"

#include <algorithm>
#include <array>

#include "irq/gicd_regs.h"
#include "irq/gicr_regs.h"
#include "irq/icc_registers.h"
#include "sim/error.h"

namespace dpusim::irq {

const ConfigTable<Gicv3Config>& Gicv3Config::table() {
  using namespace literals;
  static const ConfigTable<Gicv3Config> table(
      "GICv3 interrupt controller",
      {field("cores", &Gicv3Config::cores, between(1U, 256U),
             "Number of PEs; PE n has affinity 0.0.(n / 16).(n mod 16)"),
       field("spis", &Gicv3Config::spis, between(1U, 988U),
             "Number of SPIs; software sees it rounded up to whole blocks of 32, and the rest of the last block "
             "unimplemented"),
       field("priority_bits", &Gicv3Config::priority_bits, between(4U, 8U),
             "Implemented priority bits, from bit 7 down"),
       field("access", &Gicv3Config::access, between(0_ps, 10_us), "Time of a register access"),
       field("delivery", &Gicv3Config::delivery, between(0_ps, 10_us),
             "Time from an interrupt becoming the one to signal to the rise of the core's line")});
  return table;
}

/// One PE's end: registers to the core, levels with their delay towards it.
class Gicv3::CpuInterface : public GicCpuInterface {
 public:
  CpuInterface(Gicv3& gic, unsigned number)
      : gic_(gic),
        core_(gic.interrupts_, number),
        acknowledged_(stats(number), "acknowledged", "interrupts",
                      "Interrupts taken by a read of ICC_IAR0_EL1 or ICC_IAR1_EL1"),
        spurious_(stats(number), "spurious", "reads",
                  "Reads of ICC_IAR0_EL1 or ICC_IAR1_EL1 that found nothing to take"),
        delay_(stats(number), "acknowledge_delay", "ps", "Time from the rise of the core's line to the acknowledge") {}

  void connect(IrqSink& sink) override {
    sink_ = &sink;
    for (const Group group : {kGroup0, kGroup1}) {
      if (level_[group]) send(group);
    }
  }
  bool read(std::uint16_t encoding, const GicContext& context, std::uint64_t& value) override {
    const bool defined = core_.read(encoding, context, value);
    if (defined && (encoding == kIccIar0El1 || encoding == kIccIar1El1)) {
      count(encoding == kIccIar0El1 ? kGroup0 : kGroup1, value);
    }
    gic_.settle();
    return defined;
  }
  [[nodiscard]] bool peek(std::uint16_t encoding, const GicContext& context, std::uint64_t& value) const override {
    return core_.peek(encoding, context, value);
  }
  bool write(std::uint16_t encoding, const GicContext& context, std::uint64_t value) override {
    const bool defined = core_.write(encoding, context, value);
    gic_.settle();
    return defined;
  }
  void state_changed(const GicContext& /*context*/) override {
  }  // with one security state a group is always the same line
  void reset() override {
    core_.reset();
    gic_.settle();
  }

  // Compares what is to be signalled with the lines: a fall at once, a rise after the delay.
  void update(Time when) {
    for (const Group group : {kGroup0, kGroup1}) {
      const bool wanted = core_.signalled(group);
      if (!wanted) {
        due_[group] = kTimeMax;
        set(group, false, when);
      } else if (!level_[group] && due_[group] == kTimeMax) {
        due_[group] = when + gic_.config_.delivery;
      }
      if (due_[group] <= when) {
        due_[group] = kTimeMax;
        set(group, true, when);
      }
    }
  }
  [[nodiscard]] Time due() const { return std::min(due_[kGroup0], due_[kGroup1]); }

 private:
  StatGroup& stats(unsigned number) { return gic_.context_.stats.child("cpu" + std::to_string(number)); }
  void count(Group group, std::uint64_t intid) {
    if (intid == kSpurious) {
      ++spurious_;
      return;
    }
    ++acknowledged_;
    if (level_[group]) delay_.record(now() - since_[group]);
  }
  void set(Group group, bool level, Time when) {
    if (level_[group] == level) return;
    level_[group] = level;
    since_[group] = when;
    if (sink_ != nullptr) send(group);
  }
  void send(Group group) {
    sink_->irq_changed(static_cast<unsigned>(group == kGroup0 ? CoreInterrupt::kFiq : CoreInterrupt::kIrq),
                       level_[group]);
  }

  Gicv3& gic_;
  GicCpuCore core_;
  IrqSink* sink_ = nullptr;
  std::array<bool, 2> level_{};
  std::array<Time, 2> due_{kTimeMax, kTimeMax}, since_{};
  Counter acknowledged_, spurious_;
  Histogram delay_;
};

/// Input lines: number n is INTID first + n.
class Gicv3::Inputs : public IrqSink {
 public:
  Inputs(Gicv3& gic, unsigned core, unsigned first, unsigned count)
      : gic_(gic), core_(core), first_(first), count_(count) {}
  void irq_changed(unsigned number, bool level) override {
    DPUSIM_CHECK(number < count_, "{}: input {} of {}", gic_.context_.name, number, count_);
    gic_.interrupts_.set_line(core_, first_ + number, level);
    gic_.settle();
  }
  [[nodiscard]] IrqInputs port() { return {this, 0, count_}; }

 private:
  Gicv3& gic_;
  unsigned core_, first_, count_;
};

// The module's name object must live until construction ends, for the sockets to be made inside the module.
Gicv3::Gicv3(const BlockContext& context, const Gicv3Config& config)
    : Gicv3(sc_core::sc_module_name(context.name.c_str()), context, config) {}

Gicv3::Gicv3(const sc_core::sc_module_name& name, const BlockContext& context, const Gicv3Config& config)
    : sc_module(name),
      context_(context),
      config_(config),
      interrupts_(config.cores, config.spis, config.priority_bits),
      registers_(interrupts_),
      distributor_(
          "distributor", context.fidelity == Fidelity::kFunctional ? Time(0) : config.access,
          [this](const auto& a) { return access(GicRegisters::Region::kDistributor, a); },
          [this](std::uint64_t offset, std::span<std::uint8_t> data, bool write) {
            return write ? 0 : registers_.debug_read(GicRegisters::Region::kDistributor, offset, data);
          }),
      redistributors_(
          "redistributors", context.fidelity == Fidelity::kFunctional ? Time(0) : config.access,
          [this](const auto& a) { return access(GicRegisters::Region::kRedistributors, a); },
          [this](std::uint64_t offset, std::span<std::uint8_t> data, bool write) {
            return write ? 0 : registers_.debug_read(GicRegisters::Region::kRedistributors, offset, data);
          }),
      event_("due"),
      accesses_(context.stats, "accesses", "accesses", "Accesses to the memory-mapped registers") {
  if (context.fidelity == Fidelity::kFunctional) config_.delivery = Time(0);
  spi_inputs_ = std::make_unique<Inputs>(*this, 0, kFirstSpi, config.spis);
  for (unsigned core = 0; core < config.cores; ++core) {
    ppi_inputs_.push_back(std::make_unique<Inputs>(*this, core, 16, 16));
    cpus_.push_back(std::make_unique<CpuInterface>(*this, core));
  }
  SC_HAS_PROCESS(Gicv3);
  SC_METHOD(on_event);
  sensitive << event_;
  dont_initialize();
}

Gicv3::~Gicv3() = default;

std::vector<Port> Gicv3::ports() {
  std::vector<Port> ports{
      {"distributor", &distributor_.socket(), "GICD registers", gicd_regs::kSize},
      {"redistributors", &redistributors_.socket(), "GICR registers, 128 KiB a PE", config_.cores * gicr_regs::kSize},
      {"spi", spi_inputs_->port(), "Shared peripheral interrupts: input n is INTID 32 + n"}};
  for (unsigned core = 0; core < config_.cores; ++core) {
    const std::string index = "[" + std::to_string(core) + "]";
    ports.push_back(
        {"ppi" + index, ppi_inputs_[core]->port(), "Private peripheral interrupts of a PE: input n is INTID 16 + n"});
    GicCpuInterface* const provided = cpus_[core].get();
    ports.push_back({"cpu" + index, ServicePort{kGicServiceKind, {}, provided}, "CPU interface of a PE"});
  }
  return ports;
}

RegisterResult Gicv3::access(GicRegisters::Region region, const RegisterTarget::Access& access) {
  ++accesses_;
  const RegisterResult result = access.write ? registers_.write(region, access.offset, access.data, access.enables)
                                             : registers_.read(region, access.offset, access.data, access.enables);
  settle();
  return result;
}

void Gicv3::settle() {
  const Time when = now();
  interrupts_.visit_touched([&](unsigned core) {
    cpus_[core]->update(when);
    if (cpus_[core]->due() < armed_) armed_ = Time(-1);  // a new earliest one
  });
  if (armed_ == Time(-1)) arm();
}

void Gicv3::on_event() {
  for (const auto& cpu : cpus_) {
    if (cpu->due() <= now()) cpu->update(now());
  }
  arm();
}

void Gicv3::arm() {
  armed_ = kTimeMax;
  for (const auto& cpu : cpus_) armed_ = std::min(armed_, cpu->due());
  event_.cancel();
  if (armed_ != kTimeMax) event_.notify(to_sc(armed_ - now()));
}

}  // namespace dpusim::irq
