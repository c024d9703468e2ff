#include "platform/firmware_loader.h"

#include <elf.h>

#include <cstring>

#include "platform_bench.h"

using namespace dpusim;
using namespace dpusim::test;
using platform::read_firmware;

namespace {

/// An ELF file of one segment with 8 octets of 16 in memory, and a symbol table: what the fields say, a test may
/// change.
struct ElfFile {
  Elf64_Ehdr header{};
  Elf64_Phdr program{};
  std::uint8_t code[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  Elf64_Sym symbols[4]{};
  char names[16] = "\0main\0label\0$x";
  Elf64_Shdr sections[3]{};

  ElfFile() {
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_EXEC;
    header.e_machine = EM_AARCH64;
    header.e_version = EV_CURRENT;
    header.e_entry = 0x4000'0004;
    header.e_phoff = offsetof(ElfFile, program);
    header.e_shoff = offsetof(ElfFile, sections);
    header.e_ehsize = sizeof(Elf64_Ehdr);
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = 1;
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = 3;
    program = {PT_LOAD, PF_R | PF_X, offsetof(ElfFile, code), 0x4000'0000, 0x4000'0000, 8, 16, 1};
    symbols[1] = {1, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 1, 0x4000'0000, 4};
    symbols[2] = {6, ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE), 0, 1, 0x4000'0008, 0};
    symbols[3] = {12, ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE), 0, 1, 0x4000'0000, 0};
    sections[1] = {0, SHT_SYMTAB, 0, 0, offsetof(ElfFile, symbols), sizeof symbols, 2, 1, 8, sizeof(Elf64_Sym)};
    sections[2] = {0, SHT_STRTAB, 0, 0, offsetof(ElfFile, names), sizeof names, 0, 0, 1, 0};
  }
  [[nodiscard]] std::string octets() const { return {reinterpret_cast<const char*>(this), sizeof *this}; }
};

std::string error(const std::string& octets) {
  const Folder folder;
  const std::string file = folder.write("a.elf", octets);
  return error_of([&] { read_firmware(file); });
}

}  // namespace

TEST_CASE("an ELF file gives its segments, entry and symbols") {
  const Folder folder;
  const auto image = read_firmware(folder.write("a.elf", ElfFile().octets()));
  CHECK(image.entry == 0x4000'0004);
  REQUIRE(image.segments.size() == 1);
  CHECK(image.segments[0].address == 0x4000'0000);
  CHECK(image.segments[0].size == 16);
  CHECK(image.segments[0].data == std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6, 7, 8});
  REQUIRE(image.symbols.size() == 2);  // not the mapping symbol $x
  CHECK(image.symbolise(0x4000'0000) == "main");
  CHECK(image.symbolise(0x4000'0003) == "main+0x3");
  CHECK(image.symbolise(0x4000'0004) == std::nullopt);  // behind a sized symbol
  CHECK(image.symbolise(0x4000'0008) == "label");
  CHECK(image.symbolise(0x4000'000f) == "label+0x7");  // a label without size reaches to the segment's end
  CHECK(image.symbolise(0x4000'0010) == std::nullopt);
  CHECK(image.symbolise(0x3fff'ffff) == std::nullopt);
}

TEST_CASE("what is no AArch64 executable is refused with what it is") {
  ElfFile elf;
  SECTION("class") {
    elf.header.e_ident[EI_CLASS] = ELFCLASS32;
    CHECK_THAT(error(elf.octets()), Contains("ELF class 1"));
  }
  SECTION("byte order") {
    elf.header.e_ident[EI_DATA] = ELFDATA2MSB;
    CHECK_THAT(error(elf.octets()), Contains("firmware "));
  }
  SECTION("machine") {
    elf.header.e_machine = EM_X86_64;
    CHECK_THAT(error(elf.octets()), Contains("machine 62"));
  }
  SECTION("type") {
    elf.header.e_type = ET_DYN;
    CHECK_THAT(error(elf.octets()), Contains("ELF type 3"));
  }
  SECTION("no segment") {
    elf.program.p_type = PT_NOTE;
    CHECK_THAT(error(elf.octets()), Contains("no loadable segment"));
  }
  SECTION("beyond the file") {
    elf.program.p_offset = sizeof elf - 7;
    CHECK_THAT(error(elf.octets()), Contains("segments inside the file"));
  }
  SECTION("offset that overflows") {
    elf.program.p_offset = ~0ULL - 3;
    CHECK_THAT(error(elf.octets()), Contains("segments inside the file"));
  }
  SECTION("more in the file than in memory") {
    elf.program.p_memsz = 7;
    CHECK_THAT(error(elf.octets()), Contains("8 octets in the file and 7 in memory"));
  }
  SECTION("beyond 2^64") {
    elf.program.p_paddr = ~0ULL - 7;
    CHECK_THAT(error(elf.octets()), Contains("below 2^64"));
  }
  SECTION("text") { CHECK_THAT(error("hello"), Contains("no ELF header")); }
  SECTION("empty") { CHECK_THAT(error(""), Contains("no ELF header")); }
}

TEST_CASE("a file cut before the end of its segment is refused, wherever it is cut") {
  const Folder folder;
  const std::string whole = ElfFile().octets();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::string file = folder.write("cut.elf", whole.substr(0, length));
    INFO(length);
    if (length < offsetof(ElfFile, symbols)) {
      CHECK_THROWS_AS(read_firmware(file), ConfigError);
    } else {  // the segment is whole; symbols may be missing, or the damage be told
      try {
        CHECK(read_firmware(file).segments.size() == 1);
      } catch (const ConfigError&) {
        SUCCEED();
      }
    }
  }
}

TEST_CASE("a raw image has the address that its argument says, and is entered there") {
  const Folder folder;
  const auto image = read_firmware(folder.write("a.bin", "abc") + "@0x4010_0000");
  CHECK(image.entry == 0x4010'0000);
  REQUIRE(image.segments.size() == 1);
  CHECK(image.segments[0].size == 3);
  CHECK(image.segments[0].data == std::vector<std::uint8_t>{'a', 'b', 'c'});
  CHECK_THAT(error_of([&] { read_firmware(folder.write("e.bin", "") + "@0x0"); }), Contains("an empty file"));
  CHECK_THAT(error_of([&] { read_firmware(folder.path.string()); }), Contains("no regular file"));
  CHECK_THAT(error_of([&] { read_firmware("/nowhere.elf"); }), Contains("no such file"));
}

TEST_CASE("images that overlap by an octet are told, neighbours are not") {
  platform::FirmwareImage a, b;
  a.file = "a.elf";
  b.file = "b.elf";
  a.segments = {{0x1000, 0x10, {}}};
  b.segments = {{0x1010, 0x10, {}}};
  CHECK_NOTHROW(platform::check_placement({a, b}));
  b.segments[0].address = 0x100f;
  CHECK_THAT(error_of([&] {
               platform::check_placement({a, b});
             }),
             Contains("b.elf") && Contains("a.elf") && Contains("0x100f"));
  a.segments = {{~0ULL - 15, 16, {}}};  // up to the last address
  b.segments = {{~0ULL, 1, {}}};
  CHECK_THROWS_AS(platform::check_placement({a, b}), ConfigError);
}
