#include "exporters/folded.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "exporters/made_profile.h"

namespace heaptally::exporters {
namespace {

TEST(Folded, RootFirstInlinedUnfoldedAllocatorHidden) {
  EXPECT_EQ(Folded({ExactProfile()}, {}, PlainWording()),
            "[callers not known: stack was cut];outer;inner 1\n"
            "[no stack] 5\n"
            "main 23\n"
            "main;outer;inner 100\n");
}

TEST(Folded, AllocatorFramesOnRequest) {
  Wording wording = PlainWording();
  wording.allocator_frames = true;
  EXPECT_NE(Folded({ExactProfile()}, {}, wording).find("main;outer;inner;malloc 100\n"),
            std::string::npos);
}

TEST(Folded, EqualStacksMeetInOneLine) {
  MadeProfile made;
  const uint32_t at_1 = made.Frame({"main"}, 1), at_2 = made.Frame({"main"}, 2);
  made.Site({at_1}, profile::ExactAmount(3));
  made.Site({at_2}, profile::ExactAmount(4));
  EXPECT_EQ(Folded({made.Done()}, {}, PlainWording()), "main 7\n");
}

TEST(Folded, LinesAddUpToTheTotalOfEachMeasure) {
  for (const profile::Profile& profile : {ExactProfile(), SampledProfile()}) {
    for (const MeasureName& measure : kMeasures) {
      std::istringstream lines(Folded({profile}, {.by = measure.by}, PlainWording()));
      long long sum = 0;
      for (std::string line; std::getline(lines, line);) sum += std::stoll(line.substr(line.rfind(' ') + 1));
      EXPECT_EQ(sum, std::llround(Ranked(profile.totals, measure.by).v)) << measure.name;
    }
  }
}

TEST(Folded, SeveralImagesAreRootsOfTheirOwn) {
  profile::Profile other = ExactProfile();
  other.pid = 8;
  const std::string text = Folded({ExactProfile(), other}, {}, PlainWording());
  EXPECT_NE(text.find("server (7);main 23\n"), std::string::npos);
  EXPECT_NE(text.find("server (8);main 23\n"), std::string::npos);
}

TEST(Folded, ADeepStackIsOneLine) {
  MadeProfile made;
  made.Site(std::vector<uint32_t>(2000, made.Frame({"f"})), profile::ExactAmount(1));
  EXPECT_EQ(Folded({made.Done()}, {}, PlainWording()).size(), 2 * 2000 - 1 + 3u);
}

TEST(SafeFrame, OneFrameStaysOneFrame) {
  EXPECT_EQ(SafeFrame("a;b"), "a:b");
  EXPECT_EQ(SafeFrame("a\nb\r\tc\x1b[31m\x7f"), "a?b??c?[31m?");
  EXPECT_EQ(SafeFrame("  f(int, char)  "), "f(int, char)");
  EXPECT_EQ(SafeFrame(std::string("a\0b", 3)), "a?b");
  EXPECT_EQ(SafeFrame(""), "?");
  EXPECT_EQ(SafeFrame("   "), "?");
}

TEST(SafeFrame, KeepsUtf8AndNothingElse) {
  EXPECT_EQ(SafeFrame("größe<…>::f 😀"), "größe<…>::f 😀");
  EXPECT_EQ(SafeFrame("a\xff\xfe"), "a??");
  EXPECT_EQ(SafeFrame("cut \xe2\x80"), "cut ??");
  EXPECT_EQ(SafeFrame("\xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80"), "?? ??? ????");  // overlong, surrogate, too large
  EXPECT_EQ(SafeFrame("next\xc2\x85line\u2028"), "next?line?");
}

}  // namespace
}  // namespace heaptally::exporters
