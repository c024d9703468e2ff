#include "platform/plugin.h"

#include <cxxabi.h>
#include <dlfcn.h>

#include <cstdlib>
#include <memory>

#include "sim/error.h"
#include "tlm/plugin.h"

namespace dpusim::platform {
namespace {

constexpr const char* kExpected = "a library with block types for this dpusim (docs/plugins.md)";

// The loader says "FILE: undefined symbol: _ZN6dpusim..."; users know the name in C++.
std::string readable(const std::string& message) {
  const std::size_t at = message.find("_Z");
  if (at == std::string::npos) return message;
  const std::size_t end = message.find_first_of(" ,:)", at);
  const std::string mangled = message.substr(at, end == std::string::npos ? end : end - at);
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0) return message;
  return message.substr(0, at) + name.get() + (end == std::string::npos ? "" : message.substr(end));
}

}  // namespace

std::span<const BlockType> load_plugin(const std::filesystem::path& file, const std::string& place) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error))
    throw ConfigError(place, fmt::format("no file {}", file.string()), kExpected);
  // With a '/' in it, so that the loader does not search its own path; local, so that two plugins may have names in
  // common.
  void* library = dlopen(std::filesystem::absolute(file).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw ConfigError(place, readable(dlerror()), kExpected);
  auto* entry = reinterpret_cast<const Plugin* (*)()>(dlsym(library, kPluginEntry));
  if (entry == nullptr)
    throw ConfigError(place, fmt::format("no function {} in {}", kPluginEntry, file.string()),
                      "one, made by DPUSIM_PLUGIN(...)");
  const Plugin* plugin = entry();
  if (plugin == nullptr || plugin->abi != kPluginAbi)
    throw ConfigError(place,
                      fmt::format("{} with plugin version {}", file.string(), plugin == nullptr ? 0 : plugin->abi),
                      fmt::format("version {}: build it against this dpusim's headers", kPluginAbi));
  if (plugin->layout != plugin_layout())
    throw ConfigError(place, fmt::format("{} with other layouts of data", file.string()),
                      "one that is built against this dpusim's headers, with the same standard library");
  return plugin->types();
}

}  // namespace dpusim::platform
