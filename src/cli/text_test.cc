#include "cli/text.h"

#include <gtest/gtest.h>

namespace heaptally::cli {
namespace {

TEST(TextTest, NothingFromAProgramReachesTheTerminalAsAnEscape) {
  EXPECT_EQ(Printable("plain"), "plain");
  EXPECT_EQ(Printable("\x1b[31mred\x07"), "?[31mred?");
  EXPECT_EQ(Printable("caf\xc3\xa9"), "caf\xc3\xa9");
  EXPECT_EQ(Printable("\xff\xc3"), "??");
  EXPECT_EQ(Printable("\xc2\x9b"
                      "31m"),
            "?31m");  // C1: CSI
  EXPECT_EQ(Printable("a\xe2\x80\xae"
                      "b"),
            "a?b");                             // right-to-left override
  EXPECT_EQ(Printable("\xed\xa0\x80"), "???");  // surrogate
}

TEST(TextTest, FitsExactly) {
  EXPECT_EQ(FitName("abc", 5), "abc  ");
  EXPECT_EQ(FitName("abcdef", 4), "abc…");
  EXPECT_EQ(FitPath("/a/b/cdef", 5), "…cdef");
  EXPECT_EQ(Width(FitName("é…é…é…", 3)), 3u);
  EXPECT_EQ(FitName("abc", 0), "");
  EXPECT_EQ(PadLeft("7", 3), "  7");
}

TEST(TextTest, AFunctionKeepsItsLastNameAndAChainItsEnds) {
  EXPECT_EQ(FitFunction("heaptally::cli::Renderer::Render", 20), "heaptally::…::Render");
  EXPECT_EQ(FitFunction("ggc_internal_cleared_alloc", 15), "ggc_int…d_alloc");
  EXPECT_EQ(FitFunction("short", 7), "short  ");
  EXPECT_EQ(Width(FitFunction("é::é::éééééééé", 6)), 6u);
  const std::string chain = "  main > run_all > load_file > parse";
  EXPECT_EQ(FitChain(chain, 40), chain + "    ");
  EXPECT_EQ(FitChain(chain, 30), "  main > … > load_file > parse");
  EXPECT_EQ(FitChain(chain, 29), "  main > … > parse           ");
  EXPECT_EQ(FitChain(chain, 17), "  … > parse      ");
  EXPECT_EQ(FitChain("  parse < load < main", 20), "  parse < …         ");
  for (size_t width = 1; width < 60; ++width) EXPECT_EQ(Width(FitChain(chain, width)), width);
}

TEST(TextTest, WrapsAtSpacesAndIndents) {
  EXPECT_EQ(Wrap("one two three", 8, 2), "one two\n  three");
  EXPECT_EQ(Wrap("  one two three", 8, 4), "  one\n    two\n    three");
  EXPECT_EQ(Wrap("a-word-longer-than-the-line x", 8, 2), "a-word-longer-than-the-line\n  x");
}

TEST(TextTest, ANumberStaysWithItsUnit) {
  EXPECT_EQ(Wrap("peak 9.21 MiB, then", 10, 0), "peak\n9.21 MiB,\nthen");
  EXPECT_EQ(Wrap("of 20 places", 5, 0), "of 20\nplaces");
  EXPECT_EQ(Wrap("in 12 %", 5, 0), "in\n12 %");
}

TEST(TextTest, PartsStayWhole) {
  EXPECT_EQ(WrapParts({"name", "every 512 KiB;", "end"}, 30, 2), "name every 512 KiB; end");
  EXPECT_EQ(WrapParts({"longer name", "every 5 KiB;", "end"}, 24, 2), "longer name every 5 KiB;\n  end");
  EXPECT_EQ(WrapParts({"name", "every 512 KiB;"}, 17, 2), "name\n  every 512 KiB;");
  EXPECT_EQ(WrapParts({"name", "every other call"}, 17, 2), "name every other\n  call") << "too long to be held together";
  EXPECT_EQ(WrapParts({"one two three four five"}, 10, 0), "one two\nthree four\nfive");
}

TEST(TextTest, LabelsStandBesideTheirText) {
  EXPECT_EQ(Labelled("churn", "one two three four", 28), "  churn          one two\n                 three four\n");
  EXPECT_EQ(Labelled("", "x", 80), "                 x\n");
}

TEST(TextTest, QuotesForAShell) {
  EXPECT_EQ(ShellQuoted(std::string("a.heaptally")), "a.heaptally");
  EXPECT_EQ(ShellQuoted(std::string("my file")), "'my file'");
  EXPECT_EQ(ShellQuoted(std::string("it's")), "'it'\\''s'");
  EXPECT_EQ(ShellQuoted(std::string("")), "''");
}

}  // namespace
}  // namespace heaptally::cli
