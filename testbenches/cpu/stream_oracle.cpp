#include "stream_oracle.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace dpusim::cpu::test {

namespace {

bool shell(const std::string& command) { return std::system(command.c_str()) == 0; }
bool installed(const std::string& tool) { return shell("command -v " + tool + " >/dev/null 2>&1"); }
void must(bool condition, const std::string& what) {
  if (!condition) throw std::runtime_error("A64 stream oracle: " + what);
}
template <class T>
void put(std::ofstream& out, const T* data, std::size_t count) {
  out.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(count * sizeof(T)));
}
template <class T>
void get(std::ifstream& in, T* data, std::size_t count) {
  in.read(reinterpret_cast<char*>(data), static_cast<std::streamsize>(count * sizeof(T)));
}

}  // namespace

std::optional<std::vector<Stream>> run_streams(const std::vector<Stream>& programs) {
  if (!installed("qemu-aarch64") || !installed("aarch64-linux-gnu-gcc")) return std::nullopt;
  const auto folder = std::filesystem::temp_directory_path() / ("dpusim-a64-streams-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const std::string guest = (folder / "guest").string(), in = (folder / "in").string(), out = (folder / "out").string();
  must(shell("aarch64-linux-gnu-gcc -O1 -ffreestanding -nostdlib -static -mgeneral-regs-only -o " + guest +
             " " DPUSIM_SOURCE_DIR "/testbenches/cpu/stream_oracle_guest.c"),
       "the guest does not compile");
  {
    std::ofstream input(in, std::ios::binary);
    const auto count = static_cast<std::uint32_t>(programs.size());
    put(input, &count, 1);
    for (const Stream& p : programs) {
      const auto n = static_cast<std::uint32_t>(p.words.size());
      put(input, &n, 1);
      put(input, p.words.data(), p.words.size());
      put(input, p.state.data(), p.state.size());
      put(input, p.memory.data(), p.memory.size());
    }
    must(input.good(), "cannot write the input");
  }
  must(shell("qemu-aarch64 -cpu max " + guest + " <" + in + " >" + out), "the guest failed");
  std::vector<Stream> results(programs.size());
  std::ifstream output(out, std::ios::binary);
  for (Stream& r : results) {
    get(output, r.state.data(), r.state.size());
    get(output, r.memory.data(), r.memory.size());
  }
  must(output.good(), "the output is short");
  std::filesystem::remove_all(folder);
  return results;
}

}  // namespace dpusim::cpu::test
