// dpusim_bench: measures host speed. docs/performance.md has the command and what it printed.
#include <cstdlib>
#include <systemc>

#include "bench.h"

int sc_main(int argc, char* argv[]) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  using namespace dpusim_bench;
  register_cores();
  register_frames();
  register_memory();
  register_services();
  register_main_job();
  register_peers();
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

int main(int argc, char* argv[]) {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);  // NOLINT(concurrency-mt-unsafe): before any thread
  return sc_core::sc_elab_and_sim(argc, argv);
}
