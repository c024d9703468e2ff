#include "a64_oracle.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace dpusim::cpu::test {
namespace {

// A folder of this process that disappears with the object.
class Scratch {
 public:
  Scratch() : path_(std::filesystem::temp_directory_path() / ("dpusim-a64-oracle-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

bool shell(const std::string& command) { return std::system(command.c_str()) == 0; }
bool installed(const std::string& tool) { return shell("command -v " + tool + " >/dev/null 2>&1"); }

void must(bool condition, const std::string& what) {
  if (!condition) throw std::runtime_error("A64 oracle: " + what);
}

template <class T>
void put(std::ofstream& out, const T* data, std::size_t count) {
  out.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(count * sizeof(T)));
}

}  // namespace

std::optional<std::vector<OracleState>> run_oracle(const std::vector<std::uint32_t>& words,
                                                   const std::vector<OracleState>& cases) {
  if (!installed("qemu-aarch64") || !installed("aarch64-linux-gnu-gcc")) return std::nullopt;
  const Scratch scratch;
  must(shell("aarch64-linux-gnu-gcc -O1 -ffreestanding -nostdlib -static -mgeneral-regs-only -o " +
             scratch.file("guest") + " " + DPUSIM_SOURCE_DIR "/testbenches/cpu/a64_oracle_guest.c"),
       "the guest does not compile");
  {
    std::ofstream input(scratch.file("in"), std::ios::binary);
    const auto word_count = static_cast<std::uint32_t>(words.size()),
               case_count = static_cast<std::uint32_t>(cases.size());
    put(input, &word_count, 1);
    put(input, words.data(), words.size());
    put(input, &case_count, 1);
    put(input, cases.data(), cases.size());
    must(input.good(), "cannot write the input");
  }
  must(shell("qemu-aarch64 -cpu max " + scratch.file("guest") + " <" + scratch.file("in") + " >" + scratch.file("out")),
       "the guest failed");
  std::vector<OracleState> results(cases.size());
  std::ifstream output(scratch.file("out"), std::ios::binary);
  output.read(reinterpret_cast<char*>(results.data()),
              static_cast<std::streamsize>(results.size() * sizeof(OracleState)));
  must(output.gcount() == static_cast<std::streamsize>(results.size() * sizeof(OracleState)), "the output is short");
  return results;
}

std::string difference(const OracleState& ours, const OracleState& reference) {
  std::ostringstream text;
  text << std::hex;
  const auto compare = [&](const std::string& name, std::uint64_t a, std::uint64_t b) {
    if (a != b) text << name << " ours " << a << " reference " << b << "; ";
  };
  compare("fpsr", ours.fpsr, reference.fpsr);
  compare("nzcv", ours.nzcv, reference.nzcv);
  for (std::size_t i = 0; i < ours.x.size(); ++i) compare("x" + std::to_string(i), ours.x[i], reference.x[i]);
  for (std::size_t i = 0; i < ours.v.size(); ++i) {
    compare("v" + std::to_string(i) + ".d[0]", ours.v[i][0], reference.v[i][0]);
    compare("v" + std::to_string(i) + ".d[1]", ours.v[i][1], reference.v[i][1]);
  }
  for (std::size_t i = 0; i < ours.memory.size(); ++i) {
    compare("memory[" + std::to_string(i) + "]", ours.memory[i], reference.memory[i]);
  }
  return text.str();
}

std::optional<std::vector<std::uint32_t>> assemble(const std::string& text, const std::string& march) {
  if (!installed("aarch64-linux-gnu-gcc")) return std::nullopt;
  const Scratch scratch;
  std::ofstream(scratch.file("a.s")) << ".arch " << march << "\n" << text << "\n";
  must(shell("aarch64-linux-gnu-gcc -c -o " + scratch.file("a.o") + " " + scratch.file("a.s") +
             " && aarch64-linux-gnu-objcopy -O binary " + scratch.file("a.o") + " " + scratch.file("a.bin")),
       "the text does not assemble");
  std::vector<std::uint32_t> words(std::filesystem::file_size(scratch.file("a.bin")) / 4);
  std::ifstream(scratch.file("a.bin"), std::ios::binary)
      .read(reinterpret_cast<char*>(words.data()), static_cast<std::streamsize>(words.size() * 4));
  return words;
}

}  // namespace dpusim::cpu::test
