// Captures that older versions wrote are read as they were written.
#include <gtest/gtest.h>

#include <string>

#include "store/capture.h"
#include "store/made_profile.h"

namespace heaptally::store {
namespace {

// testdata/format1.capture was written by the last version of format 1: RandomProfile 1, 2 and 1 again, the last one
// taken at 77, with the first 20 sites of each.
Profile Written(uint64_t seed) {
  Profile profile = RandomProfile(seed);
  profile.sites.resize(20);
  for (Site& site : profile.sites) {  // not known then
    site.thread.clear();
    site.measures.objects_per_sample = 0;
    site.measures.bytes_known = true;
  }
  profile::SumTotals(&profile);
  return profile;
}

TEST(OldFormatsTest, Format1) {
  const std::string path = std::string(HEAPTALLY_TESTDATA) + "/format1.capture";
  std::string error;
  const auto all = ReadCapture(path, &error, Which::kAll);
  ASSERT_TRUE(all) << error;
  ASSERT_EQ(all->size(), 3u);
  Profile again = Written(1);
  again.taken_unix_ns = 77;
  EXPECT_TRUE((*all)[0] == Written(2));
  EXPECT_TRUE((*all)[1] == Written(1));
  EXPECT_TRUE((*all)[2] == again);
  const auto last = ReadCapture(path, &error);
  ASSERT_TRUE(last) << error;
  ASSERT_EQ(last->size(), 2u);
  EXPECT_TRUE((*last)[1] == again);
  const auto moments = ReadMoments(path, &error);
  ASSERT_TRUE(moments) << error;
  EXPECT_EQ(moments->size(), 2u);
}

}  // namespace
}  // namespace heaptally::store
