#include "segment/reader.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <fstream>
#include <thread>

#include "segment/segment_builder.h"
#include "segment/site_reader.h"

namespace heaptally::segment {
namespace {

class ReaderTest : public testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/heaptally-reader-XXXXXX";
    ASSERT_NE(mkdtemp(pattern), nullptr);
    directory_ = pattern;
    path_ = directory_ + "/1-1-a.seg";
  }
  void TearDown() override {
    for (const std::string& path : {path_, directory_ + "/link"}) unlink(path.c_str());
    rmdir(directory_.c_str());
  }
  void Write(const std::vector<uint8_t>& bytes) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  std::optional<RawImage> ReadFirst() {
    error_.clear();
    const auto segment = Segment::Open(path_, &error_);
    return segment ? segment->ReadImage(0, &error_) : std::nullopt;
  }

  std::string directory_, path_, error_;
};

SegmentBuilder ExactSegment(uint32_t sites) {
  SegmentBuilder builder(Mode::kExact);
  SegmentBuilder::Image& image = builder.images[0];
  SegmentBuilder::AddModule(image, "/usr/bin/example");
  for (uint32_t i = 0; i < sites; ++i) {
    const uint32_t node = SegmentBuilder::AddNode(image, i / 2, 1, 0x1000 + i);
    SegmentBuilder::AddExactSite(image, node, {i + 2, 100 * (i + 2)}, {1, 100});
  }
  return builder;
}

TEST_F(ReaderTest, ReadsExactSitesAcrossRootAndSlabs) {
  Write(ExactSegment(5000).Build());
  const auto image = ReadFirst();
  ASSERT_TRUE(image) << error_;
  ASSERT_EQ(image->exact_sites.size(), 5001u);
  ASSERT_EQ(image->nodes.size(), 5001u);
  for (uint32_t i = 0; i < 5000; ++i) {
    EXPECT_EQ(image->exact_sites[i + 1].allocated.bytes, 100 * (i + 2));
    EXPECT_EQ(image->nodes[image->exact_sites[i + 1].head.node].address, 0x1000 + i);
  }
  EXPECT_TRUE(image->one_cut);
  EXPECT_EQ(image->damaged, 0u);
  EXPECT_EQ(FieldText(image->modules.at(0).path, kMaxPathBytes), "/usr/bin/example");
}

TEST_F(ReaderTest, EachErrorSaysFileFaultAndWhatToDo) {
  Write({1, 2, 3});
  EXPECT_FALSE(ReadFirst());
  EXPECT_NE(error_.find("too short"), std::string::npos) << error_;
  auto bytes = ExactSegment(3).Build();
  auto changed = bytes;
  changed[0] ^= 1;
  Write(changed);
  EXPECT_FALSE(ReadFirst());
  EXPECT_NE(error_.find("not a heaptally segment"), std::string::npos) << error_;
  changed = bytes;
  changed[8] = 77;
  Write(changed);
  EXPECT_FALSE(ReadFirst());
  EXPECT_NE(error_.find("layout 77"), std::string::npos) << error_;
  unlink(path_.c_str());
  EXPECT_FALSE(ReadFirst());
  EXPECT_NE(error_.find(path_), std::string::npos);
  EXPECT_EQ(error_.find('\n'), std::string::npos);
}

TEST_F(ReaderTest, RefusesLinksAndThingsThatAreNoFiles) {
  const std::string link = directory_ + "/link";
  Write(ExactSegment(1).Build());
  ASSERT_EQ(symlink(path_.c_str(), link.c_str()), 0);
  EXPECT_FALSE(Segment::Open(link, &error_));
  EXPECT_NE(error_.find("symbolic link"), std::string::npos) << error_;
  unlink(path_.c_str());
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_FALSE(ReadFirst());
  EXPECT_NE(error_.find("not a regular file"), std::string::npos) << error_;
}

