#include "segment/control.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "segment/segment_builder.h"

namespace heaptally::segment {
namespace {

class ControlTest : public testing::Test {
 protected:
  ControlTest() {
    std::string name = testing::TempDir() + "/heaptally_control_XXXXXX";
    directory_ = mkdtemp(name.data());
    path_ = directory_ + "/1-2-3.seg";
    SegmentBuilder builder(Mode::kBytes);
    builder.AddImage(Mode::kBytes, Origin::kFork);
    bytes_ = builder.Build();
    std::ofstream(path_, std::ios::binary).write(reinterpret_cast<const char*>(bytes_.data()), static_cast<std::streamsize>(bytes_.size()));
  }
  ~ControlTest() override { std::filesystem::remove_all(directory_); }

  Control Ask(const Order& order) {
    const auto segment = Segment::Open(path_, &error_);
    const auto header = segment->ReadImageHeader(1, &error_);
    EXPECT_TRUE(WriteOrder(*segment, 1, *header, order, &error_)) << error_;
    return segment->ReadImageHeader(1, &error_)->control;
  }
  std::vector<uint8_t> Now() const {
    std::ifstream file(path_, std::ios::binary);
    return std::vector<uint8_t>(std::istreambuf_iterator<char>(file), {});
  }

  std::string directory_, path_, error_;
  std::vector<uint8_t> bytes_;
};

TEST_F(ControlTest, AnOrderIsWholeAndKeepsWhatItDoesNotSpeakOf) {
  Control control = Ask({.period = 65536});
  EXPECT_EQ(control.order, 65536u);
  EXPECT_EQ(control.check, ~uint64_t{65536});
  control = Ask({.recording = Order::Recording::kPause});
  EXPECT_EQ(control.order, 65536u | kOrderPaused);
  EXPECT_TRUE(IsPaused(control));
  EXPECT_NE(control.paused_since_unix_ns, 0u);
  EXPECT_EQ(control.paused_ns, 0u);
  const uint64_t since = control.paused_since_unix_ns;
  control = Ask({.period = 1 << 20, .recording = Order::Recording::kPause});
  EXPECT_EQ(control.paused_since_unix_ns, since) << "one pause, not two";
  control = Ask({.recording = Order::Recording::kResume});
  EXPECT_FALSE(IsPaused(control));
  EXPECT_EQ(control.order, uint64_t{1} << 20);
  EXPECT_GT(control.paused_ns, 0u);
  const uint64_t paused = control.paused_ns;
  control = Ask({.recording = Order::Recording::kResume});
  EXPECT_EQ(control.paused_ns, paused);
}

TEST_F(ControlTest, NothingElseOfTheFileIsTouched) {
  Ask({.period = 65536, .recording = Order::Recording::kPause});
  const auto now = Now();
  ASSERT_EQ(now.size(), bytes_.size());
  size_t first = now.size(), last = 0;
  for (size_t i = 0; i < now.size(); ++i) {
    if (now[i] == bytes_[i]) continue;
    first = std::min(first, i);
    last = i;
  }
  EXPECT_LT(last - first, sizeof(Control));
}

TEST_F(ControlTest, ATornOrderIsNone) {
  EXPECT_FALSE(IsPaused({kOrderPaused, 0, 0, 0}));
  EXPECT_FALSE(IsPaused({}));
  EXPECT_TRUE(IsPaused({kOrderPaused, ~kOrderPaused, 0, 0}));
}

TEST_F(ControlTest, AnImageThatBelongsToNobodyIsNotWrittenTo) {
  const auto segment = Segment::Open(path_, &error_);
  EXPECT_FALSE(WriteOrder(*segment, 7, {}, {.period = 65536}, &error_));
  std::filesystem::remove(path_);
  EXPECT_FALSE(WriteOrder(*segment, 1, {}, {.period = 65536}, &error_));
  EXPECT_NE(error_.find("can't be written"), std::string::npos) << error_;
}

}  // namespace
}  // namespace heaptally::segment
