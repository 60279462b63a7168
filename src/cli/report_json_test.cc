#include "cli/report_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "profile/estimates.h"

namespace heaptally::cli {
namespace {

using nlohmann::json;
using profile::ExactAmount;
using profile::Profile;
using profile::Site;

Site MakeSite(uint32_t id, uint64_t objects, uint64_t bytes) {
  Site site;
  site.id = id;
  site.measures.allocated = {ExactAmount(objects * 2), ExactAmount(bytes * 2)};
  site.measures.freed = site.measures.live = site.measures.peak = {ExactAmount(objects), ExactAmount(bytes)};
  site.frames = {0, 1, 2};
  site.sizes = {{16, 31, ExactAmount(objects * 2)}};
  return site;
}

Profile ExactProfile() {
  Profile profile;
  profile.pid = 4711;
  profile.exe = "/usr/bin/foo";
  profile.argv = {"foo", "-x"};
  profile.state = profile::State::kExecd;
  profile.exit.status = 3;
  profile.modules = {{"/usr/lib/libx.so", "ab12", 0x7000, 0x8000, 0x7000, false}};
  profile.frames = {{0, 0x10, false}, {0, 0x20, false}, {profile::kNoModule, 0x30, false}};
  profile.sources = {{{"operator new(unsigned long)", "", 0, false, ""}},
                     {{"inner", "a.cc", 3, true, ""}, {"outer", "a.cc", 9, false, ""}},
                     {{"", "", 0, false, "no module"}}};
  profile.sites = {MakeSite(5, 10, 1000), MakeSite(6, 1, 5000)};
  profile.peak_moments_unix_ns = {12};
  profile.loss = {{"segment-full", 4}};
  profile::SumTotals(&profile);
  return profile;
}

json Parse(const std::vector<Profile>& profiles, const ReportJsonOptions& options = {}) {
  return json::parse(ReportJson(profiles, options));
}

TEST(ReportJson, ExactNumbersAreIntegersWithoutAnInterval) {
  const json report = Parse({ExactProfile()});
  EXPECT_EQ(report["schema"], 1);
  const json& profile = report["profiles"][0];
  EXPECT_EQ(profile["state"], "exec'd");
  EXPECT_EQ(profile["exit"], (json{{"status", 3}, {"signal", nullptr}, {"oom", nullptr}}));
  EXPECT_TRUE(profile["period_bytes"].is_null());
  EXPECT_EQ(profile["totals"]["live_bytes"], (json{{"v", 6000}, {"lo", 6000}, {"hi", 6000}, {"n", nullptr}}));
  EXPECT_TRUE(profile["totals"]["live_objects"]["v"].is_number_integer());
  EXPECT_TRUE(profile["totals_mapped"].is_null());
  EXPECT_TRUE(profile["coverage"]["rss_bytes"].is_null());
  EXPECT_TRUE(profile["coverage"]["heap_resident_bytes"].is_null());
  EXPECT_EQ(profile["coverage"]["heap_live_bytes"]["v"], 6000);
  EXPECT_EQ(profile["loss"]["segment-full"], 4);
  EXPECT_EQ(profile["sites"][0]["size_histogram"], (json{{16, 31, 2}}));
  EXPECT_TRUE(profile["sites"][0]["oldest_ns"].is_null());
}

TEST(ReportJson, SitesAreRankedAndLimited) {
  json sites = Parse({ExactProfile()})["profiles"][0]["sites"];
  EXPECT_EQ(sites[0]["id"], 6);
  EXPECT_EQ(sites[1]["id"], 5);
  const json profile = Parse({ExactProfile()}, {.limit = 1, .by = analysis::By::kCalls})["profiles"][0];
  ASSERT_EQ(profile["sites"].size(), 1u);
  EXPECT_EQ(profile["sites"][0]["id"], 5);
  EXPECT_EQ(profile["sites_total"], 2);
}

TEST(ReportJson, ClassMappedIsInNoSumOfTheHeapAndRanksByItself) {
  Profile profile = ExactProfile();
  profile.sites.insert(profile.sites.begin(), {MakeSite(1u << 24, 1, 1 << 20), MakeSite((1u << 24) + 1, 2, 2 << 20)});
  profile.sites[0].memory_class = profile.sites[1].memory_class = "mapped";
  profile.coverage.resident_by_site = {{1u << 24, 4096}};
  profile::SumTotals(&profile);
  const json out = Parse({profile})["profiles"][0];
  EXPECT_EQ(out["totals"]["live_bytes"]["v"], 6000);
  EXPECT_EQ(out["totals_mapped"]["live_bytes"]["v"], 3 << 20);
  EXPECT_EQ(out["coverage"]["heap_live_bytes"]["v"], 6000);
  std::vector<uint32_t> ids;
  for (const json& site : out["sites"]) ids.push_back(site["id"]);
  EXPECT_EQ(ids, (std::vector<uint32_t>{6, 5, (1u << 24) + 1, 1u << 24}));
  EXPECT_FALSE(out["sites"][0].contains("resident_bytes"));
  EXPECT_TRUE(out["sites"][2]["resident_bytes"].is_null());
  EXPECT_EQ(out["sites"][3]["resident_bytes"], 4096);
  const json limited = Parse({profile}, {.limit = 1})["profiles"][0];
  ASSERT_EQ(limited["sites"].size(), 2u);
  EXPECT_EQ(limited["sites"][0]["class"], "malloc");
  EXPECT_EQ(limited["sites"][1]["class"], "mapped");
  EXPECT_EQ(limited["sites_total"], 4);
}

TEST(ReportJson, AnAccountSaysWhatIsLiveUnlessBytesAreNotKnown) {
  Profile profile = ExactProfile();
  profile.coverage.heap_resident_bytes = 8192;
  profile.coverage.heap_live = ExactAmount(5000);  // of the account's moment
  EXPECT_EQ(Parse({profile})["profiles"][0]["coverage"]["heap_live_bytes"]["v"], 5000);
  EXPECT_EQ(Parse({profile})["profiles"][0]["coverage"]["heap_resident_bytes"], 8192);
  profile.totals.bytes_known = false;  // mode count
  profile.coverage.heap_live.reset();
  EXPECT_TRUE(Parse({profile})["profiles"][0]["coverage"]["heap_live_bytes"].is_null());
}

TEST(ReportJson, AllocatorFramesAreHiddenUnlessFull) {
  const json frames = Parse({ExactProfile()})["profiles"][0]["sites"][0]["frames"];
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(frames[0]["function"], "inner");
  EXPECT_EQ(frames[0]["inlined"], true);
  EXPECT_EQ(frames[0]["offset"], 0x20);
  EXPECT_EQ(frames[0]["address"], 0x7020);
  EXPECT_EQ(frames[0]["build_id"], "ab12");
  EXPECT_TRUE(frames[0]["why"].is_null());
  EXPECT_TRUE(frames[2]["function"].is_null());
  EXPECT_EQ(frames[2]["why"], "no module");
  EXPECT_TRUE(frames[2]["module"].is_null());
  const json full = Parse({ExactProfile()}, {.full = true})["profiles"][0]["sites"][0]["frames"];
  ASSERT_EQ(full.size(), 4u);
  EXPECT_EQ(full[0]["function"], "operator new(unsigned long)");
}

TEST(ReportJson, AStackOfAllocatorFramesOnlyIsShown) {
  Profile profile = ExactProfile();
  profile.sites[0].frames = {0};
  profile.sites.resize(1);
  EXPECT_EQ(Parse({profile})["profiles"][0]["sites"][0]["frames"].size(), 1u);
}

TEST(ReportJson, SampledNumbersHaveIntervalsSamplesAndAFloor) {
  Profile profile = ExactProfile();
  profile.mode = "bytes";
  profile.period_bytes = 512 << 10;
  sampling::Sums sums;
  for (int i = 0; i < 4; ++i) sums.Add(sampling::TermsOf(100, profile.period_bytes));
  Site site;
  site.measures.period = static_cast<double>(profile.period_bytes);
  site.measures.floor_bytes = 100;
  site.measures.allocated = site.measures.live = profile::VolumeOf(sums);
  site.sizes = {{64, 127, profile::ObjectsAmount(sums)}};
  profile.sites = {site};
  profile::SumTotals(&profile);
  const json out = Parse({profile})["profiles"][0]["sites"][0];
  EXPECT_EQ(out["live_bytes"]["n"], 4);
  EXPECT_LT(out["live_bytes"]["lo"], out["live_bytes"]["v"]);
  EXPECT_GT(out["live_bytes"]["hi"], out["live_bytes"]["v"]);
  EXPECT_FALSE(out["live_bytes"].contains("floor"));
  EXPECT_EQ(out["live_objects"]["floor"], 100);
  EXPECT_EQ(out["size_histogram"][0][2]["floor"], 64);
  EXPECT_EQ(out["frees"]["v"], 0);
  EXPECT_GT(out["frees"]["hi"], 0);  // no sample is not "none"
}

TEST(ReportJson, NothingSampledMeansNoUpperEndOfObjects) {
  Profile profile;
  profile.mode = "bytes";
  profile.period_bytes = 512 << 10;
  profile::SumTotals(&profile);
  const json totals = Parse({profile})["profiles"][0]["totals"];
  EXPECT_TRUE(totals["live_objects"]["hi"].is_null());
  EXPECT_TRUE(totals["live_objects"]["floor"].is_null());
  EXPECT_NEAR(totals["live_bytes"]["hi"].get<double>(), 3.689 * (512 << 10), 600);
}

TEST(ReportJson, LargeNumbersAndBrokenText) {
  Profile profile = ExactProfile();
  profile.unknown_frees = UINT64_MAX;
  profile.sites[0].measures.live.bytes = ExactAmount((1ull << 53) + 1);
  profile.argv = {"caf\xe9", "\"\\\n"};
  const json out = Parse({profile})["profiles"][0];
  EXPECT_EQ(out["unknown_frees"], "18446744073709551615");
  EXPECT_EQ(out["sites"][0]["live_bytes"]["v"], (1ull << 53) + 1);
  EXPECT_EQ(out["argv"][1], "\"\\\n");
}

TEST(ReportJson, NoProfilesIsAnEmptyList) { EXPECT_EQ(Parse({})["profiles"], json::array()); }

}  // namespace
}  // namespace heaptally::cli
