#include "accel/regex/scan_runtime.h"

#include <dlfcn.h>

namespace dpusim::accel {

namespace {

/// Takes the library's variant for SSE4.2 into `function`, if it has one.
template <class F>
bool take(F& function, const char* name) {
  void* const symbol = dlsym(RTLD_DEFAULT, name);
  if (symbol != nullptr) function = reinterpret_cast<F>(symbol);
  return symbol != nullptr;
}

ScanRuntime choose() {
  const ScanRuntime own{&hs_open_stream, &hs_scan_stream, &hs_reset_stream, &hs_close_stream};
  ScanRuntime fixed = own;
  // All or none: variants do not understand one another's streams.
  const bool all = take(fixed.open, "corei7_hs_open_stream") && take(fixed.scan, "corei7_hs_scan_stream") &&
                   take(fixed.reset, "corei7_hs_reset_stream") && take(fixed.close, "corei7_hs_close_stream");
  return all ? fixed : own;
}

}  // namespace

const ScanRuntime& scan_runtime() {
  static const ScanRuntime runtime = choose();
  return runtime;
}

}  // namespace dpusim::accel
