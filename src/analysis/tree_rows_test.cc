#include "analysis/tree_rows.h"

#include <gtest/gtest.h>

namespace heaptally::analysis {
namespace {

class TreeRowsTest : public testing::Test {
 protected:
  TreeRowsTest() { tree_.nodes.emplace_back(); }

  uint32_t Add(uint32_t parent, uint64_t total, uint64_t self = 0) {
    const auto node = static_cast<uint32_t>(tree_.nodes.size());
    TreeNode& added = tree_.nodes.emplace_back();
    added.parent = parent;
    added.total.live.bytes.proven = total;
    added.self.live.bytes.proven = self;
    tree_.nodes[parent].children.push_back(node);
    if (parent == 0) tree_.nodes[0].total.live.bytes.proven += total;
    return node;
  }

  // "0:1-2 1:3": indent, and the chain's nodes.
  std::string Text(size_t limit, std::optional<double> join) {
    const TreeRows rows = ChooseRows(tree_, By::kLive, limit, join);
    std::string out;
    for (const TreeRow& row : rows.rows) {
      out += (out.empty() ? "" : " ") + std::to_string(row.indent) + ":";
      for (const uint32_t node : row.chain) out += (out.back() == ':' ? "" : "-") + std::to_string(node);
    }
    return out + (rows.more > 0 ? " +" + std::to_string(rows.more) : "");
  }

  StackTree tree_;
};

TEST_F(TreeRowsTest, WhatOnlyPassesOnIsOneRow) {
  const uint32_t main = Add(0, 10), run = Add(main, 10);  // 1, 2
  Add(run, 6, 6), Add(run, 4, 4);                         // 3, 4
  EXPECT_EQ(Text(9, 0), "0:1-2 1:3 1:4");
  EXPECT_EQ(Text(9, std::nullopt), "0:1 1:2 2:3 2:4");
}

TEST_F(TreeRowsTest, AFunctionWithItsOwnBytesEndsAChain) {
  const uint32_t main = Add(0, 10, 1);
  Add(main, 9, 9);
  EXPECT_EQ(Text(9, 0), "0:1 1:2");
}

TEST_F(TreeRowsTest, WhatIsLostAlongAChainIsBelowTheShare) {
  uint32_t node = Add(0, 1000);
  for (const uint64_t total : {996, 992, 988}) node = Add(node, total);
  EXPECT_EQ(Text(9, 0.01), "0:1-2-3 1:4") << "of the first, not from link to link";
  EXPECT_EQ(Text(9, 0.02), "0:1-2-3-4");
}

TEST_F(TreeRowsTest, TheLargestRowsAreChosenWhereverTheyAre) {
  const uint32_t big = Add(0, 60), small = Add(0, 40, 40);
  Add(big, 50, 50), Add(big, 10, 10);
  EXPECT_EQ(Text(3, 0), "0:1 1:3 0:2 +1");
  EXPECT_EQ(Text(1, 0), "0:1 +3");
  EXPECT_EQ(small, 2u);
}

TEST_F(TreeRowsTest, ADeepTreeIsNoTrouble) {
  uint32_t node = 0;
  for (uint64_t depth = 0; depth < 100'000; ++depth) node = Add(node, 1'000'000 - depth, 1);
  EXPECT_EQ(ChooseRows(tree_, By::kLive, 50, 0).more, 100'000u - 50);
}

TEST_F(TreeRowsTest, NothingIsNothing) { EXPECT_EQ(Text(9, 0), ""); }

}  // namespace
}  // namespace heaptally::analysis
