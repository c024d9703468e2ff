#include "platform/plugin.h"
#include "platform_bench.h"

using namespace dpusim;
using namespace dpusim::test;

namespace {
const std::string kPlugins = DPUSIM_BINARY_DIR "/plugins/libplugin_";
}

TEST_CASE("a library that is no plugin of this dpusim is refused with its place and the reason") {
  const auto error = [](const std::string& file) {
    return error_of([&] { platform::add_plugin(file, "plugins[0]"); });
  };
  const Folder folder;
  CHECK_THAT(error("/nowhere/libx.so"), Contains("plugins[0]: found no file /nowhere/libx.so"));
  CHECK_THAT(error(folder.write("text.so", "no library")), Contains("plugins[0]: found ") && Contains("text.so"));
  CHECK_THAT(error(kPlugins + "no_entry.so"), Contains("no function dpusim_plugin"));
  CHECK_THAT(error(kPlugins + "other_abi.so"), Contains("with plugin version 2, expected version 1"));
  CHECK_THAT(error(kPlugins + "other_layout.so"), Contains("other layouts of data"));
  const std::size_t types = platform::block_types().size();
  CHECK_THAT(error(kPlugins + "duplicate.so"), Contains("type \"pl011\"") && Contains("family uart has already"));
  CHECK(platform::block_types().size() == types);
}

TEST_CASE("plugins are relative to the file that names them and add up over extends") {
  const Folder folder;
  std::filesystem::create_directory(folder.path / "base");
  folder.write("base/base.json", R"({"plugins": ["./liba.so", "libb.so"], "blocks": {"r": {"type": "ram"}}})");
  const std::string top =
      folder.write("top.json", R"({"extends": "base/base.json", "plugins": ["base/libb.so", "/abs/libc.so"]})");
  const std::vector<std::filesystem::path> expected = {folder.path / "base/liba.so", folder.path / "base/libb.so",
                                                       "/abs/libc.so"};
  CHECK(platform::read_platform(top, {}).plugins == expected);
  const std::string bad = folder.write("bad.json", R"({"plugins": "a.so", "blocks": {"r": {"type": "ram"}}})");
  CHECK_THAT(error_of([&] { platform::read_platform(bad, {}); }), Contains("plugins: found \"a.so\", expected a list"));
}
