#include "cli/run_options.h"

#include <gtest/gtest.h>

namespace heaptally::cli {
namespace {

using Words = std::vector<std::string>;

RunOptions Parsed(const Words& words) {
  RunOptions options;
  EXPECT_EQ(ParseRunOptions(words, &options), -1);
  return options;
}

TEST(RunOptionsTest, TheProgramBeginsAfterTheMarkOrAtTheFirstWord) {
  EXPECT_EQ(Parsed({"--", "prog", "-o", "x"}).command, (Words{"prog", "-o", "x"}));
  EXPECT_EQ(Parsed({"prog", "--", "-o"}).command, (Words{"prog", "--", "-o"}));
  EXPECT_EQ(Parsed({"-o", "/tmp/c", "prog", "--mode", "x"}).command, (Words{"prog", "--mode", "x"}));
  EXPECT_EQ(Parsed({"--mode=bytes", "--no-follow", "--", "--odd"}).command, (Words{"--odd"}));
  EXPECT_EQ(Parsed({"-mbytes", "prog"}).command, (Words{"prog"}));
  EXPECT_EQ(Parsed({"-p", "1M", "prog"}).command, (Words{"prog"}));
}

TEST(RunOptionsTest, Modes) {
  EXPECT_EQ(Parsed({"prog"}).mode, "bytes") << "sampled unless asked for more";
  for (const char* mode : {"exact", "bytes", "count", "per-class"}) EXPECT_EQ(Parsed({"--mode", mode, "prog"}).mode, mode);
  EXPECT_EQ(Parsed({"--mode", "count", "--period", "100", "prog"}).period, 100u);
  const RunOptions sampled = Parsed({"--period", "1M", "prog"});
  EXPECT_EQ(sampled.mode, "bytes");
  EXPECT_EQ(sampled.period, 1u << 20);
}

TEST(RunOptionsTest, WhatCannotBeIsRefusedBeforeTheStart) {
  for (const Words& words :
       {Words{}, Words{"--"}, Words{"--mode", "x", "p"}, Words{"--period", "4K", "p"}, Words{"--period", "soon", "p"},
        Words{"--mode", "exact", "--period", "1M", "p"}, Words{"--mode", "count", "--period", "1", "p"},
        Words{"--mode", "per-class", "--period", "4G", "p"}, Words{"--dir", "/a,b", "p"}, Words{"-o", "/", "p"},
        Words{"--unknown", "p"}, Words{"-o"}}) {
    RunOptions options;
    EXPECT_EQ(ParseRunOptions(words, &options), 125) << (words.empty() ? "" : words[0]);
  }
}

}  // namespace
}  // namespace heaptally::cli
