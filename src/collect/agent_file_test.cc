#include "collect/agent_file.h"

#include "collect/test_directory.h"

namespace heaptally::collect {
namespace {

AgentOptions Options() {
  return {.mode = "bytes", .period = 65536, .directory = "/d", .run_id = "ab12", .follow = false};
}

TEST(AgentFileTest, TheUsersPreloadListIsKeptBehindTheAgent) {
  const auto out = WithAgent({"A=1", "LD_PRELOAD=/x/mine.so /y/other.so"}, "/a/agent.so", Options());
  EXPECT_EQ(out[0], "A=1");
  EXPECT_EQ(out[1], "LD_PRELOAD=/a/agent.so:/x/mine.so /y/other.so");
  EXPECT_EQ(out[2], "HEAPTALLY=mode=bytes,period=65536,dir=/d,run=ab12,follow=0");
}

TEST(AgentFileTest, WordsSetByHandStayUnlessRunDecidesThem) {
  const auto out =
      WithAgent({"HEAPTALLY=seed=7,mode=bytes,run=old,cap=1000"}, "/a.so", {.mode = "exact", .directory = "/d"});
  EXPECT_EQ(out[0], "HEAPTALLY=mode=exact,dir=/d,seed=7,cap=1000");
}

TEST(AgentFileTest, APathThatPreloadCannotHoldGetsALink) {
  const TestDirectory directory;
  std::filesystem::create_directory(directory.path() + "/with space");
  const std::string agent = directory.Write("with space/libheaptally.so", "x");
  std::string error;
  const std::string link = PreloadablePath(agent, directory.path() + "/links", &error);
  EXPECT_EQ(link, directory.path() + "/links/libheaptally.so") << error;
  EXPECT_EQ(std::filesystem::canonical(link), std::filesystem::canonical(agent));
  EXPECT_EQ(PreloadablePath(agent, directory.path() + "/links", &error), link) << "made once, used again";
  EXPECT_EQ(PreloadablePath(agent, directory.path() + "/no good", &error), "");
  EXPECT_NE(error.find("LD_PRELOAD cannot hold"), std::string::npos);
  EXPECT_EQ(PreloadablePath("/plain/agent.so", "/nowhere", &error), "/plain/agent.so");
}

}  // namespace
}  // namespace heaptally::collect
