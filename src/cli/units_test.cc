#include "cli/units.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace heaptally::cli {
namespace {

constexpr double kMiB = 1024.0 * 1024;

TEST(UnitsTest, BytesHaveThreeSignificantDigitsAndABinaryUnit) {
  EXPECT_EQ(FormatBytes(0), "0 B");
  EXPECT_EQ(FormatBytes(17), "17 B");
  EXPECT_EQ(FormatBytes(1023), "1023 B");
  EXPECT_EQ(FormatBytes(1024), "1.00 KiB");
  EXPECT_EQ(FormatBytes(188 * kMiB), "188 MiB");
  EXPECT_EQ(FormatBytes(64 * kMiB), "64.0 MiB");
  EXPECT_EQ(FormatBytes(1.91 * 1024 * kMiB), "1.91 GiB");
}

TEST(UnitsTest, NoRoundingEverPrintsFourDigits) {
  EXPECT_EQ(FormatBytes(999.4 * 1024), "999 KiB");
  EXPECT_EQ(FormatBytes(1000 * 1024), "0.98 MiB");
  EXPECT_EQ(FormatBytes(9.996 * kMiB), "10.0 MiB");
  EXPECT_EQ(FormatBytes(99.96 * kMiB), "100 MiB");
}

TEST(UnitsTest, NonsenseIsZeroNotGarbage) {
  EXPECT_EQ(FormatBytes(-5), "0 B");
  EXPECT_EQ(FormatBytes(std::numeric_limits<double>::quiet_NaN()), "0 B");
  EXPECT_EQ(FormatCount(std::numeric_limits<double>::infinity()), "0");
  EXPECT_EQ(FormatBytes(18446744073709551615.0), "16.0 EiB");
}

TEST(UnitsTest, PlainStyleIsIntegers) {
  EXPECT_EQ(FormatBytes(188 * kMiB, {.plain = true}), "197132288");
  EXPECT_EQ(FormatBytesRange(188 * kMiB, 100, 200.4, {.plain = true}), "100-200");
  EXPECT_EQ(FormatCount(1234567, {.plain = true}), "1234567");
}

TEST(UnitsTest, IntervalsUseTheUnitOfTheirValue) {
  EXPECT_EQ(FormatBytesRange(188 * kMiB, 181 * kMiB, 195 * kMiB), "181-195");
  EXPECT_EQ(FormatBytesRange(22 * kMiB, 17 * kMiB, 29 * kMiB), "17.0-29.0");
  EXPECT_EQ(FormatBytesRange(2 * kMiB, 1024, 1100 * kMiB), "<0.01-1100");
  EXPECT_EQ(FormatCountRange(1200, 900, std::numeric_limits<double>::infinity()), "900 or more");
}

TEST(UnitsTest, CountsStayWholeUpToTenThousand) {
  EXPECT_EQ(FormatCount(9999), "9999");
  EXPECT_EQ(FormatCount(10000), "10.0 k");
  EXPECT_EQ(FormatCount(340e3), "340 k");
  EXPECT_EQ(FormatCount(1.24e6), "1.24 M");
  EXPECT_EQ(FormatCount(812e6), "812 M");
}

TEST(UnitsTest, Durations) {
  EXPECT_EQ(FormatDuration(850e-9), "850 ns");
  EXPECT_EQ(FormatDuration(0.04), "40.0 ms");
  EXPECT_EQ(FormatDuration(12.4), "12.4 s");
  EXPECT_EQ(FormatDuration(200), "3 min 20 s");
  EXPECT_EQ(FormatDuration(7500), "2 h 05 min");
  EXPECT_EQ(FormatDuration(3 * 86400 + 4 * 3600), "3 d 4 h");
}

TEST(UnitsTest, Shares) {
  EXPECT_EQ(FormatShare(71, 100), "71 %");
  EXPECT_EQ(FormatShare(1, 250), "0.4 %");
  EXPECT_EQ(FormatShare(1, 1e6), "<0.1 %");
  EXPECT_EQ(FormatShare(1, 0), "");
}

TEST(UnitsTest, ParsesSizes) {
  uint64_t bytes = 0;
  EXPECT_TRUE(ParseBytes("4096", &bytes));
  EXPECT_EQ(bytes, 4096u);
  EXPECT_TRUE(ParseBytes("512K", &bytes));
  EXPECT_EQ(bytes, 524288u);
  EXPECT_TRUE(ParseBytes("1.5 MiB", &bytes));
  EXPECT_EQ(bytes, 1572864u);
  EXPECT_TRUE(ParseBytes("2gb", &bytes));
  EXPECT_EQ(bytes, 2147483648u);
  for (const char* wrong : {"", "K", "-1", "12 parsecs", "1e30", "0x10", "nan", "10KK"}) {
    EXPECT_FALSE(ParseBytes(wrong, &bytes)) << wrong;
  }
}

}  // namespace
}  // namespace heaptally::cli
