#include "cli/color.h"

#include <gtest/gtest.h>

#include "cli/text_table.h"

namespace heaptally::cli {
namespace {

class ColorTest : public testing::Test {
 protected:
  void TearDown() override { ChooseColor("auto"); }
};

TEST_F(ColorTest, OutputThatIsNoTerminalHasNone) {
  ASSERT_FALSE(HasColor());  // a test's output is a pipe or a file
  EXPECT_EQ(Toned("grown", Tone::kGrown), "grown");
}

TEST_F(ColorTest, AlwaysAndNeverAreObeyedAndOtherWordsRefused) {
  EXPECT_TRUE(ChooseColor("always"));
  EXPECT_EQ(Toned("grown", Tone::kGrown), "\033[31mgrown\033[0m");
  EXPECT_EQ(Toned("plain", Tone::kPlain), "plain");
  EXPECT_TRUE(ChooseColor("never"));
  EXPECT_EQ(Toned("grown", Tone::kGrown), "grown");
  EXPECT_FALSE(ChooseColor("sometimes"));
}

std::string WithoutCodes(std::string text) {
  for (size_t at = text.find('\033'); at != std::string::npos; at = text.find('\033')) {
    text.erase(at, text.find('m', at) + 1 - at);
  }
  return text;
}

TEST_F(ColorTest, ColumnsStandInTheSamePlacesWithColourAndWithout) {
  TextTable table({{.title = "name", .cut = Cut::kEnd}, {.title = "bytes", .right = true}, {.title = "word"}});
  table.Add({"a", "1 KiB", "x"}, {Tone::kStrong});
  table.Add({"  < caller that is too long for its column, by far"}, {Tone::kDim});
  table.Add({"a longer name", "12 KiB", "grown"}, {Tone::kGrown, 1, 1});
  table.Add({"last", "3 B"}, {Tone::kShrunk, 2, 2});  // an empty cell
  ChooseColor("never");
  const std::string plain = table.Render(30);
  ChooseColor("always");
  const std::string colored = table.Render(30);
  EXPECT_EQ(WithoutCodes(colored), plain);
  EXPECT_NE(colored.find("  \033[1ma "), std::string::npos) << colored;
  EXPECT_NE(colored.find("    \033[2m< caller"), std::string::npos) << colored;  // the indent is outside
  EXPECT_NE(colored.find("\033[31m12 KiB\033[0m  grown\n"), std::string::npos) << colored;
  EXPECT_EQ(colored.find("\033[32m"), std::string::npos) << colored;
}

TEST_F(ColorTest, EachLineHasATintOfItsOwnSoThatAPagerMayBeginAtAny) {
  ChooseColor("always");
  EXPECT_EQ(Toned("  one\n    two\n", Tone::kLoss), "  \033[33mone\033[0m\n    \033[33mtwo\033[0m\n");
}

TEST_F(ColorTest, AShareIsLargeFromATenthOn) {
  EXPECT_EQ(ToneOfShare(10, 100), Tone::kStrong);
  EXPECT_EQ(ToneOfShare(9.9, 100), Tone::kPlain);
  EXPECT_EQ(ToneOfShare(0, 0), Tone::kPlain);
}

}  // namespace
}  // namespace heaptally::cli
