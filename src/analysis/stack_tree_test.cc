#include "analysis/stack_tree.h"

#include <gtest/gtest.h>

namespace heaptally::analysis {
namespace {

using profile::Profile;
using Direction = TreeQuestion::Direction;

// Stacks of one-letter functions, innermost first; "m" is the allocator, "p" other plumbing.
class StackTreeTest : public testing::Test {
 protected:
  StackTreeTest() {
    for (const char letter : std::string("mpabcd")) {
      profile_.frames.push_back({.module = profile::kNoModule, .address = static_cast<uint64_t>(letter)});
      profile_.sources.push_back({{std::string(1, letter), "f.c", static_cast<uint32_t>(letter), false, ""}});
    }
  }

  profile::Site& Add(const std::string& innermost_first, uint64_t bytes) {
    profile::Site& site = profile_.sites.emplace_back();
    for (const char letter : innermost_first)
      site.frames.push_back(static_cast<uint32_t>(std::string("mpabcd").find(letter)));
    site.measures.live = {{.proven = 1}, {.proven = bytes}};
    return site;
  }

  // "a=7(b=5 c=2:2)": name=total, with self if it is not 0, and children in order; "+n" for n that are left out.
  std::string Text(TreeQuestion question, const std::string& through = "") {
    profiles_ = {&profile_};
    const auto is_m = [](const StackFrame& f) { return f.function == "m"; };
    const auto is_m_or_p = [](const StackFrame& f) { return f.function == "m" || f.function == "p"; };
    FrameTable table(profiles_, {.is_plumbing = is_m_or_p, .is_allocator = is_m});
    if (!through.empty()) question.through.resize(table.function_count());
    for (uint32_t function = 0; function < question.through.size(); ++function)
      question.through[function] = through.find(table.FunctionFrame(function).function) != std::string::npos;
    tree_ = BuildStackTree(profiles_, question, &table);
    return Node(0, table);
  }

  std::string Node(uint32_t index, const FrameTable& table) {
    const TreeNode& node = tree_.nodes[index];
    std::string out = index == 0 ? "" : NameOf(table[node.frame]);
    out += "=" + std::to_string(node.total.live.bytes.proven);
    if (node.self.live.bytes.proven > 0) out += ":" + std::to_string(node.self.live.bytes.proven);
    if (node.children.empty() && node.left_out == 0) return out;
    out += "(";
    for (const uint32_t child : node.children) out += (out.back() == '(' ? "" : " ") + Node(child, table);
    return out + (node.left_out > 0 ? "+" + std::to_string(node.left_out) : "") + ")";
  }

  Profile profile_;
  std::vector<const Profile*> profiles_;
  StackTree tree_;
};

TEST_F(StackTreeTest, TopDownHasCallersOnTopAndSelfWhereStacksEnd) {
  Add("mba", 5), Add("mca", 2), Add("ma", 1);
  EXPECT_EQ(Text({}), "=8(a=8:1(b=5:5 c=2:2))");
}

TEST_F(StackTreeTest, BottomUpHasWhatAllocatesOnTop) {
  Add("mba", 5), Add("mbc", 2), Add("ma", 1);
  EXPECT_EQ(Text({.direction = Direction::kBottomUp}), "=8(b=7(a=5:5 c=2:2) a=1:1)");
}

TEST_F(StackTreeTest, PlumbingIsFoldedUnlessAllIsShown) {
  Add("mpbpa", 5);
  EXPECT_EQ(Text({}), "=5(a=5(b=5:5))");
  EXPECT_EQ(Text({.full = true}), "=5(a=5(p=5(b=5(p=5(m=5:5)))))");
}

TEST_F(StackTreeTest, AStackOfPlumbingAloneKeepsItsPlace) {
  Add("mp", 5);
  Add("m", 1).truncated = true;
  EXPECT_EQ(Text({}), "=6(p=5:5 callers not known: the stack was cut=1(m=1:1))");
}

TEST_F(StackTreeTest, DirectRecursionIsOneNodeAndOtherRecursionIsCountedOnce) {
  Add("mbbba", 4), Add("mbaba", 3);
  EXPECT_EQ(Text({}), "=7(a=7(b=7:4(a=3(b=3:3))))");
  EXPECT_EQ(Text({.full = true}), "=7(a=7(b=7(b=4(b=4(m=4:4)) a=3(b=3(m=3:3)))))");
}

TEST_F(StackTreeTest, CallersBeginAtTheOutermostOccurrence) {
  Add("mbca", 5), Add("mbd", 2), Add("ma", 1), Add("mbcbd", 10);
  EXPECT_EQ(Text({.direction = Direction::kBottomUp}, "b"), "=17(b=17(d=12:12 c=5(a=5:5)))");
}

TEST_F(StackTreeTest, CalleesBeginAtTheOutermostOccurrence) {
  Add("mcba", 5), Add("mba", 2), Add("mca", 1);
  EXPECT_EQ(Text({}, "b"), "=7(b=7:2(c=5:5))");
  EXPECT_EQ(Text({}, "d"), "=0");
}

TEST_F(StackTreeTest, PlumbingCanBeAskedFor) {
  Add("mpba", 5), Add("mca", 2);
  EXPECT_EQ(Text({.direction = Direction::kBottomUp}, "p"), "=5(p=5(b=5(a=5:5)))");
  EXPECT_EQ(Text({.direction = Direction::kBottomUp}, "m"), "=7(m=7(b=5(a=5:5) c=2(a=2:2)))");
}

TEST_F(StackTreeTest, SmallNodesAreLeftOutAndTheirSumsStayAbove) {
  Add("mba", 97), Add("mca", 2), Add("mda", 1);
  EXPECT_EQ(Text({.least_share = 0.025}), "=100(a=100(b=97:97+2))");
}

TEST_F(StackTreeTest, SitesWithoutAStackAndMappedOnes) {
  Add("", 4);
  Add("ma", 3).memory_class = "mapped";
  Add("ma", 2);
  Add("ma", 0);
  EXPECT_EQ(Text({}), "=6(no stack=4:4 a=2:2)");
}

TEST_F(StackTreeTest, LinesOfAFunctionMeetInOneNode) {
  Add("mba", 5);
  profile_.frames.push_back({.module = profile::kNoModule, .address = 7});
  profile_.sources.push_back({{"b", "f.c", 200, false, ""}});
  Add("ma", 1).frames = {0, 6, 2};
  EXPECT_EQ(Text({}), "=6(a=6(b=6:6))");
  EXPECT_EQ(tree_.nodes[2].first_line, uint32_t{'b'});
  EXPECT_EQ(tree_.nodes[2].last_line, 200u);
}

TEST_F(StackTreeTest, SumsAreMadeBeforeIntervals) {
  for (const char* stack : {"mba", "mca"}) {
    profile::Site& site = Add(stack, 100);
    site.measures.live.bytes = {.proven = 100, .inferred = 900, .variance = 1e6, .samples = 4};
    site.measures.period = 1000;
  }
  Text({});
  const profile::Amount& sum = tree_.nodes[1].total.live.bytes;
  EXPECT_EQ(sum.samples, 8u);
  EXPECT_EQ(sum.variance, 2e6);
}

}  // namespace
}  // namespace heaptally::analysis
