#include "sampling/gamma.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace heaptally::sampling {
namespace {

// Shape and its two quantiles. Up to a shape of 10,000 with 40 decimal digits (mpmath, Newton on the regularised
// incomplete gamma function); above, scipy.special.gammaincinv.
constexpr double kKnown[][3] = {
    {0.01, 3.522685997313792e-161, 0.04713795843159033},
    {0.0253, 2.727197448029909e-64, 0.2696884366829385},
    {0.05, 5.315661889914309e-33, 0.5671737617538584},
    {0.1, 5.791710245521448e-17, 0.9779047994188531},
    {0.2, 6.372539920029766e-09, 1.511102975988579},
    {0.3, 3.185679031739166e-06, 1.900263642838825},
    {0.5, 0.000491034558587628, 2.511943093657444},
    {0.75, 0.006556510581509476, 3.137903986666806},
    {0.9, 0.01602429560257012, 3.474915022479148},
    {1, 0.02531780798428988, 3.688879454113935},
    {1.1, 0.03708243974935054, 3.896008984438807},
    {1.37, 0.08090460304021894, 4.428669412979679},
    {1.5, 0.1078976413119489, 4.674201802248073},
    {2, 0.2422092785439649, 5.571643390938897},
    {2.5, 0.4156058067433312, 6.416250997015013},
    {3, 0.6186721228956013, 7.22468766772396},
    {5, 1.623486390118421, 10.2415886754037},
    {7.3, 3.003625188062615, 13.4710934004923},
    {10, 4.795388696132433, 17.08480345141917},
    {20, 12.21651958540394, 29.6708535715856},
    {50, 37.11096373746187, 64.7805985929183},
    {99.5, 80.91309119682343, 119.9798409138221},
    {200, 173.2408826814573, 228.6527409830325},
    {500, 457.1285768996295, 544.7654563874568},
    {999.9, 938.8761177252719, 1062.81805189368},
    {1000, 938.9730184076952, 1062.921151224888},
    {1500, 1425.042468259896, 1576.851746799491},
    {10000, 9804.952467260184, 10196.94182499988},
    {100000, 99381.15266374472, 100620.7416407737},
    {1000000, 998040.9833402939, 1001960.91096545},
    {100000000, 99980401.30732474, 100019600.5869811},
    {1000000000000, 999998040036.9626, 1000001959964.932},
};

TEST(Gamma, QuantilesAgreeWithTheTable) {
  for (const auto& [shape, lower, upper] : kKnown) {
    EXPECT_NEAR(GammaQuantile(shape, kLowerTail) / lower, 1, 1e-8) << shape;
    EXPECT_NEAR(GammaQuantile(shape, kUpperTail) / upper, 1, 1e-8) << shape;
  }
}

TEST(Gamma, QuantilesRiseWithTheShape) {
  for (Tail tail : {kLowerTail, kUpperTail}) {
    double last = 0;
    for (double shape = 0.01; shape < 1e7; shape *= 1.003) {
      const double quantile = GammaQuantile(shape, tail);
      ASSERT_GT(quantile, last) << shape;
      last = quantile;
    }
  }
}

TEST(Gamma, TotalForAnyShape) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (Tail tail : {kLowerTail, kUpperTail}) {
    for (double shape : {0.0, -1.0, -kInfinity, std::numeric_limits<double>::quiet_NaN()}) {
      EXPECT_EQ(GammaQuantile(shape, tail), 0);
    }
    for (double shape = 1e-300; shape < 1e300; shape *= 3) {
      const double quantile = GammaQuantile(shape, tail);
      EXPECT_TRUE(std::isfinite(quantile) && quantile >= 0) << shape;
    }
  }
}

}  // namespace
}  // namespace heaptally::sampling
