#include "sim/simulation.h"

namespace dpusim {

void Simulation::request_stop(int code, const std::string& reason) {
  if (stop_requested_) return;
  stop_requested_ = true;
  stop_code_ = code;
  stop_reason_ = reason;
  if (stop_hook != nullptr) stop_hook();
}

}  // namespace dpusim
