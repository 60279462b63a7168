#include "exporters/flame_page.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "exporters/call_tree.h"
#include "exporters/flame_data.h"
#include "exporters/made_profile.h"

namespace heaptally::exporters {
namespace {

using Json = nlohmann::json;

Json DataOf(const std::string& page) {
  const std::string begin = "<script type=\"application/json\" id=\"data\">";
  const size_t from = page.find(begin) + begin.size();
  return Json::parse(page.substr(from, page.find("</script", from) - from));
}

long long Sum(const Json& column) {
  long long sum = 0;
  for (const Json& number : column) sum += number.get<long long>();
  return sum;
}

size_t Count(const std::string& text, const std::string& what) {
  size_t count = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

TEST(FlamePage, EmbedsTheProfilesTotals) {
  for (const profile::Profile& profile : {ExactProfile(), SampledProfile()}) {
    const Json data = DataOf(FlamePage({profile}, "t", PlainWording()));
    for (const MeasureName& measure : kMeasures) {
      EXPECT_EQ(Sum(data["profiles"][0]["leaves"][measure.name]), std::llround(Ranked(profile.totals, measure.by).v))
          << measure.name;
    }
  }
}

TEST(FlamePage, NamesCannotLeaveTheirScript) {
  MadeProfile made;
  made.profile_.argv = {"</script><img src=x>"};
  made.Site({made.Frame({"</script><script>alert(1)</script>"}), made.Frame({"<!--<script>\xff\u2028"})},
            profile::ExactAmount(1));
  const std::string page = FlamePage({made.Done()}, "</title><script>alert(2)", PlainWording());
  EXPECT_EQ(Count(page, "</script"), 2u);  // the data and the program
  EXPECT_EQ(Count(page, "<script"), 2u);
  EXPECT_EQ(Count(page, "</title"), 1u);
  EXPECT_EQ(Count(page, "<img"), 0u);
  EXPECT_EQ(Count(page, "<!--"), 0u);
  const Json data = DataOf(page);
  EXPECT_EQ(data["strings"][data["profiles"][0]["functions"]["whole"][1].get<size_t>()],
            "</script><script>alert(1)</script>");
}

TEST(FlamePage, LoadsNothingFromElsewhere) {
  const std::string page = FlamePage({ExactProfile()}, "t", PlainWording());
  EXPECT_EQ(Count(page, "http://") + Count(page, "https://") + Count(page, " src="), 0u);
  EXPECT_EQ(Count(page, "default-src 'none'"), 1u);
}

TEST(FlamePage, OpensOnThePeakWhereMostWasFreed) {
  profile::Profile profile = ExactProfile();
  EXPECT_EQ(Json::parse(FlameData({profile}, PlainWording()))["profiles"][0]["measure"], "live");
  for (profile::Site& site : profile.sites) site.measures.peak.bytes.proven *= 3;
  SumTotals(&profile);
  EXPECT_EQ(Json::parse(FlameData({profile}, PlainWording()))["profiles"][0]["measure"], "peak");
}

TEST(FlamePage, SampledTotalsHaveTheReportsInterval) {
  const profile::Profile profile = SampledProfile();
  const Json data = Json::parse(FlameData({profile}, PlainWording()))["profiles"][0];
  for (const MeasureName& measure : kMeasures) {
    const sampling::Estimate estimate = Ranked(profile.totals, measure.by);
    const Json& ends = data["ends"]["nodes"][measure.name];
    EXPECT_EQ(ends.size(), 2 * data["nodes"]["parent"].size());
    EXPECT_EQ(ends[0].get<double>(), std::floor(estimate.lo)) << measure.name;
    EXPECT_EQ(ends[1].get<double>(), estimate.hi_known ? std::ceil(estimate.hi) : -1) << measure.name;
  }
  EXPECT_TRUE(Json::parse(FlameData({ExactProfile()}, PlainWording()))["profiles"][0]["ends"].is_null());
}

TEST(FlamePage, SeveralImagesLargestFirstAfterTheMerged) {
  profile::Profile small = ExactProfile(), large = SampledProfile();
  small.pid = 1, large.pid = 2;
  const Json data = Json::parse(FlameData({small, large}, PlainWording()));
  ASSERT_EQ(data["profiles"].size(), 3u);
  EXPECT_EQ(data["open"], 1);
  EXPECT_EQ(data["profiles"][1]["pid"], 2);
  EXPECT_EQ(Sum(data["profiles"][0]["leaves"]["live"]),
            Sum(data["profiles"][1]["leaves"]["live"]) + Sum(data["profiles"][2]["leaves"]["live"]));
}

TEST(CallTree, ParentsBeforeChildrenOneNodePerFunction) {
  StringTable strings;
  MadeProfile made;
  const uint32_t leaf = made.Frame({"leaf"}, 5);
  made.Site({leaf, made.Frame({"main"}, 10)}, profile::ExactAmount(1));
  made.Site({leaf, made.Frame({"main"}, 20)}, profile::ExactAmount(1));
  made.Site(std::vector<uint32_t>(2000, leaf), profile::ExactAmount(1));
  const profile::Profile profile = made.Done();
  const CallTree tree = BuildCallTree({&profile}, PlainWording(), &strings);
  ASSERT_EQ(tree.nodes.size(), 1 + 2 + 2000u);
  for (uint32_t node = 1; node < tree.nodes.size(); ++node) EXPECT_LT(tree.nodes[node].parent, node);
  EXPECT_EQ(tree.nodes[1].first_line, 10u);
  EXPECT_EQ(tree.nodes[1].last_line, 20u);
  EXPECT_EQ(tree.places.size(), 1u);
}

}  // namespace
}  // namespace heaptally::exporters