TEST_F(ReaderTest, ATruncatedFileIsAnErrorOfTheImage) {
  SegmentBuilder builder = ExactSegment(5000);
  SegmentBuilder::AddMappedSite(builder.images[0], 1, 0x10000, 4096);  // the last page of the file holds something
  const auto bytes = builder.Build();
  for (const size_t length : {sizeof(FileHeader) + 1, size_t{20'000}, size_t{60'000}, bytes.size() - kPageBytes}) {
    Write({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)});
    EXPECT_FALSE(ReadFirst()) << length;
    EXPECT_NE(error_.find("image 0"), std::string::npos) << error_;
  }
}

TEST_F(ReaderTest, ASparseFileMayNotClaimMoreThanItHolds) {
  SegmentBuilder builder = ExactSegment(10);
  auto bytes = builder.Build();
  KindDirectory& nodes =
      reinterpret_cast<ImageHeader*>(bytes.data() + sizeof(FileHeader))->kinds[static_cast<uint32_t>(Kind::kNodes)];
  nodes.root_offset = 1ull << 30;
  nodes.root_capacity = nodes.count = 0xf0000000;
  Write(bytes);
  ASSERT_EQ(truncate(path_.c_str(), 1ll << 37), 0);
  EXPECT_FALSE(ReadFirst());
  EXPECT_NE(error_.find("MiB of room"), std::string::npos) << error_;
}

TEST_F(ReaderTest, SlabsMayNotOverlap) {
  auto bytes = ExactSegment(9000).Build();
  auto* header = reinterpret_cast<ImageHeader*>(bytes.data() + sizeof(FileHeader));
  header->slab_page[1] = header->slab_page[0];
  Write(bytes);
  EXPECT_FALSE(ReadFirst());
  EXPECT_NE(error_.find("on top of each other"), std::string::npos) << error_;
}

TEST_F(ReaderTest, NodesAndIdsThatPointNowhereAreCutOffAndCounted) {
  SegmentBuilder builder = ExactSegment(10);
  SegmentBuilder::Image& image = builder.images[0];
  image.nodes[3].parent = 3;  // its own caller
  image.nodes[4].parent = 9;  // a cycle with 9, whose caller is 4
  image.nodes[9].parent = 4;
  image.exact_sites[2].head.node = 11;  // one past the last
  image.exact_sites[3].head.size_histogram = 1;
  image.exact_sites[4].head.first_size_class = 200;
  Write(builder.Build());
  const auto raw = ReadFirst();
  ASSERT_TRUE(raw) << error_;
  EXPECT_EQ(raw->damaged, 5u);
  EXPECT_EQ(raw->nodes[3].parent, 0u);
  EXPECT_EQ(raw->nodes[4].parent, 0u);
  EXPECT_EQ(raw->nodes[9].parent, 4u);
  EXPECT_EQ(raw->exact_sites[2].head.node, 0u);
}

TEST_F(ReaderTest, StacksAreBounded) {
  SegmentBuilder builder(Mode::kExact);
  SegmentBuilder::Image& image = builder.images[0];
  uint32_t node = 0;
  for (int i = 0; i < 2000; ++i) node = SegmentBuilder::AddNode(image, node, 0, 0x1000);
  Write(builder.Build());
  const auto raw = ReadFirst();
  ASSERT_TRUE(raw) << error_;
  uint32_t depth = 0;
  for (uint32_t at = node; at != 0; at = raw->nodes[at].parent) ++depth;
  EXPECT_LE(depth, kMaxDepth);
  EXPECT_GT(raw->damaged, 0u);
}

TEST_F(ReaderTest, MoreFreedThanAllocatedIsTornNotNegative) {
  SegmentBuilder builder(Mode::kExact);
  SegmentBuilder::AddExactSite(builder.images[0], 0, {5, 500}, {6, 480});
  Write(builder.Build());
  const auto raw = ReadFirst();
  ASSERT_TRUE(raw) << error_;
  EXPECT_EQ(raw->torn[1], 1);
  EXPECT_EQ(raw->exact_sites[1].freed.objects, 5u);
}

SegmentBuilder SampledSegment() {
  SegmentBuilder builder(Mode::kBytes);
  SegmentBuilder::Image& image = builder.images[0];
  for (uint32_t i = 0; i < 1000; ++i) {
    const uint32_t site = SegmentBuilder::AddSampledSite(image, SegmentBuilder::AddNode(image, 0, 0, 0x1000 + i));
    SegmentBuilder::Allocate(image, site, 4096 + i, 512 << 10, sampling::HalfMembership::kA);
  }
  return builder;
}

