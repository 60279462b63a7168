// Several snapshots of an image in one capture.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "store/capture.h"
#include "store/database.h"
#include "store/made_profile.h"
#include "store/series.h"

namespace heaptally::store {
namespace {

class MomentsTest : public testing::Test {
 protected:
  MomentsTest() {
    std::string name = testing::TempDir() + "/heaptally_moments_XXXXXX";
    directory_ = mkdtemp(name.data());
    path_ = directory_ + "/a.heaptally";
  }
  ~MomentsTest() override { std::filesystem::remove_all(directory_); }
  std::string directory_, path_, error_;
};

// The same profile with frames and modules numbered as they are met in its sites.
struct Plain {
  std::vector<std::pair<Site, std::vector<std::vector<profile::SourceFrame>>>> sites;
  std::vector<std::vector<profile::Frame>> stacks;
  bool operator==(const Plain&) const = default;
};

Plain PlainOf(const Profile& profile) {
  Plain plain;
  for (Site site : profile.sites) {
    auto& stack = plain.stacks.emplace_back();
    std::vector<std::vector<profile::SourceFrame>> names;
    for (const uint32_t frame : site.frames) {
      stack.push_back(profile.frames[frame]);
      names.push_back(profile.sources[frame]);
    }
    site.frames.clear();
    plain.sites.emplace_back(site, names);
  }
  return plain;
}

std::vector<Profile> Moments(size_t count) {
  std::vector<Profile> moments = {RandomProfile(11)};
  moments[0].state = profile::State::kRunning;
  for (size_t i = 0; i < moments[0].frames.size(); ++i) moments[0].frames[i].address = 64 * i;  // each another one
  for (Site& site : moments[0].sites) {
    for (uint32_t i = 0; i < site.id % 5; ++i) site.live_samples.push_back({i * 1000, 100 * i, i == 1 ? 1u << 20 : 524288});
  }
  while (moments.size() < count) {
    moments.push_back(moments.back());
    Change(moments.back(), moments.size());
  }
  return moments;
}

TEST_F(MomentsTest, EachIsReadAsItWasWritten) {
  const std::vector<Profile> moments = Moments(6);
  auto writer = CaptureWriter::Create(path_, {}, &error_);
  ASSERT_TRUE(writer) << error_;
  for (const Profile& profile : moments) {
    ASSERT_TRUE(writer->Add(profile, &error_)) << error_;
    writer->NextMoment();
  }
  ASSERT_TRUE(writer->Commit(&error_)) << error_;
  const auto all = ReadCapture(path_, &error_, Which::kAll);
  ASSERT_TRUE(all) << error_;
  ASSERT_EQ(all->size(), moments.size());
  for (size_t i = 0; i < moments.size(); ++i) {
    const Plain read = PlainOf((*all)[i]), written = PlainOf(moments[i]);
    ASSERT_EQ(read.sites.size(), written.sites.size());
    for (size_t site = 0; site < read.sites.size(); ++site) {
      const Site &is = read.sites[site].first, &was = written.sites[site].first;
      EXPECT_TRUE(is.measures == was.measures) << i << " " << was.id;
      EXPECT_TRUE(is.sizes == was.sizes && is.lifetimes_ns == was.lifetimes_ns) << i << " " << was.id;
      EXPECT_TRUE(is.oldest_ns == was.oldest_ns && is.live_samples == was.live_samples) << i << " " << was.id;
      EXPECT_TRUE(read.sites[site] == written.sites[site]) << i << " " << was.id;
    }
    EXPECT_TRUE(read.stacks == written.stacks) << i;
    EXPECT_TRUE((*all)[i].totals == moments[i].totals) << i;
    EXPECT_EQ((*all)[i].taken_unix_ns, moments[i].taken_unix_ns);
    const auto at = ReadCaptureAt(path_, i + 1, &error_);
    ASSERT_TRUE(at) << error_;
    EXPECT_TRUE((*at)[0] == (*all)[i]) << i;
  }
}

TEST_F(MomentsTest, AnotherTimeGoesOnWhereTheFileEnds) {
  const std::vector<Profile> moments = Moments(4);
  ASSERT_TRUE(WriteCapture(path_, {moments[0]}, &error_)) << error_;
  for (size_t i = 1; i < moments.size(); ++i) {
    auto writer = CaptureWriter::Continue(path_, {}, &error_);
    ASSERT_TRUE(writer) << error_;
    EXPECT_EQ(writer->moment(), i + 1);
    ASSERT_TRUE(writer->Add(moments[i], &error_)) << error_;
    ASSERT_TRUE(writer->Commit(&error_)) << error_;
  }
  const auto all = ReadCapture(path_, &error_, Which::kAll);
  ASSERT_TRUE(all) << error_;
  ASSERT_EQ(all->size(), moments.size());
  for (size_t i = 0; i < moments.size(); ++i) EXPECT_TRUE(PlainOf((*all)[i]) == PlainOf(moments[i])) << i;
}

TEST_F(MomentsTest, WhatHasNotChangedTakesNoRoom) {
  Profile profile = Moments(1)[0];
  SeriesPacker packer;
  const size_t first = packer.Next(profile).sites.size();
  profile.taken_unix_ns += 1'000'000'000;
  for (Site& site : profile.sites) {
    if (site.oldest_ns) *site.oldest_ns += 1'000'000'000 + 1000;  // a clock is never quite the other
    for (profile::Bucket& bucket : site.lifetimes_ns) bucket.to += bucket.to >> 12;
  }
  const PackedSnapshot again = packer.Next(profile);
  EXPECT_LT(again.sites.size(), 8u) << first;
  EXPECT_LT(again.modules.size() + again.frames.size() + again.names.size(), 8u);
  EXPECT_LT(again.facts.size(), packer.Next(RandomProfile(12)).facts.size() - 30);  // who it is stands once
}

TEST_F(MomentsTest, NamesThatCameLastServeAllMoments) {
  const std::vector<Profile> moments = Moments(3);
  auto writer = CaptureWriter::Create(path_, {}, &error_);
  ASSERT_TRUE(writer) << error_;
  for (size_t i = 0; i < moments.size(); ++i) {
    Profile profile = moments[i];
    if (i + 1 < moments.size()) profile.sources.clear();
    ASSERT_TRUE(writer->Add(profile, &error_)) << error_;
    writer->NextMoment();
  }
  ASSERT_TRUE(writer->Commit(&error_)) << error_;
  const auto first = ReadCaptureAt(path_, 1, &error_);
  ASSERT_TRUE(first) << error_;
  EXPECT_TRUE((*first)[0].sources == moments[0].sources);
}

TEST_F(MomentsTest, PlainRowsAreThoseOfTheLast) {
  const std::vector<Profile> moments = Moments(3);
  auto writer = CaptureWriter::Create(path_, {}, &error_);
  ASSERT_TRUE(writer) << error_;
  for (const Profile& profile : moments) {
    ASSERT_TRUE(writer->Add(profile, &error_)) << error_;
    writer->NextMoment();
  }
  ASSERT_TRUE(writer->Commit(&error_)) << error_;
  auto database = Database::OpenForReading(path_, &error_);
  ASSERT_TRUE(database);
  Statement rows(&*database, "SELECT min(snapshot), max(snapshot), (SELECT count(*) FROM snapshot) FROM site_row");
  ASSERT_EQ(rows.Step(), Statement::Result::kRow);
  EXPECT_EQ(rows.IntegerAt(0), 3);
  EXPECT_EQ(rows.IntegerAt(1), 3);
  EXPECT_EQ(rows.IntegerAt(2), 3);
}

TEST_F(MomentsTest, AMomentThatWasTakenOutIsNoticed) {
  const std::vector<Profile> moments = Moments(3);
  auto writer = CaptureWriter::Create(path_, {}, &error_);
  ASSERT_TRUE(writer) << error_;
  for (const Profile& profile : moments) ASSERT_TRUE(writer->Add(profile, &error_)) << error_;
  ASSERT_TRUE(writer->Commit(&error_)) << error_;
  auto database = Database::OpenForAdding(path_, &error_);
  ASSERT_TRUE(database && database->Run("DELETE FROM snapshot WHERE id = 2") && database->Close());
  EXPECT_FALSE(ReadCapture(path_, &error_));
  EXPECT_NE(error_.find("damaged"), std::string::npos) << error_;
  std::vector<Profile> before;
  EXPECT_FALSE(ForEachSnapshot(
      path_, Which::kAll, [&](Profile&& profile, uint64_t) { before.push_back(std::move(profile)); }, &error_));
  ASSERT_EQ(before.size(), 1u);  // what comes before the damage is right
  EXPECT_TRUE(PlainOf(before[0]) == PlainOf(moments[0]));
}

// Kills a writer again and again, wherever it may be; each finds what the one before left.
TEST_F(MomentsTest, AKilledWriterLeavesAllThatItPublished) {
  const std::vector<Profile> moments = Moments(8);
  for (int round = 0; round < 30; ++round) {
    int told[2];
    ASSERT_EQ(pipe(told), 0);
    const pid_t pid = fork();
    if (pid == 0) {
      close(told[0]);
      auto writer = CaptureWriter::Create(path_, {}, &error_);
      for (uint8_t i = 0; i < moments.size(); ++i) {
        if (!writer->Add(moments[i], &error_) || !writer->Publish(&error_)) _exit(1);
        writer->NextMoment();
        if (write(told[1], &i, 1) != 1) _exit(1);
      }
      for (;;) pause();
    }
    close(told[1]);
    uint8_t published = 0;
    for (int i = 0; i <= round % 8; ++i) ASSERT_EQ(read(told[0], &published, 1), 1);
    usleep(static_cast<useconds_t>(round) * 37);
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    close(told[0]);
    const auto all = ReadCapture(path_, &error_, Which::kAll);
    ASSERT_TRUE(all) << error_;
    ASSERT_GT(all->size(), published);
    for (size_t i = 0; i < all->size(); ++i) ASSERT_TRUE(PlainOf((*all)[i]) == PlainOf(moments[i])) << i;
  }
}

// The moment in which a transaction is written to the file: its journal says how the file was before.
TEST_F(MomentsTest, WhatAKilledWriterWroteHalfIsUndoneInACopy) {
  const std::vector<Profile> moments = Moments(2);
  auto writer = CaptureWriter::Create(path_, {}, &error_);
  ASSERT_TRUE(writer && writer->Add(moments[0], &error_) && writer->Publish(&error_)) << error_;
  const pid_t pid = fork();
  if (pid == 0) {
    auto database = Database::OpenForAdding(path_, &error_);
    const bool half = database->Run("PRAGMA cache_spill = ON; PRAGMA cache_size = 1; BEGIN;") &&
                      database->Run("UPDATE snapshot SET seal = 1, facts = zeroblob(200000)") &&
                      database->Run("INSERT INTO capture VALUES('x', zeroblob(2000000))");
    if (half) raise(SIGKILL);
    _exit(1);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_TRUE(std::filesystem::exists(path_ + "-journal"));
  const auto all = ReadCapture(path_, &error_, Which::kAll);
  ASSERT_TRUE(all) << error_;
  ASSERT_EQ(all->size(), 1u);
  EXPECT_TRUE(PlainOf((*all)[0]) == PlainOf(moments[0]));
  EXPECT_TRUE(std::filesystem::exists(path_ + "-journal"));  // reading changes nothing
}

}  // namespace
}  // namespace heaptally::store
