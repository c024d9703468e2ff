#include "platform/run_directory.h"

#include "platform_bench.h"

using namespace dpusim;
using namespace dpusim::test;
using platform::RunDirectory;
namespace fs = std::filesystem;

TEST_CASE("an earlier run comes back when the new one does not start, and goes when it does") {
  const Folder folder;
  const fs::path out = folder.path / "run";
  {
    RunDirectory first(out);
    first.write("effective.json", "{}");
    first.write("stats.json", "1");
    first.keep();
  }
  {
    const RunDirectory failed(out);
    CHECK_FALSE(fs::exists(out / "stats.json"));
  }
  CHECK(fs::exists(out / "stats.json"));
  CHECK(fs::exists(out / "effective.json"));
  {
    RunDirectory second(folder.path / "run/");
    second.keep();
  }
  CHECK_FALSE(fs::exists(out / "stats.json"));
  CHECK(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()) == 1);
}

TEST_CASE("a failed first run leaves nothing") {
  const Folder folder;
  { const RunDirectory failed(folder.path / "run"); }
  CHECK(fs::is_empty(folder.path));
}

TEST_CASE("a foreign directory or a file is refused and left as it is") {
  const Folder folder;
  folder.write("precious", "x");
  CHECK_THAT(error_of([&] { RunDirectory run(folder.path); }), Contains("a directory with other files"));
  CHECK_THAT(error_of([&] { RunDirectory run(folder.path / "precious"); }), Contains("found a file"));
  CHECK(fs::file_size(folder.path / "precious") == 1);
}
