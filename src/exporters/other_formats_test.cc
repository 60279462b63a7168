// speedscope and DHAT files, read back.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "exporters/dhat.h"
#include "exporters/made_profile.h"
#include "exporters/speedscope.h"

namespace heaptally::exporters {
namespace {

using Json = nlohmann::json;

Json SpeedscopeOf(const std::vector<profile::Profile>& profiles, const StackChoice& choice = {}) {
  return Json::parse(Speedscope(profiles, choice, PlainWording(), "a \"title\"", "tool 1"));
}

Json DhatOf(const std::vector<profile::Profile>& profiles, const StackChoice& choice = {}) {
  return Json::parse(Dhat(profiles, choice, PlainWording()));
}

TEST(Speedscope, OneProfileForEachMeasureWithRootsFirst) {
  const Json file = SpeedscopeOf({ExactProfile()}, {.by = analysis::By::kChurn});
  EXPECT_EQ(file["$schema"], "https://www.speedscope.app/file-format-schema.json");
  EXPECT_EQ(file["name"], "a \"title\"");
  ASSERT_EQ(file["profiles"].size(), 5u);
  EXPECT_EQ(file["profiles"][file["activeProfileIndex"].get<size_t>()]["name"], "churn bytes");
  const Json& live = file["profiles"][0];
  EXPECT_EQ(live["unit"], "bytes");
  EXPECT_EQ(file["profiles"][3]["unit"], "none");
  std::map<std::string, int> stacks;
  for (size_t at = 0; at < live["samples"].size(); ++at) {
    std::string names;
    for (const Json& frame : live["samples"][at]) {
      names += file["shared"]["frames"][frame.get<size_t>()]["name"].get<std::string>() + ">";
    }
    stacks[names] += live["weights"][at].get<int>();
  }
  EXPECT_EQ(stacks, (std::map<std::string, int>{{"[callers not known: stack was cut]>outer>inner>", 1},
                                                {"[no stack]>", 5},
                                                {"main>", 23},
                                                {"main>outer>inner>", 100}}));
}

TEST(Speedscope, EqualCallersStandSideBySide) {
  MadeProfile made;
  const uint32_t main = made.Frame({"main"}), a = made.Frame({"a"}), b = made.Frame({"b"});
  for (const uint32_t leaf : {a, b}) {
    for (const uint32_t caller : {b, a}) made.Site({leaf, caller, main}, profile::ExactAmount(1));
  }
  const Json file = SpeedscopeOf({made.Done()});
  std::vector<int> callers;
  for (const Json& sample : file["profiles"][0]["samples"]) callers.push_back(sample[1].get<int>());
  EXPECT_TRUE(std::is_sorted(callers.begin(), callers.end()));
}

TEST(Speedscope, MeasuresWithNothingAreLeftOut) {
  profile::Profile profile = ExactProfile();
  for (profile::Site& site : profile.sites) site.measures.live.bytes = site.measures.temporary = {};
  const Json file = SpeedscopeOf({profile});
  ASSERT_EQ(file["profiles"].size(), 3u);
  EXPECT_EQ(file["activeProfileIndex"], 0);
  EXPECT_TRUE(SpeedscopeOf({})["profiles"].empty());
}

TEST(Speedscope, OfCountedCallsThereAreNoBytes) {
  const Json file = SpeedscopeOf({CountedProfile()}, {.by = analysis::By::kCalls});
  ASSERT_EQ(file["profiles"].size(), 2u);
  EXPECT_EQ(file["profiles"][0]["name"], "churn calls");
  EXPECT_EQ(file["profiles"][1]["name"], "temporary");
  EXPECT_EQ(file["activeProfileIndex"], 0);
  EXPECT_EQ(file["profiles"][0]["endValue"], std::llround(CountedProfile().totals.allocated.objects.value()));
}

TEST(Dhat, HasTheFieldsThatItsReadersDemand) {
  profile::Profile profile = ExactProfile();
  profile.argv = {"./server", "-x"};
  profile.started_unix_ns = 1'000'000;
  profile.peak_moments_unix_ns = {5'000'000};
  profile.taken_unix_ns = 9'000'000;
  profile.sites[0].lifetimes_ns = {{1000, 3000, profile::ExactAmount(5)}};
  const Json file = DhatOf({profile});
  EXPECT_EQ(file["dhatFileVersion"], 2);
  EXPECT_EQ(file["bkacc"], false);
  EXPECT_EQ(file["cmd"], "./server -x");
  EXPECT_EQ(file["tg"], 4000);
  EXPECT_EQ(file["te"], 8000);
  EXPECT_EQ(file["ftbl"][0], "[root]");
  int found = 0;
  for (const Json& point : file["pps"]) {
    if (point["eb"] != 100) continue;
    ++found;
    EXPECT_EQ(point["tb"], 300);
    EXPECT_EQ(point["tbk"], 400);
    EXPECT_EQ(point["gb"], 200);
    EXPECT_EQ(point["mb"], 200);
    EXPECT_EQ(point["tl"], 10);
    std::vector<std::string> frames;
    for (const Json& frame : point["fs"]) frames.push_back(file["ftbl"][frame.get<size_t>()]);
    EXPECT_EQ(frames, (std::vector<std::string>{"0x1000: inner (a.cc:1)", "0x1000: outer (a.cc:1)",
                                                "0xFFF: main (a.cc:1)"}));
  }
  EXPECT_EQ(found, 1);
}

TEST(Dhat, NoStackIsThereTwice) {
  MadeProfile made;  // two functions that are one to a reader
  made.Site({made.Frame({"f\n"})}, profile::ExactAmount(1));
  made.Site({made.Frame({"f\t"})}, profile::ExactAmount(2));
  made.profile_.frames[1].address = made.profile_.frames[0].address;
  const Json file = DhatOf({made.Done()});
  ASSERT_EQ(file["pps"].size(), 1u);
  EXPECT_EQ(file["pps"][0]["eb"], 3);
}

TEST(OtherFormats, LargeNumbersStayWholeNumbers) {
  MadeProfile made;
  constexpr uint64_t kLarge = (uint64_t{1} << 53) + 1;
  made.Site({made.Frame({"f"})}, profile::ExactAmount(kLarge));
  EXPECT_EQ(SpeedscopeOf({made.Done()})["profiles"][0]["weights"][0].get<uint64_t>(), kLarge);
  EXPECT_EQ(DhatOf({made.Done()})["pps"][0]["eb"].get<uint64_t>(), kLarge);
}

TEST(OtherFormats, NamesAreValidJsonAndDeepStacksPass) {
  MadeProfile made;
  const uint32_t odd = made.Frame({"a\"\\;\n\xff"}), f = made.Frame({"f"});
  std::vector<uint32_t> frames(2000, f);
  frames[0] = odd;
  made.Site(frames, profile::ExactAmount(1));
  EXPECT_EQ(SpeedscopeOf({made.Done()})["profiles"][0]["samples"][0].size(), 2000u);
  const Json dhat = DhatOf({made.Done()});
  EXPECT_EQ(dhat["pps"][0]["fs"].size(), 2000u);
  EXPECT_EQ(dhat["ftbl"][1], "0xFFF: a\"\\;?? (a.cc:1)");
}

TEST(OtherFormats, SeveralImagesAreRootsOfTheirOwn) {
  profile::Profile other = ExactProfile();
  other.pid = 8;
  const Json speedscope = SpeedscopeOf({ExactProfile(), other}), dhat = DhatOf({ExactProfile(), other});
  EXPECT_EQ(speedscope["profiles"][0]["endValue"], 2 * 129);
  for (const Json& sample : speedscope["profiles"][0]["samples"]) {
    const std::string root = speedscope["shared"]["frames"][sample[0].get<size_t>()]["name"];
    EXPECT_TRUE(root == "server (7)" || root == "server (8)") << root;
  }
  for (const Json& point : dhat["pps"]) {
    const std::string root = dhat["ftbl"][point["fs"].back().get<size_t>()];
    EXPECT_TRUE(root == "server (7)" || root == "server (8)") << root;
  }
}

}  // namespace
}  // namespace heaptally::exporters
