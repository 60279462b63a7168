#include "exporters/stack_table.h"

#include <gtest/gtest.h>

#include <cmath>

#include "exporters/made_profile.h"
#include "exporters/safe_text.h"

namespace heaptally::exporters {
namespace {

uint64_t Sum(const StackTable& table, Column column) {
  uint64_t sum = 0;
  for (const TableStack& stack : table.stacks) sum += stack.value(column);
  return sum;
}

std::vector<std::string> NamesRootFirst(const StackTable& table, const TableStack& stack) {
  std::vector<std::string> out;
  for (const uint32_t location : stack.locations) {
    for (const TableLine& line : table.locations[location].lines) out.push_back(table.functions[line.function].name);
  }
  return {out.rbegin(), out.rend()};
}

TEST(StackTable, ShowsTheStacksOfShownStack) {
  const profile::Profile profile = ExactProfile();
  for (const int kind : {0, 1, 2}) {
    Wording wording = PlainWording();
    wording.allocator_frames = kind == 1;
    wording.end_at_places = kind == 2;
    wording.taste.is_plumbing = [](const analysis::StackFrame& frame) {
      return frame.function == "malloc" || frame.function == "inner";
    };
    std::vector<std::vector<std::string>> expected, shown;
    for (const profile::Site& site : profile.sites) {
      if (site.memory_class == "mapped" || site.measures.live.bytes.proven == 0) continue;
      std::vector<std::string>& names = expected.emplace_back();
      for (const analysis::StackFrame& frame : ShownStack(profile, site, wording)) {
        names.push_back(analysis::NameOf(frame));
      }
    }
    const StackTable table = BuildStackTable({profile}, wording, {});
    for (const TableStack& stack : table.stacks) shown.push_back(NamesRootFirst(table, stack));
    EXPECT_EQ(shown, expected);
  }
}

TEST(StackTable, AFunctionInlinedIntoItsCallerIsHiddenAloneWhereItIsTheAllocators) {
  MadeProfile made;
  const uint32_t parse = made.Frame({"malloc", "parse"}), main = made.Frame({"main"});
  made.Site({parse, main}, profile::ExactAmount(7));
  const StackTable table = BuildStackTable({made.Done()}, PlainWording(), {});
  EXPECT_EQ(NamesRootFirst(table, table.stacks[0]), (std::vector<std::string>{"main", "parse"}));
}

TEST(StackTable, StacksEndAtPlacesOnRequest) {
  MadeProfile made;
  const uint32_t malloc = made.Frame({"malloc"}), wrapper = made.Frame({"xmalloc", "parse"}), main = made.Frame({"main"});
  made.Site({malloc, wrapper, main}, profile::ExactAmount(7));
  made.Site({malloc, made.Frame({"xmalloc"})}, profile::ExactAmount(7));
  Wording wording = PlainWording();
  wording.end_at_places = true;
  wording.taste.is_plumbing = [](const analysis::StackFrame& frame) { return frame.function.ends_with("malloc"); };
  const StackTable table = BuildStackTable({made.Done()}, wording, {});
  EXPECT_EQ(NamesRootFirst(table, table.stacks[0]), (std::vector<std::string>{"main", "parse"}));
  EXPECT_EQ(NamesRootFirst(table, table.stacks[1]), (std::vector<std::string>{"xmalloc"})) << "all of it is plumbing";
}

TEST(StackTable, AMappingIsTheCodeWhereAllAddressesLieInIt) {
  MadeProfile made;
  made.profile_.modules[0] = {.path = "/opt/server", .map_start = 0x10000, .map_end = 0x90000, .bias = 0xF000};
  made.Site({made.Frame({"f"})}, profile::ExactAmount(1));  // at 0x1000, so that the call lies at 0xFFFF
  StackChoice choice;
  choice.code_of = [](const profile::Module&) { return CodeSegment{0x0AF0, 0x800, 0x3AF0}; };
  StackTable table = BuildStackTable({made.Done()}, PlainWording(), choice);
  EXPECT_EQ(table.mappings[0].start, 0xF000u);
  EXPECT_EQ(table.mappings[0].limit, 0x11000u);
  EXPECT_EQ(table.mappings[0].file_offset, 0x3000u);
  choice.code_of = [](const profile::Module&) { return CodeSegment{0x5000, 0x800, 0x3000}; };
  table = BuildStackTable({made.Done()}, PlainWording(), choice);
  EXPECT_EQ(table.mappings[0].start, 0x10000u);
  EXPECT_EQ(table.mappings[0].limit, 0x90000u);
  EXPECT_EQ(table.mappings[0].file_offset, 0u);
}

TEST(StackTable, AddressesLieInsideOfTheCall) {
  MadeProfile made;
  made.profile_.modules[0].bias = 0x400000;
  const uint32_t call = made.Frame({"main"}), interrupted = made.Frame({"loop"});
  made.profile_.frames[interrupted].exact_pc = true;
  made.profile_.frames.push_back({.module = profile::kNoModule, .address = 0x5000});
  made.Site({interrupted, call, 2}, profile::ExactAmount(1));
  const StackTable table = BuildStackTable({made.Done()}, PlainWording(), {});
  ASSERT_EQ(table.locations.size(), 3u);
  EXPECT_EQ(table.locations[0].address, 0x401001u);
  EXPECT_EQ(table.locations[1].address, 0x400FFFu);
  EXPECT_EQ(table.locations[2].address, 0x4FFFu);
  EXPECT_EQ(table.locations[2].mapping, kNoMapping);
}

TEST(StackTable, ColumnsAddUpToTheTotals) {
  for (const profile::Profile& profile : {ExactProfile(), SampledProfile()}) {
    const StackTable table = BuildStackTable({profile, profile}, PlainWording(), {});
    for (const MeasureName& measure : kMeasures) {
      const auto total = static_cast<uint64_t>(std::llround(Ranked(profile.totals, measure.by).v));
      EXPECT_EQ(Sum(table, ColumnOf(measure.by)), 2 * total) << measure.name;
    }
  }
}

TEST(StackTable, TheTailIsFoldedIntoOneStackOfTheSameSum) {
  const StackTable all = BuildStackTable({SampledProfile()}, PlainWording(), {});
  const StackTable some = BuildStackTable({SampledProfile()}, PlainWording(), {.most_stacks = 10});
  ASSERT_EQ(some.stacks.size(), 10u);
  const size_t folded = all.stacks.size() - 9;
  EXPECT_EQ(NamesRootFirst(some, some.stacks[9])[0], "[other: " + std::to_string(folded) + " smaller stacks]");
  for (size_t column = 0; column < kColumns; ++column) {
    EXPECT_EQ(Sum(some, static_cast<Column>(column)), Sum(all, static_cast<Column>(column)));
  }
  const uint64_t least_kept = some.stacks[8].value(Column::kLiveBytes);
  EXPECT_GE(least_kept, some.stacks[9].value(Column::kLiveBytes) / folded);
}

TEST(StackTable, MappedMemoryComesOnlyWhenAskedForAndNeverMixed) {
  const profile::Profile profile = ExactProfile();
  EXPECT_EQ(Sum(BuildStackTable({profile}, PlainWording(), {}), Column::kLiveBytes), 129u);
  EXPECT_EQ(Sum(BuildStackTable({profile}, PlainWording(), {.classes = Classes::kMapped}), Column::kLiveBytes),
            1'000'000u);
  const StackTable all = BuildStackTable({profile}, PlainWording(), {.classes = Classes::kAll, .most_stacks = 2});
  ASSERT_EQ(all.stacks.size(), 2u);
  for (const TableStack& stack : all.stacks) {
    const bool mapped = all.groups[stack.group].memory_class == "mapped";
    EXPECT_EQ(stack.value(Column::kLiveBytes), mapped ? 1'000'000u : 129u);
    EXPECT_EQ(RootFrames({profile}, all.groups[stack.group], Classes::kAll)[0], mapped ? "[mapped]" : "[malloc]");
  }
}

TEST(StackTable, TheProgramIsTheFirstMapping) {
  MadeProfile made;
  made.profile_.modules = {{.path = "/lib/libc.so"}, {.path = "/opt/server", .build_id = "ab"}};
  made.Site({made.Frame({"f"})}, profile::ExactAmount(1));
  StackTable table = BuildStackTable({made.Done()}, PlainWording(), {});
  EXPECT_EQ(table.mappings[0].build_id, "ab");
  made.profile_.exe = "/opt/unknown";
  table = BuildStackTable({made.Done()}, PlainWording(), {});
  EXPECT_EQ(table.mappings[0].path, "/opt/unknown");
  EXPECT_EQ(table.mappings[table.locations[0].mapping].path, "/lib/libc.so");
}

TEST(StackTable, HostileNumbersAreNoIndexes) {
  MadeProfile made;
  made.profile_.frames.push_back({.module = 77, .address = 0});
  made.Site({0, 99, 0}, profile::ExactAmount(1));
  const StackTable table = BuildStackTable({made.Done()}, PlainWording(), {});
  ASSERT_EQ(table.stacks.size(), 1u);
  EXPECT_EQ(table.stacks[0].locations.size(), 2u);
}

TEST(SafeText, KeepsSemicolonsSpacesAndLength) {
  EXPECT_EQ(SafeText(" a;b\n\xff "), " a;b?? ");
  EXPECT_EQ(SafeText(std::string(70'000, 'x')).size(), 70'000u);
  EXPECT_EQ(SafeText(""), "");
}

}  // namespace
}  // namespace heaptally::exporters
