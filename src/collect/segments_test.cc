#include "collect/segments.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "collect/test_directory.h"
#include "segment/segment_builder.h"

namespace heaptally::collect {
namespace {

std::string Content(segment::SegmentBuilder builder) {
  const auto bytes = builder.Build();
  return {bytes.begin(), bytes.end()};
}

TEST(SegmentNames, PartsOfANameAndNothingElse) {
  const auto name = ParseSegmentName("4711-998877-1fa0.seg");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->pid, 4711);
  EXPECT_EQ(name->start_ticks, 998877u);
  for (const char* wrong : {"", "4711.seg", "4711-5-a", "4711-5-a.segx", "x-5-a.seg", "-4-5-a.seg", "4711-5-.seg",
                            "99999999999-1-1.seg", "1-1-fffffffffffffffff.seg", ".4711-5-a.seg"}) {
    EXPECT_FALSE(ParseSegmentName(wrong)) << wrong;
  }
}

TEST(Segments, ListedByPidAndStartOthersLeftAlone) {
  TestDirectory directory;
  const std::string content = Content(segment::SegmentBuilder(segment::Mode::kExact));
  for (const char* name : {"20-7-a.seg", "3-9-b.seg", "3-8-c.seg", "README", "5-5-d.capture"})
    directory.Write(name, content);
  std::filesystem::create_symlink(directory.path() + "/README", directory.path() + "/6-6-e.seg");
  std::string error;
  const auto all = ListSegments(directory.path(), &error);
  ASSERT_TRUE(all) << error;
  ASSERT_EQ(all->size(), 3u);
  EXPECT_EQ((*all)[0].start_ticks, 8u);
  EXPECT_EQ((*all)[2].pid, 20);
  EXPECT_GE(TotalBytes(*all), 3 * content.size() / 2);
  EXPECT_EQ(SegmentsOfPid(*all, 3).size(), 2u);
  EXPECT_TRUE(RemoveSegment((*all)[0].path, &error));
  EXPECT_EQ(ListSegments(directory.path(), &error)->size(), 2u);
}

TEST(Segments, ProgramsWithoutOneAreKnownByAnEmptyFile) {
  TestDirectory directory;
  for (const char* name : {"2000000001-5-beef-a tool-2.none", "2000000002-5-bee-b.none", "2000000003-5-beef.none", "3-5-beef-c.seg", "x-5-beef-d.none", "4-beef-e.none"})
    directory.Write(name, "");
  const auto of_run = WithoutSegmentOfRun(directory.path(), "beef");
  ASSERT_EQ(of_run.size(), 1u);
  EXPECT_EQ(of_run[0].pid, 2000000001);
  EXPECT_EQ(of_run[0].program, "a tool-2");
  EXPECT_TRUE(std::filesystem::exists(of_run[0].path));
  EXPECT_EQ(DeadWithoutSegment(directory.path()).size(), 2u) << "no kernel has such pids";
  directory.Write(std::to_string(getpid()) + "-1-beef-f.none", "");
  EXPECT_EQ(DeadWithoutSegment(directory.path()).size(), 2u);
  EXPECT_TRUE(WithoutSegmentOfRun(directory.path() + "/none", "beef").empty());
  std::string error;
  EXPECT_EQ(ListSegments(directory.path(), &error)->size(), 0u) << "3-5-beef-c.seg is the name of none";
}

TEST(Segments, OfARunAndOfForkedChildren) {
  TestDirectory directory;
  segment::SegmentBuilder ours(segment::Mode::kExact), other(segment::Mode::kExact);
  std::strcpy(ours.header.run_id, "beef");
  ours.AddImage(segment::Mode::kExact, segment::Origin::kFork).header.pid = 77;
  directory.Write("10-1-a.seg", Content(ours));
  directory.Write("11-1-b.seg", Content(other));
  std::string error;
  const auto all = ListSegments(directory.path(), &error);
  ASSERT_TRUE(all) << error;
  ASSERT_EQ(SegmentsOfRun(*all, "beef").size(), 1u);
  EXPECT_EQ(SegmentsOfRun(*all, "beef")[0].pid, 10);
  ASSERT_EQ(SegmentsOfPid(*all, 77).size(), 1u);
  EXPECT_EQ(SegmentsOfPid(*all, 77)[0].pid, 10);
}

TEST(Segments, ADirectoryThatOthersMayWriteToIsRefused) {
  TestDirectory directory;
  std::string error;
  chmod(directory.path().c_str(), 0777);
  EXPECT_FALSE(ListSegments(directory.path(), &error));
  EXPECT_NE(error.find("written by other users"), std::string::npos) << error;
  EXPECT_FALSE(ListSegments(directory.Write("file", ""), &error));
  const auto none = ListSegments(directory.path() + "/missing", &error);
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->empty());
}

}  // namespace
}  // namespace heaptally::collect