TEST_F(ReaderTest, ReadsSampledSitesAndHidesTheUndoItem) {
  SegmentBuilder builder = SampledSegment();
  builder.images[0].sampled_sites[kSiteUndoId] = builder.images[0].sampled_sites[7];
  Write(builder.Build());
  const auto raw = ReadFirst();
  ASSERT_TRUE(raw) << error_;
  ASSERT_EQ(raw->sampled_sites.size(), 1003u);
  EXPECT_TRUE(raw->one_cut);
  EXPECT_FALSE(raw->stalled);
  EXPECT_EQ(raw->sampled_sites[kSiteUndoId].allocated.n, 0u);
  EXPECT_EQ(raw->sampled_sites[3].allocated.s, 4096u);
}

TEST_F(ReaderTest, AnEventThatDiedHalfWayIsUndone) {
  SegmentBuilder builder = SampledSegment();
  SegmentBuilder::Image& image = builder.images[0];
  image.sampled_sites[kSiteUndoId] = image.sampled_sites[5];
  image.header.undo_peak = image.header.sampled_peak;
  image.header.undo_site = 5 + 1;
  image.header.tally_sequence = 2001;
  const sampling::Sums before = image.sampled_sites[5].allocated;
  SegmentBuilder::Allocate(image, 5, 1 << 20, 512 << 10, sampling::HalfMembership::kBoth);
  image.sampled_sites[5].allocated.s = 12345;  // half written
  Write(builder.Build());
  const auto raw = ReadFirst();
  ASSERT_TRUE(raw) << error_;
  EXPECT_TRUE(raw->stalled);
  EXPECT_EQ(raw->sampled_sites[5].allocated, before);
  EXPECT_EQ(raw->header.sampled_peak.whole, image.header.undo_peak.whole);
}

Sample MakeSample(uint32_t site, uint64_t size, uint64_t successor = 0) {
  Sample sample = {};
  sample.site = site;
  sample.size = size;
  sample.successor = successor;
  return sample;
}

TEST_F(ReaderTest, LiveSamplesOfAllPiecesAndTransit) {
  SegmentBuilder builder = SampledSegment();
  SegmentBuilder::Image& image = builder.images[0];
  image.pieces = {std::vector<SampleBucket>(2), std::vector<SampleBucket>(4)};
  const auto put = [&](int piece, int bucket, int slot, uint64_t address, SlotState state, const Sample& sample) {
    image.pieces[piece][bucket].key[slot] = address << 4 | static_cast<uint64_t>(state);
    image.pieces[piece][bucket].sample[slot] = sample;
  };
  put(0, 1, 3, 0x7000, SlotState::kLive, MakeSample(2, 100));
  put(0, 0, 0, 0x7100, SlotState::kDead, MakeSample(2, 200));
  put(0, 0, 1, 0x7200, SlotState::kBusy, MakeSample(2, 300));
  put(1, 3, 7, 0x7300, SlotState::kLive, MakeSample(2, 400));
  put(1, 0, 0, 0, SlotState::kTransit, MakeSample(2, 500, 16 + 3 * 8 + 7 + 1));  // its successor is live
  put(1, 1, 0, 0, SlotState::kTransit, MakeSample(2, 600, 16 + 1));              // its successor is not
  put(1, 1, 1, 0, SlotState::kTransit, MakeSample(2, 700));
  Write(builder.Build());
  const auto raw = ReadFirst();
  ASSERT_TRUE(raw) << error_;
  uint64_t sum = 0;
  for (const LiveSample& sample : raw->samples) sum += sample.sample.size;
  EXPECT_EQ(raw->samples.size(), 4u);
  EXPECT_EQ(sum, 100u + 400 + 600 + 700);
  EXPECT_EQ(raw->samples[0].address, 0x7000u);
}

