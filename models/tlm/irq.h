// Interrupt lines: a level that a device drives and an interrupt controller or core senses, without kernel events.
#pragma once

#include <cstdint>

namespace dpusim {

/// Implemented by whatever senses lines (an interrupt controller, a core).
class IrqSink {
 public:
  virtual ~IrqSink() = default;
  /// Takes a change of level of line `number` at the kernel's present time. Calls without change are allowed.
  virtual void irq_changed(unsigned number, bool level) = 0;
};

/// A device's output line. Unconnected lines go nowhere.
class IrqLine {
 public:
  void connect(IrqSink& sink, unsigned number) {
    sink_ = &sink;
    number_ = number;
  }
  [[nodiscard]] bool connected() const { return sink_ != nullptr; }
  [[nodiscard]] bool level() const { return level_; }
  void set(bool level) {
    if (level == level_) return;
    level_ = level;
    if (sink_ != nullptr) sink_->irq_changed(number_, level);
  }
  /// Raises and lowers: one edge.
  void pulse() {
    set(true);
    set(false);
  }

 private:
  IrqSink* sink_ = nullptr;
  unsigned number_ = 0;
  bool level_ = false;
};

}  // namespace dpusim
