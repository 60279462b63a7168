#include "collect/find_program.h"

#include <cerrno>

#include "collect/test_directory.h"

namespace heaptally::collect {
namespace {

TEST(FindProgramTest, SearchesPathInOrder) {
  const TestDirectory a, b;
  b.Write("tool", "#!/bin/sh\n", 0755);
  const std::vector<std::string> environment = {"PATH=" + a.path() + ":" + b.path()};
  EXPECT_EQ(FindProgram("tool", environment).path, b.path() + "/tool");
  a.Write("tool", "#!/bin/sh\n", 0755);
  EXPECT_EQ(FindProgram("tool", environment).path, a.path() + "/tool");
}

TEST(FindProgramTest, SaysWhyNot) {
  const TestDirectory a;
  const std::vector<std::string> environment = {"PATH=" + a.path()};
  EXPECT_EQ(FindProgram("tool", environment).error, ENOENT);
  EXPECT_EQ(FindProgram("", environment).error, ENOENT);
  EXPECT_EQ(FindProgram(a.path() + "/none", environment).error, ENOENT);
  EXPECT_EQ(FindProgram(a.path(), environment).error, EACCES);  // a directory
  a.Write("tool", "x", 0644);
  EXPECT_EQ(FindProgram("tool", environment).error, EACCES);
}

TEST(FindProgramTest, FollowsScriptsToTheirInterpreter) {
  const TestDirectory a;
  const std::string real = a.Write("interpreter", "\177ELF", 0755);
  const std::string inner = a.Write("inner", "#!" + real + "\n", 0755);
  const std::string outer = a.Write("outer", "#! " + inner + "  -x y \nbody\n", 0755);
  const std::string by_env = a.Write("by_env", "#!/usr/bin/env -S LANG=C interpreter -u\n", 0755);
  const std::vector<std::string> environment = {"PATH=" + a.path()};
  EXPECT_EQ(FollowScript(outer, environment), real);
  EXPECT_EQ(FollowScript(by_env, environment), real);
  EXPECT_EQ(FollowScript(real, environment), real);
  EXPECT_EQ(ReadScriptLine(outer).argument, "-x y");
  const std::string loop = a.Write("loop", "#!" + a.path() + "/loop\n", 0755);
  EXPECT_EQ(FollowScript(loop, environment), loop);
}

}  // namespace
}  // namespace heaptally::collect
