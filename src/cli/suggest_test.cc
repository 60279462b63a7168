#include "cli/suggest.h"

#include <gtest/gtest.h>

namespace heaptally::cli {
namespace {

TEST(SuggestTest, Distances) {
  EXPECT_EQ(EditDistance("run", "run"), 0u);
  EXPECT_EQ(EditDistance("rnu", "run"), 1u);
  EXPECT_EQ(EditDistance("", "run"), 3u);
  EXPECT_EQ(EditDistance("reprot", "report"), 1u);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3u);
}

TEST(SuggestTest, OffersTheNearestAndNothingFarFetched) {
  const std::vector<std::string> names = {"run", "report", "ls", "help"};
  EXPECT_EQ(Nearest("rnu", names), "run");
  EXPECT_EQ(Nearest("reprot", names), "report");
  EXPECT_EQ(Nearest("rep", names), "report");
  EXPECT_EQ(Nearest("hlep", names), "help");
  EXPECT_EQ(Nearest("attach", names), "");
}

TEST(SuggestTest, KnowsWhatOtherToolsCallIt) {
  EXPECT_EQ(MeantMeasure("leak"), "live");
  EXPECT_EQ(MeantCommand("record"), "run");
  EXPECT_EQ(MeantCommand("-v"), "--version");
  EXPECT_EQ(MeantMeasure("zebra"), "");
}

}  // namespace
}  // namespace heaptally::cli
