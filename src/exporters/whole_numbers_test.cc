#include "exporters/whole_numbers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "exporters/made_profile.h"

namespace heaptally::exporters {
namespace {

TEST(WholeNumbers, AddUpToTheReportsTotal) {
  for (const profile::Profile& profile : {ExactProfile(), SampledProfile()}) {
    for (const MeasureName& measure : kMeasures) {
      const std::vector<uint64_t> numbers = WholeNumbers(profile, measure.by);
      const uint64_t sum = std::accumulate(numbers.begin(), numbers.end(), uint64_t{0});
      EXPECT_EQ(static_cast<long long>(sum), std::llround(Ranked(profile.totals, measure.by).v)) << measure.name;
    }
  }
}

TEST(WholeNumbers, AreNearEachSitesOwn) {
  const profile::Profile profile = SampledProfile();
  const std::vector<uint64_t> numbers = WholeNumbers(profile, analysis::By::kChurn);
  for (size_t index = 0; index < numbers.size(); ++index) {
    EXPECT_LT(std::abs(static_cast<double>(numbers[index]) - profile.sites[index].measures.allocated.bytes.value()), 1);
  }
}

TEST(WholeNumbers, ExactOnesStayExactBeyondDoubles) {
  MadeProfile made;
  const uint32_t main = made.Frame({"main"});
  constexpr uint64_t kOdd = (uint64_t{1} << 60) + 1;
  made.Site({main}, profile::ExactAmount(kOdd));
  EXPECT_EQ(WholeNumbers(made.Done(), analysis::By::kLive)[0], kOdd);
}

}  // namespace
}  // namespace heaptally::exporters
