#include "cli/fail_if.h"

#include <gtest/gtest.h>

namespace heaptally::cli {
namespace {

Condition Parsed(const std::string& text, ConditionOn on = ConditionOn::kReport) {
  std::string error;
  const auto condition = ParseCondition(text, on, &error);
  EXPECT_TRUE(condition) << text << ": " << error;
  return condition.value_or(Condition{});
}

std::string Fault(const std::string& text, ConditionOn on = ConditionOn::kReport) {
  std::string error;
  EXPECT_FALSE(ParseCondition(text, on, &error)) << text;
  return error;
}

TEST(FailIf, Values) {
  EXPECT_EQ(Parsed("live > 100 MiB").value, 100.0 * (1 << 20));
  EXPECT_EQ(Parsed("live>1.5K").value, 1536);
  EXPECT_EQ(Parsed("  churn  <=  7  ").value, 7);
  EXPECT_EQ(Parsed("peak > 12 B").value, 12);
  EXPECT_EQ(Parsed("calls >= 2M").value, 2e6);
  EXPECT_TRUE(Parsed("calls >= 2M").or_equal);
  EXPECT_FALSE(Parsed("objects < 10").greater);
  EXPECT_TRUE(Parsed("temporary > 80 %").percent);
  EXPECT_TRUE(Parsed("live > 5%", ConditionOn::kDifference).percent);
  EXPECT_EQ(Parsed("live < -1 MiB", ConditionOn::kDifference).value, -1048576);
}

TEST(FailIf, FaultsPointAtThePlace) {
  EXPECT_NE(Fault("liv > 3").find("live?"), std::string::npos);
  EXPECT_NE(Fault("liv > 3").find("character 1 "), std::string::npos);
  EXPECT_NE(Fault("live >> 3").find("character 6 "), std::string::npos);
  EXPECT_NE(Fault("live > many").find("character 8 "), std::string::npos);
  EXPECT_NE(Fault("live > 3 parsecs").find("character 10 "), std::string::npos) << Fault("live > 3 parsecs");
  EXPECT_NE(Fault("live >").find("its end"), std::string::npos);
  EXPECT_NE(Fault("").find("a measure is expected"), std::string::npos);
  Fault("live > -3");
  Fault("live > 5 %");
  Fault("calls > 3 KiB");
  Fault("live > nan");
}

TEST(FailIf, ASampledNumberMustHoldWithItsWholeInterval) {
  const Condition above = Parsed("live > 100"), below = Parsed("live < 100");
  EXPECT_FALSE(Holds(above, 90, 200, true));
  EXPECT_TRUE(Holds(above, 101, 200, true));
  EXPECT_FALSE(Holds(below, 50, 120, true));
  EXPECT_TRUE(Holds(below, 50, 99, true));
  EXPECT_FALSE(Holds(below, 50, 50, false));
  EXPECT_FALSE(Holds(Parsed("live > 100"), 100, 100, true));
  EXPECT_TRUE(Holds(Parsed("live >= 100"), 100, 100, true));
}

}  // namespace
}  // namespace heaptally::cli
