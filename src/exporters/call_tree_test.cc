#include "exporters/call_tree.h"

#include <gtest/gtest.h>

#include <map>

#include "exporters/made_profile.h"
#include "exporters/prune_tree.h"

namespace heaptally::exporters {
namespace {

std::string PathOf(const CallTree& tree, const StringTable& strings, uint32_t node) {
  std::string out;
  for (; node != 0; node = tree.nodes[node].parent) {
    out = strings.strings()[tree.functions[tree.nodes[node].function].whole_name] + (out.empty() ? "" : ";") + out;
  }
  return out;
}

double Total(const CallTree& tree, LeafColumn column) {
  double sum = 0;
  for (const CallLeaf& leaf : tree.leaves) sum += leaf.amounts[column].value();
  return sum;
}

TEST(CallTree, PreorderOneNodePerFunction) {
  StringTable strings;
  MadeProfile made;
  const uint32_t leaf = made.Frame({"leaf"}, 5);
  made.Site({leaf, made.Frame({"main"}, 10)}, profile::ExactAmount(1));
  made.Site({made.Frame({"other"}), made.Frame({"main"}, 12)}, profile::ExactAmount(1));
  made.Site({leaf, made.Frame({"main"}, 20)}, profile::ExactAmount(1));
  made.Site(std::vector<uint32_t>(2000, leaf), profile::ExactAmount(1));
  const profile::Profile profile = made.Done();
  const CallTree tree = BuildCallTree({&profile}, PlainWording(), &strings);
  ASSERT_EQ(tree.nodes.size(), 1 + 3 + 2000u);
  std::vector<uint32_t> path = {0};  // of the node before
  for (uint32_t node = 1; node < tree.nodes.size(); ++node) {
    while (!path.empty() && path.back() != tree.nodes[node].parent) path.pop_back();
    ASSERT_FALSE(path.empty()) << "node " << node << " stands outside of its parent's range";
    path.push_back(node);
  }
  EXPECT_EQ(tree.nodes[1].first_line, 10u);
  EXPECT_EQ(tree.nodes[1].last_line, 20u);
  EXPECT_EQ(tree.places.size(), 2u);
  EXPECT_EQ(tree.leaves.size(), 3u) << "two sites of one node and one place are one leaf";
}

TEST(CallTree, StacksAndPlacesAreThoseOfTheReports) {
  for (const bool allocator_frames : {false, true}) {
    Wording wording = PlainWording();
    wording.allocator_frames = allocator_frames;
    const profile::Profile profile = ExactProfile();
    std::map<std::string, double> expected, places, got, got_places;
    for (const profile::Site& site : profile.sites) {
      if (site.memory_class == "mapped" || site.measures.live.bytes.value() == 0) continue;
      std::vector<analysis::StackFrame> stack = ShownStack(profile, site, wording);
      std::string line;
      for (const analysis::StackFrame& frame : stack) line += (line.empty() ? "" : ";") + NameOf(frame);
      expected[line] += site.measures.live.bytes.value();
      if (!site.truncated && !site.frames.empty()) {
        std::reverse(stack.begin(), stack.end());
        places[NameOf(stack[analysis::PlaceFrame(stack, wording.taste)])] += site.measures.live.bytes.value();
      }
    }
    StringTable strings;
    const CallTree tree = BuildCallTree({&profile}, wording, &strings);
    double mapped = 0;
    for (const CallLeaf& leaf : tree.leaves) {
      mapped += leaf.amounts[kMappedBytes].value();
      if (leaf.amounts[kLiveBytes].value() == 0) continue;
      got[PathOf(tree, strings, leaf.node)] += leaf.amounts[kLiveBytes].value();
    }
    EXPECT_EQ(got, expected);
    EXPECT_EQ(mapped, 1'000'000);
    for (const CallLeaf& leaf : tree.leaves) {
      const std::string place = strings.strings()[tree.functions[tree.places[leaf.place].function].whole_name];
      if (place.starts_with("[") || PathOf(tree, strings, leaf.node).starts_with("[")) continue;
      if (leaf.amounts[kLiveBytes].value() > 0) got_places[place] += leaf.amounts[kLiveBytes].value();
    }
    EXPECT_EQ(got_places, places);
  }
}

TEST(CallTree, LeavesSayWhoseTheyAre) {
  const profile::Profile one = ExactProfile(), other = SampledProfile();
  StringTable strings;
  const CallTree tree = BuildCallTree({&one, &other}, PlainWording(), &strings);
  std::array<double, 2> sums = {0, 0};
  for (const CallLeaf& leaf : tree.leaves) sums.at(leaf.profile) += leaf.amounts[kPeakBytes].value();
  EXPECT_DOUBLE_EQ(sums[0], one.totals.peak.bytes.value());
  EXPECT_NEAR(sums[1], other.totals.peak.bytes.value(), 1e-6);
}

TEST(PruneTree, TheSmallestGoTheSumsStay) {
  MadeProfile made;
  const uint32_t main = made.Frame({"main"});
  for (uint64_t i = 0; i < 1000; ++i) {
    made.Site({made.Frame({"leaf" + std::to_string(i)}, 1), made.Frame({"f" + std::to_string(i)}), main},
              profile::ExactAmount(i + 1));
  }
  const profile::Profile profile = made.Done();
  StringTable strings;
  CallTree tree = BuildCallTree({&profile}, PlainWording(), &strings);
  const double live = Total(tree, kLiveBytes), calls = Total(tree, kChurnCalls);
  const size_t places = tree.places.size();
  const Pruned pruned = PruneTree(500, &tree, &strings);
  EXPECT_GT(pruned.nodes, 1400u);
  EXPECT_LE(tree.nodes.size(), 502u);
  EXPECT_GE(tree.nodes.size(), 490u);
  EXPECT_EQ(Total(tree, kLiveBytes), live);
  EXPECT_EQ(Total(tree, kChurnCalls), calls);
  EXPECT_EQ(tree.places.size(), places);
  EXPECT_EQ(tree.leaves.size(), 1000u) << "places are kept apart";
  double small = 0;
  for (const CallLeaf& leaf : tree.leaves) {
    const std::string path = PathOf(tree, strings, leaf.node);
    if (path == "main;[small parts]") small += leaf.amounts[kLiveBytes].value();
    EXPECT_NE(path, "main;f0;leaf0");
  }
  EXPECT_EQ(small, 751 * 752 / 2) << "f0 to f750: the parts of share below the cut";
  EXPECT_EQ(PruneTree(5000, &tree, &strings).nodes, 0u);
}

}  // namespace
}  // namespace heaptally::exporters
