#include "exporters/flame_page.h"

#include <gtest/gtest.h>

#include <cmath>

#include "exporters/column_writer.h"
#include "exporters/gzip.h"
#include "exporters/made_profile.h"
#include "exporters/unpacked_page.h"

namespace heaptally::exporters {
namespace {

size_t Count(const std::string& text, const std::string& what) {
  size_t count = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

UnpackedPage DataOf(const std::vector<profile::Profile>& profiles) {
  return UnpackedPage(FlameData(profiles, PlainWording(), {.title = "t"}));
}

TEST(FlamePage, EmbedsTheProfilesTotals) {
  for (const profile::Profile& profile : {ExactProfile(), SampledProfile()}) {
    const UnpackedPage data = DataOf({profile});
    EXPECT_TRUE(data.AtEnd());
    ASSERT_GE(data.head["measures"].size(), kMeasures.size());
    for (size_t m = 0; m < kMeasures.size(); ++m) {
      const auto& measure = data.head["measures"][m];
      EXPECT_EQ(measure["name"], kMeasures[m].name);
      const double total = Ranked(profile.totals, kMeasures[m].by).v;
      EXPECT_NEAR(data.sums[measure["column"].get<size_t>()], total, total * 1e-12) << kMeasures[m].name;
      const auto& own = data.head["profiles"][0]["totals"]["columns"][measure["column"].get<size_t>()];
      EXPECT_EQ(own[0].get<double>() + own[1].get<double>(), total) << kMeasures[m].name;
    }
  }
}

TEST(FlamePage, MappedMemoryIsAMeasureOfItsOwn) {
  const UnpackedPage with = DataOf({ExactProfile()}), without = DataOf({SampledProfile()});
  const auto& measures = with.head["measures"];
  ASSERT_EQ(measures.size(), kMeasures.size() + 1);
  EXPECT_EQ(measures.back()["name"], "mapped");
  EXPECT_EQ(measures.back()["exact"], true);
  EXPECT_EQ(with.sums[measures.back()["column"].get<size_t>()], 1'000'000);
  EXPECT_EQ(with.head["profiles"][0]["totals"]["columns"][measures.back()["column"].get<size_t>()][0], 1'000'000);
  EXPECT_EQ(with.sums[0], Ranked(ExactProfile().totals, analysis::By::kLive).v) << "in no other column";
  EXPECT_EQ(without.head["measures"].size(), kMeasures.size());
}

TEST(FlamePage, NamesCannotLeaveTheirScript) {
  MadeProfile made;
  made.profile_.argv = {"</script><img src=x>"};
  made.Site({made.Frame({"</script><script>alert(1)</script>"}), made.Frame({"<!--<script>\xff\u2028"}),
             made.Frame({std::string("nul\0nul", 7)})},
            profile::ExactAmount(1));
  const profile::Profile profile = made.Done();
  const std::string title = "</title><script>alert(2)";
  const std::string page = FlamePage({profile}, PlainWording(), {.title = title});
  EXPECT_EQ(Count(page, "</script"), 2u);  // the data and the program
  EXPECT_EQ(Count(page, "<script"), 2u);
  EXPECT_EQ(Count(page.substr(0, page.find("<style>")), "</title"), 1u);
  EXPECT_EQ(Count(page, "<img"), 0u);
  EXPECT_EQ(Count(page, "<!--"), 0u);
  const UnpackedPage data = DataOf({profile});
  EXPECT_EQ(data.strings[data.whole_names[0]], "</script><script>alert(1)</script>");
  EXPECT_EQ(data.strings[data.whole_names[1]], "<!--<script>\xff\u2028");
  EXPECT_EQ(data.strings[data.whole_names[2]], "nul?nul") << "NUL divides the strings";
  EXPECT_EQ(data.head["profiles"][0]["command"], "</script><img src=x>");
}

TEST(FlamePage, LoadsNothingFromElsewhere) {
  std::string page = FlamePage({ExactProfile()}, PlainWording(), {.title = "t"});
  const std::string name_of_svg = "http://www.w3.org/2000/svg";  // a name, not an address
  for (size_t at; (at = page.find(name_of_svg)) != std::string::npos;) page.erase(at, name_of_svg.size());
  EXPECT_EQ(Count(page, "http://") + Count(page, "https://") + Count(page, " src="), 0u);
  EXPECT_EQ(Count(page, "default-src 'none'"), 1u);
  EXPECT_EQ(Count(page, "import {") + Count(page, "\nexport "), 0u) << "modules stand in one scope";
}

TEST(FlamePage, OpensOnThePeakWhereMostWasFreed) {
  profile::Profile profile = ExactProfile();
  EXPECT_EQ(DataOf({profile}).head["measure"], "live");
  for (profile::Site& site : profile.sites) site.measures.peak.bytes.proven *= 3;
  SumTotals(&profile);
  EXPECT_EQ(DataOf({profile}).head["measure"], "peak");
}

TEST(FlamePage, SeveralImagesLargestFirst) {
  profile::Profile small = ExactProfile(), large = SampledProfile();
  small.pid = 1, large.pid = 2;
  const UnpackedPage data = DataOf({small, large});
  ASSERT_EQ(data.head["profiles"].size(), 2u);
  EXPECT_EQ(data.head["profiles"][0]["pid"], 2);
  EXPECT_TRUE(data.head["sampled"]);
}

TEST(FlamePage, FloorsAreKeptAndUnknownOnesTold) {
  profile::Profile profile = SampledProfile();
  profile.sites[0].measures.floor_bytes = 24;
  SumTotals(&profile);
  const UnpackedPage data = DataOf({profile});
  EXPECT_EQ(std::count(data.floors.begin(), data.floors.end(), 25u), 1);  // one more: 0 is "not known"
  EXPECT_EQ(std::count(data.floors.begin(), data.floors.end(), 0u), static_cast<long>(data.floors.size()) - 1);
  EXPECT_EQ(data.head["profiles"][0]["totals"]["floor"], 24);
  EXPECT_EQ(DataOf({SampledProfile()}).head["profiles"][0]["totals"]["floor"], -1);
}

TEST(FlamePage, SmallPartsAreSaidToBeLeftOut) {
  const UnpackedPage all = DataOf({SampledProfile()});
  EXPECT_TRUE(all.head["pruned"].is_null());
  const UnpackedPage some(FlameData({SampledProfile()}, PlainWording(), {.title = "t", .most_nodes = 100}));
  EXPECT_GT(some.head["pruned"]["nodes"], 150);
  EXPECT_LT(some.ups.size(), 102u);
  EXPECT_NEAR(some.sums[0], all.sums[0], all.sums[0] * 1e-12);
}

TEST(ColumnWriter, NumbersOfEverySize) {
  ColumnWriter out;
  out.Text("{\"columns\":0,\"sampled\":false}");
  for (int i = 0; i < 5; ++i) out.Number(0);  // no strings, functions, nodes, places
  out.Number(0);
  UnpackedPage page(Base64(Gzip(out.bytes())));
  ColumnWriter numbers;
  for (const uint64_t number : {uint64_t{0}, uint64_t{127}, uint64_t{128}, UINT64_MAX}) numbers.Number(number);
  for (const int64_t number : {int64_t{0}, int64_t{-1}, INT64_MAX, INT64_MIN}) numbers.Signed(number);
  page.bytes = numbers.bytes(), page.at = 0;
  for (const uint64_t number : {uint64_t{0}, uint64_t{127}, uint64_t{128}, UINT64_MAX}) EXPECT_EQ(page.Number(), number);
  for (const int64_t number : {int64_t{0}, int64_t{-1}, INT64_MAX, INT64_MIN}) EXPECT_EQ(page.Signed(), number);
}

TEST(ColumnWriter, Base64OfEveryLength) {
  for (const std::string bytes : {"", "f", "fo", "foo", "foob", "\xff\xfe\xfd\xfc"}) EXPECT_EQ(FromBase64(Base64(bytes)), bytes);
  EXPECT_EQ(Base64("foob"), "Zm9vYg==");
  EXPECT_EQ(Gunzip(Gzip(std::string(3'000'000, 'x'))).size(), 3'000'000u);
}

}  // namespace
}  // namespace heaptally::exporters
