#include "store/capture.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "store/database.h"
#include "store/made_profile.h"
#include "store/series.h"

namespace heaptally::store {
namespace {

class CaptureTest : public testing::Test {
 protected:
  CaptureTest() {
    std::string name = testing::TempDir() + "/heaptally_store_XXXXXX";
    directory_ = mkdtemp(name.data());
    path_ = directory_ + "/a.heaptally";
  }
  ~CaptureTest() override { std::filesystem::remove_all(directory_); }

  std::string ReadFile() const {
    std::ifstream file(path_, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  void WriteFile(const std::string& content) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << content;
  }

  std::string directory_, path_, error_;
};

TEST_F(CaptureTest, WhatIsReadIsWhatWasWritten) {
  std::vector<Profile> profiles;
  for (uint64_t seed = 0; seed < 20; ++seed) profiles.push_back(RandomProfile(seed));
  profiles.push_back({});
  ASSERT_TRUE(WriteCapture(path_, profiles, &error_)) << error_;
  const auto read = ReadCapture(path_, &error_, Which::kAll);
  ASSERT_TRUE(read) << error_;
  ASSERT_EQ(read->size(), profiles.size());
  for (size_t i = 0; i < profiles.size(); ++i) EXPECT_TRUE((*read)[i] == profiles[i]) << i;
  EXPECT_TRUE(LooksLikeCapture(path_));
}

TEST_F(CaptureTest, NothingButAPlainFileIsReplaced) {
  std::string error;
  const std::string fifo = path_ + ".fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_FALSE(WriteCapture(fifo, {}, &error, {}));
  EXPECT_NE(error.find("no plain file"), std::string::npos) << error;
  struct stat there = {};
  EXPECT_EQ(stat(fifo.c_str(), &there), 0);
  EXPECT_TRUE(S_ISFIFO(there.st_mode));
  unlink(fifo.c_str());
}

TEST_F(CaptureTest, TheLastSnapshotOfEachImage) {
  std::vector<Profile> profiles = {RandomProfile(1), RandomProfile(2), RandomProfile(1)};
  profiles[2].taken_unix_ns = 77;
  ASSERT_TRUE(WriteCapture(path_, profiles, &error_)) << error_;
  const auto last = ReadCapture(path_, &error_);
  ASSERT_TRUE(last) << error_;
  ASSERT_EQ(last->size(), 2u);
  EXPECT_EQ((*last)[0].pid, profiles[1].pid);
  EXPECT_EQ((*last)[1].taken_unix_ns, 77u);
}

TEST_F(CaptureTest, ViewsForTheShell) {
  Profile profile = RandomProfile(3);
  profile.sites.clear();
  for (uint32_t i = 0; i < 2000; ++i) {
    Site site;
    site.id = i;
    site.frames = {0, 1};
    site.measures.allocated = site.measures.live = {ExactAmount(i), ExactAmount(i * 10)};
    profile.sites.push_back(site);
  }
  profile.sources[0] = {{"operator new(unsigned long)", "", 0, false, ""}, {"Table::grow", "table.cc", 51, false, ""}};
  WriteOptions options;
  options.is_plumbing = [](std::string_view name) { return name.starts_with("operator new"); };
  ASSERT_TRUE(WriteCapture(path_, {profile}, &error_, options)) << error_;
  auto database = Database::OpenForReading(path_, &error_);
  ASSERT_TRUE(database);
  Statement rows(&*database, "SELECT count(*), max(live_bytes), min(function), min(line) FROM site_row");
  ASSERT_EQ(rows.Step(), Statement::Result::kRow);
  EXPECT_EQ(rows.IntegerAt(0), 500);
  EXPECT_EQ(rows.IntegerAt(1), 19990);
  EXPECT_EQ(rows.BytesAt(2), "Table::grow");
  EXPECT_EQ(rows.IntegerAt(3), 51);
}

TEST_F(CaptureTest, EachKindOfWrongFileIsASentence) {
  EXPECT_FALSE(ReadCapture(path_, &error_));
  EXPECT_NE(error_.find("No such file"), std::string::npos) << error_;
  WriteFile("short");
  EXPECT_FALSE(ReadCapture(path_, &error_));
  EXPECT_NE(error_.find("too short"), std::string::npos) << error_;
  WriteFile(std::string(5000, 'x'));
  EXPECT_FALSE(ReadCapture(path_, &error_));
  EXPECT_NE(error_.find("not a heaptally capture"), std::string::npos) << error_;
  ASSERT_TRUE(WriteCapture(path_, {RandomProfile(1)}, &error_));
  const std::string whole = ReadFile();
  std::string changed = whole;
  changed[63] = kFormat + 1;
  WriteFile(changed);
  EXPECT_FALSE(ReadCapture(path_, &error_));
  EXPECT_NE(error_.find("newer heaptally (capture format " + std::to_string(kFormat + 1)), std::string::npos) << error_;
  changed = whole;
  changed[68] = 0;
  WriteFile(changed);
  EXPECT_FALSE(ReadCapture(path_, &error_));
  EXPECT_NE(error_.find("an SQLite file, but"), std::string::npos) << error_;
  EXPECT_FALSE(ReadCapture(directory_, &error_));
  EXPECT_EQ(error_.find('\n'), std::string::npos);
}

TEST_F(CaptureTest, DamageIsNoticedOrHarmless) {
  const Profile profile = RandomProfile(5);
  ASSERT_TRUE(WriteCapture(path_, {profile}, &error_));
  const std::string whole = ReadFile();
  Random random(7);
  int noticed = 0;
  for (int round = 0; round < 300; ++round) {
    std::string changed = whole;
    changed[100 + random() % (changed.size() - 100)] ^= static_cast<char>(1 + random() % 255);
    if (round % 5 == 0) changed.resize(changed.size() * (random() % 100) / 100 + 100);
    WriteFile(changed);
    const auto read = ReadCapture(path_, &error_);
    if (!read) {
      ++noticed;
      EXPECT_NE(error_.find("damaged"), std::string::npos) << error_;
    } else if (read->size() == 1) {
      EXPECT_TRUE((*read)[0] == profile);  // the damage hit rows for the shell
    }
  }
  EXPECT_GT(noticed, 50);
}

TEST_F(CaptureTest, DamagedBlobsWithoutTheirSealAreStillHarmless) {
  SeriesPacker packer;
  PackedSnapshot both[2];
  Profile profile = RandomProfile(6);
  both[0] = packer.Next(profile);
  Change(profile, 1);
  both[1] = packer.Next(profile);
  Random random(8);
  for (int round = 0; round < 3000; ++round) {
    SeriesState state;
    for (PackedSnapshot changed : both) {
      for (std::string* blob : {&changed.facts, &changed.modules, &changed.frames, &changed.names, &changed.sites}) {
        for (uint64_t i = random() % 3; i > 0 && random() % 4 == 0; --i)
          (*blob)[random() % blob->size()] = static_cast<char>(random());
        if (random() % 32 == 0) blob->resize(random() % blob->size());
      }
      if (!Apply(changed.Blobs(), &state)) break;
    }
    for (const Site& site : ProfileOf(state).sites) {
      for (const uint32_t frame : site.frames) ASSERT_LT(frame, state.last.frames.size());
    }
  }
}

TEST_F(CaptureTest, NothingIsLeftOfAnUnfinishedOne) {
  {
    auto writer = CaptureWriter::Create(path_, {}, &error_);
    ASSERT_TRUE(writer) << error_;
    ASSERT_TRUE(writer->Add(RandomProfile(1), &error_));
  }
  EXPECT_TRUE(std::filesystem::is_empty(directory_));
  EXPECT_FALSE(WriteCapture(directory_ + "/missing/a", {}, &error_));
  EXPECT_NE(error_.find("choose another place"), std::string::npos) << error_;
}

TEST_F(CaptureTest, AnOlderFileIsReplacedWholeAndOnlyItsOwnerMayRead) {
  ASSERT_TRUE(WriteCapture(path_, {RandomProfile(1), RandomProfile(2)}, &error_));
  ASSERT_TRUE(WriteCapture(path_, {RandomProfile(3)}, &error_));
  EXPECT_EQ(ReadCapture(path_, &error_)->size(), 1u);
  struct stat status {};
  ASSERT_EQ(stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

}  // namespace
}  // namespace heaptally::store
