#include "platform/firmware_loader.h"

#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <memory>

#include "sim/config.h"
#include "sim/error.h"

namespace dpusim::platform {
namespace {

struct File {
  explicit File(const std::filesystem::path& path) : descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~File() {
    if (descriptor >= 0) close(descriptor);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int descriptor;
};
using ElfHandle = std::unique_ptr<Elf, decltype(&elf_end)>;

[[noreturn]] void bad(const std::filesystem::path& file, const std::string& found, const std::string& expected) {
  throw ConfigError("firmware " + file.string(), found, expected);
}

std::vector<std::uint8_t> read_octets(const File& file, std::uint64_t offset, std::uint64_t size,
                                      const std::filesystem::path& path, std::size_t header) {
  std::vector<std::uint8_t> octets(size);
  std::uint64_t done = 0;
  while (done < size) {
    const ssize_t n = pread(file.descriptor, octets.data() + done, size - done, static_cast<off_t>(offset + done));
    if (n <= 0)
      bad(path, fmt::format("the end of the file at octet {}", offset + done),
          fmt::format("{} octets at {} (program header {})", size, offset, header));
    done += static_cast<std::uint64_t>(n);
  }
  return octets;
}

void read_symbols(Elf* elf, FirmwareImage& image) {
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr; section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_SYMTAB || header.sh_entsize == 0) continue;
    Elf_Data* data = elf_getdata(section, nullptr);
    if (data == nullptr) continue;
    const auto count = static_cast<int>(header.sh_size / header.sh_entsize);
    for (int i = 0; i < count; ++i) {
      GElf_Sym symbol;
      if (gelf_getsym(data, i, &symbol) == nullptr) break;
      const unsigned type = GELF_ST_TYPE(symbol.st_info);
      if (symbol.st_shndx == SHN_UNDEF || (type != STT_FUNC && type != STT_OBJECT && type != STT_NOTYPE)) continue;
      const char* name = elf_strptr(elf, header.sh_link, symbol.st_name);
      if (name == nullptr || *name == '\0' || *name == '$') continue;  // '$': mapping symbols, AAELF64 5.5.4
      image.symbols.push_back({name, symbol.st_value, symbol.st_size});
    }
  }
  std::stable_sort(image.symbols.begin(), image.symbols.end(),
                   [](const Symbol& a, const Symbol& b) { return a.address < b.address; });
}

FirmwareImage read_elf(const std::filesystem::path& path, const File& file) {
  elf_version(EV_CURRENT);
  const ElfHandle elf(elf_begin(file.descriptor, ELF_C_READ, nullptr), &elf_end);
  GElf_Ehdr header;
  if (!elf || elf_kind(elf.get()) != ELF_K_ELF || gelf_getehdr(elf.get(), &header) == nullptr)
    bad(path, "no ELF header", "an AArch64 ELF64 file, or a raw image as FILE@ADDRESS");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_machine != EM_AARCH64)
    bad(path,
        fmt::format("ELF class {}, data {}, machine {}", header.e_ident[EI_CLASS], header.e_ident[EI_DATA],
                    header.e_machine),
        "class 2 (ELF64), data 1 (little-endian), machine 183 (AArch64)");
  if (header.e_type != ET_EXEC)
    bad(path, fmt::format("ELF type {}", header.e_type), "type 2 (EXEC), linked to a fixed address");
  FirmwareImage image;
  image.file = path;
  image.entry = header.e_entry;
  std::size_t count = 0;
  if (elf_getphdrnum(elf.get(), &count) != 0) bad(path, "damaged program headers", "a table inside the file");
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr program;
    if (gelf_getphdr(elf.get(), static_cast<int>(i), &program) == nullptr)
      bad(path, fmt::format("damaged program header {}", i), "a table inside the file");
    if (program.p_type != PT_LOAD || program.p_memsz == 0) continue;
    if (program.p_filesz > program.p_memsz || program.p_paddr + program.p_memsz < program.p_paddr)
      bad(path,
          fmt::format("program header {} with {} octets in the file and {} in memory at {:#x}", i, program.p_filesz,
                      program.p_memsz, program.p_paddr),
          "no more in the file than in memory, below 2^64");
    GElf_Off end = 0;
    if (__builtin_add_overflow(program.p_offset, program.p_filesz, &end) || end > std::filesystem::file_size(path))
      bad(path,
          fmt::format("program header {} that ends at octet {} of a file of {}", i, program.p_offset + program.p_filesz,
                      std::filesystem::file_size(path)),
          "segments inside the file");
    image.segments.push_back(
        {program.p_paddr, program.p_memsz, read_octets(file, program.p_offset, program.p_filesz, path, i)});
  }
  if (image.segments.empty()) bad(path, "no loadable segment", "at least one PT_LOAD");
  read_symbols(elf.get(), image);
  return image;
}

}  // namespace

