#include "symbols/perf_map.h"

#include <gtest/gtest.h>

namespace heaptally::symbols {
namespace {

std::string At(PerfMap* map, uint64_t address) {
  const Frame& frame = map->At(address).at(0);
  return frame.function.empty() ? "? " + frame.why : frame.function;
}

TEST(PerfMapTest, ExactRanges) {
  PerfMap map = PerfMap::Parse("1000 10 first\n1010 20 second one\n2000 0 empty\n");
  EXPECT_EQ(At(&map, 0xfff), "? neither a module nor the perf map covers this address");
  EXPECT_EQ(At(&map, 0x1000), "first");
  EXPECT_EQ(At(&map, 0x100f), "first");
  EXPECT_EQ(At(&map, 0x1010), "second one");
  EXPECT_EQ(At(&map, 0x102f), "second one");
  EXPECT_EQ(At(&map, 0x1030)[0], '?');
  EXPECT_EQ(At(&map, 0x2000)[0], '?');
  EXPECT_EQ(map.problem(), "");
}

TEST(PerfMapTest, TheLastLineWins) {
  PerfMap map = PerfMap::Parse("1000 100 old\n1000 100 new\n");
  EXPECT_EQ(At(&map, 0x1080), "new");
  map = PerfMap::Parse("1000 100 old\n2000 100 other\n1040 40 new\n");
  EXPECT_EQ(At(&map, 0x1040), "new");
  EXPECT_EQ(At(&map, 0x1000)[0], '?') << "what is left of thrown-away code is not named";
  EXPECT_EQ(At(&map, 0x10ff)[0], '?');
  EXPECT_EQ(At(&map, 0x2000), "other");
  map = PerfMap::Parse("1000 10 a\n1010 10 b\n1020 10 c\n1008 20 over\n");
  EXPECT_EQ(At(&map, 0x1000)[0], '?');
  EXPECT_EQ(At(&map, 0x1008), "over");
  EXPECT_EQ(At(&map, 0x1027), "over");
  EXPECT_EQ(At(&map, 0x1028)[0], '?');
}

TEST(PerfMapTest, WhatMakesNoSenseIsLeftOutAndSaid) {
  PerfMap map = PerfMap::Parse("zzz\n1000 10 right\n10 name\nffffffffffffffff 10 beyond\n2000 10 \n\n3000 10 half a li");
  EXPECT_EQ(map.size(), 1u);
  EXPECT_EQ(At(&map, 0x1000), "right");
  EXPECT_EQ(map.problem(), "4 lines of the perf map make no sense");
  EXPECT_EQ(PerfMap::Read("/no/such/file").problem(), "the perf map cannot be read");
  EXPECT_EQ(PerfMap::Read("/dev/null").problem(), "the perf map cannot be read");
}

TEST(PerfMapTest, NamesOfJavaScriptAndPython) {
  Frame frame = FrameOfPerfName("JS:~work /srv/a b.js:3:14");
  EXPECT_EQ(frame.function, "work");
  EXPECT_EQ(frame.file, "/srv/a b.js");
  EXPECT_EQ(frame.line, 0u) << "3 is where the function begins, not where it calls";
  EXPECT_EQ(FrameOfPerfName("LazyCompile:*Module._load node:internal/modules/cjs/loader:757:24").file,
            "node:internal/modules/cjs/loader");
  EXPECT_EQ(FrameOfPerfName("JS:~ /srv/a.js:1:1").function, "(anonymous)");
  EXPECT_EQ(FrameOfPerfName("Function:~nextTick").function, "nextTick");
  EXPECT_EQ(FrameOfPerfName("py::work:/srv/x.py").file, "/srv/x.py");
  EXPECT_EQ(FrameOfPerfName("py::work:/srv/x.py").function, "work");
  EXPECT_EQ(FrameOfPerfName("Lcom/foo/Bar;::work").function, "Lcom/foo/Bar;::work");
  EXPECT_EQ(FrameOfPerfName("JS:").function, "(anonymous)");
}

}  // namespace
}  // namespace heaptally::symbols