TEST_F(ReaderTest, MappedSitesAndRangesInEveryMode) {
  for (const Mode mode : {Mode::kExact, Mode::kBytes}) {
    SegmentBuilder builder(mode);
    auto& image = builder.images[0];
    const uint32_t node = SegmentBuilder::AddNode(image, 0, 0, 0x1000);
    for (uint64_t i = 0; i < 7; ++i) SegmentBuilder::AddMappedSite(image, node, 0x100000 * (i + 1), 4096 * (i + 1));
    image.mapped_sites[3].freed = {5, 1 << 20};  // more than it has: torn
    image.ranges[1].site = 99;                   // points nowhere
    image.ranges[2].end = 0;                     // free
    Write(builder.Build());
    const auto raw = ReadFirst();
    ASSERT_TRUE(raw) << error_;
    ASSERT_EQ(raw->mapped_sites.size(), kFirstMappedId + 7u);
    EXPECT_EQ(raw->mapped_sites[2].allocated.bytes, 4096u);
    EXPECT_EQ(raw->mapped_torn[3], 1);
    EXPECT_EQ(raw->mapped_sites[3].freed.bytes, raw->mapped_sites[3].allocated.bytes);
    EXPECT_EQ(raw->ranges.size(), 5u);
    EXPECT_EQ(raw->damaged, 1u);
    const auto segment = Segment::Open(path_, &error_);
    ASSERT_TRUE(segment);
    EXPECT_EQ(segment->ReadMappings(0)->ranges.size(), 6u);
    EXPECT_FALSE(segment->ReadMappings(1));
  }
}

TEST_F(ReaderTest, OneBadImageLeavesTheOthersReadable) {
  SegmentBuilder builder = ExactSegment(10);
  builder.AddImage(Mode::kExact, Origin::kFork).header.magic = 1;
  builder.AddImage(Mode::kBytes, Origin::kFork);
  builder.AddImage(Mode::kExact, Origin::kFork).state = ImageState::kReady;
  Write(builder.Build());
  const auto segment = Segment::Open(path_, &error_);
  ASSERT_TRUE(segment) << error_;
  EXPECT_EQ(segment->ClaimedImages(), (std::vector<uint32_t>{0, 1, 2}));
  EXPECT_TRUE(segment->ReadImage(0, &error_));
  EXPECT_FALSE(segment->ReadImage(1, &error_));
  EXPECT_TRUE(segment->ReadImage(2, &error_));
  EXPECT_FALSE(segment->ReadImage(3, &error_));
  EXPECT_FALSE(segment->ReadImage(kMaxImages, &error_));
}

// A writer that keeps objects * 64 == bytes and frees after it allocates: whatever is not marked torn must keep that.
TEST_F(ReaderTest, ALivingExactSiteIsWholeOrMarked) {
  SegmentBuilder builder(Mode::kExact);
  for (int i = 0; i < 100; ++i) SegmentBuilder::AddExactSite(builder.images[0], 0, {0, 0}, {0, 0});
  auto bytes = builder.Build();
  const uint64_t slab = reinterpret_cast<ImageHeader*>(bytes.data() + sizeof(FileHeader))->slab_page[0] * 4096ull;
  Write(bytes);
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    std::FILE* file = std::fopen(path_.c_str(), "r+b");
    ExactSite site = {};
    for (uint64_t i = 1; !stop; ++i) {
      const long offset = static_cast<long>(slab + i % 50 * sizeof(ExactSite));
      site.allocated = {i, i * 64};
      std::fseek(file, offset, SEEK_SET);
      std::fwrite(&site, sizeof site, 1, file);
      std::fflush(file);
      site.freed = {i, i * 64};
    }
    std::fclose(file);
  });
  for (int round = 0; round < 300; ++round) {
    const auto raw = ReadFirst();
    ASSERT_TRUE(raw) << error_;
    for (size_t i = 0; i < raw->exact_sites.size(); ++i) {
      const ExactSite& site = raw->exact_sites[i];
      EXPECT_LE(site.freed.bytes, site.allocated.bytes);
      if (raw->torn[i] != 0) continue;
      EXPECT_EQ(site.allocated.objects * 64, site.allocated.bytes);
      EXPECT_EQ(site.freed.objects * 64, site.freed.bytes);
    }
  }
  stop = true;
  writer.join();
}

}  // namespace
}  // namespace heaptally::segment
