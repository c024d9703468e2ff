#include "platform/memory_loader.h"

#include <algorithm>

#include "sim/error.h"

namespace dpusim::platform {

MemoryLoader::MemoryLoader(const sc_core::sc_module_name& name) : sc_module(name), bus("bus") { bus.bind(*this); }

void MemoryLoader::write(std::uint64_t address, const std::uint8_t* data, std::uint64_t size) {
  constexpr std::uint64_t kPiece = 1 << 20;
  for (std::uint64_t done = 0; done < size;) {
    const std::uint64_t piece = std::min(size - done, kPiece);
    ::tlm::tlm_generic_payload payload;
    payload.set_command(::tlm::TLM_WRITE_COMMAND);
    payload.set_address(address + done);
    payload.set_data_ptr(const_cast<std::uint8_t*>(data + done));  // a write only reads it
    payload.set_data_length(static_cast<unsigned>(piece));
    payload.set_streaming_width(static_cast<unsigned>(piece));
    payload.set_byte_enable_ptr(nullptr);
    payload.set_dmi_allowed(false);
    payload.set_response_status(::tlm::TLM_INCOMPLETE_RESPONSE);
    DPUSIM_CHECK(bus->transport_dbg(payload) == piece, "loading {} octets at {:#x}", piece, address + done);
    done += piece;
  }
}

void MemoryLoader::load(const FirmwareImage& image, const std::vector<Card::Mapping>& mappings) {
  for (const Segment& segment : image.segments) {
    const bool inside = std::any_of(mappings.begin(), mappings.end(), [&](const Card::Mapping& m) {
      return segment.address >= m.base && segment.address - m.base < m.size &&
             segment.size <= m.size - (segment.address - m.base);
    });
    if (!inside) {
      std::string memory;
      for (const Card::Mapping& m : mappings)
        memory += fmt::format("{}{} {:#x}..{:#x}", memory.empty() ? "" : ", ", m.block, m.base, m.base + m.size - 1);
      throw ConfigError("firmware " + image.file.string(),
                        fmt::format("a segment of {} octets at {:#x}", segment.size, segment.address),
                        "a place inside " + memory);
    }
  }
  images_.push_back(&image);
}

void MemoryLoader::start_of_simulation() {
  for (const FirmwareImage* image : images_) {
    for (const Segment& segment : image->segments) write(segment);
  }
}

void MemoryLoader::write(const Segment& segment) {
  write(segment.address, segment.data.data(), segment.data.size());
  const std::vector<std::uint8_t> zeros(std::min<std::uint64_t>(segment.size - segment.data.size(), 1 << 20));
  for (std::uint64_t at = segment.data.size(); at < segment.size; at += zeros.size())
    write(segment.address + at, zeros.data(), std::min<std::uint64_t>(zeros.size(), segment.size - at));
}

}  // namespace dpusim::platform