std::optional<std::string> FirmwareImage::symbolise(std::uint64_t address) const {
  auto after = std::upper_bound(symbols.begin(), symbols.end(), address,
                                [](std::uint64_t a, const Symbol& symbol) { return a < symbol.address; });
  while (after != symbols.begin()) {
    const Symbol& symbol = *--after;
    const std::uint64_t offset = address - symbol.address;
    if (offset == 0) return symbol.name;
    if (offset < symbol.size) return fmt::format("{}+{:#x}", symbol.name, offset);
    if (symbol.size != 0) break;
    // A label without size (assembler) reaches to the next symbol, within its segment.
    const bool same = std::any_of(segments.begin(), segments.end(), [&](const Segment& s) {
      return symbol.address >= s.address && address - s.address < s.size;
    });
    if (same) return fmt::format("{}+{:#x}", symbol.name, offset);
    break;
  }
  return std::nullopt;
}

FirmwareImage read_firmware(const std::string& argument) {
  const std::size_t at = argument.rfind("@0x");
  const std::filesystem::path path = argument.substr(0, at);
  if (!std::filesystem::exists(path))
    bad(path, "no such file", "an AArch64 ELF64 file, or a raw image as FILE@ADDRESS");
  if (!std::filesystem::is_regular_file(path))
    bad(path, "no regular file", "an AArch64 ELF64 file, or a raw image as FILE@ADDRESS");
  const File file(path);
  if (file.descriptor < 0) bad(path, "no permission to read it", "a readable file");
  if (at == std::string::npos) return read_elf(path, file);
  Address address;
  ConfigCodec<Address>(NoRange{}, "address").parse(address, argument.substr(at + 1), "--firmware " + argument);
  const std::uint64_t size = std::filesystem::file_size(path);
  if (size == 0) bad(path, "an empty file", "at least one octet");
  FirmwareImage image;
  image.file = path;
  image.entry = address.count();
  image.segments.push_back({address.count(), size, read_octets(file, 0, size, path, 0)});
  return image;
}

void check_placement(const std::vector<FirmwareImage>& images) {
  struct Placed {
    const Segment* segment;
    const FirmwareImage* image;
  };
  std::vector<Placed> all;
  for (const FirmwareImage& image : images) {
    for (const Segment& segment : image.segments) all.push_back({&segment, &image});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Placed& a, const Placed& b) { return a.segment->address < b.segment->address; });
  for (std::size_t i = 1; i < all.size(); ++i) {
    const Placed &low = all[i - 1], &high = all[i];
    if (high.segment->address - low.segment->address < low.segment->size)
      throw ConfigError(
          "firmware " + high.image->file.string(),
          fmt::format("a segment at {:#x}, inside {:#x}..{:#x} of {}", high.segment->address, low.segment->address,
                      low.segment->address + low.segment->size - 1, low.image->file.string()),
          "images that do not overlap");
  }
}

}  // namespace dpusim::platform
