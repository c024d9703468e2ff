// The tests run inside sc_main, so that SystemC's elaboration checks hold in them.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#include <cstdlib>
#include <systemc>

int sc_main(int argc, char* argv[]) { return Catch::Session().run(argc, argv); }

int main(int argc, char* argv[]) {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);  // NOLINT(concurrency-mt-unsafe): before any thread
  return sc_core::sc_elab_and_sim(argc, argv);
}
