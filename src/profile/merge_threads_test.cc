#include "profile/merge_threads.h"

#include <gtest/gtest.h>

#include "profile/estimates.h"

namespace heaptally::profile {
namespace {

Site SiteOf(std::vector<uint32_t> frames, const char* thread, uint64_t blocks) {
  Site site;
  site.frames = std::move(frames);
  site.thread = thread;
  site.measures.allocated = {ExactAmount(blocks), ExactAmount(blocks * 10)};
  site.measures.live = site.measures.allocated;
  site.oldest_ns = blocks;
  return site;
}

TEST(MergeThreads, AStackIsOneSiteWhateverItsThreadsWereCalled) {
  Profile profile;
  profile.sites = {SiteOf({1, 2}, "worker-#", 3), SiteOf({2, 1}, "worker-#", 5), SiteOf({1, 2}, "main", 7),
                   SiteOf({1, 2}, "", 11)};
  profile.sites[2].memory_class = "pool";
  profile.sites[0].sizes = {{8, 15, ExactAmount(3)}};
  profile.sites[3].sizes = {{0, 0, ExactAmount(4)}, {8, 15, ExactAmount(7)}};
  MergeThreads(&profile);
  ASSERT_EQ(profile.sites.size(), 3u);
  EXPECT_EQ(profile.sites[0].measures.allocated.bytes.proven, 140u);
  EXPECT_EQ(profile.sites[0].thread, "");
  EXPECT_EQ(profile.sites[0].oldest_ns, 11u);
  const std::vector<Bucket> sizes = {{0, 0, ExactAmount(4)}, {8, 15, ExactAmount(10)}};
  EXPECT_EQ(profile.sites[0].sizes, sizes);
  EXPECT_EQ(profile.sites[1], SiteOf({2, 1}, "worker-#", 5));
  EXPECT_EQ(profile.sites[2].memory_class, "pool");
}

TEST(MergeThreads, SumsOfSitesStayTheSame) {
  Profile profile;
  for (uint32_t i = 0; i < 1000; ++i) {
    profile.sites.push_back(SiteOf({i % 7, i % 3}, i % 5 == 0 ? "a" : i % 5 == 1 ? "b" : "c", i));
  }
  SumTotals(&profile);
  const Measures before = profile.totals;
  MergeThreads(&profile);
  EXPECT_EQ(profile.sites.size(), 21u);
  SumTotals(&profile);
  EXPECT_EQ(profile.totals, before);
}

}  // namespace
}  // namespace heaptally::profile
