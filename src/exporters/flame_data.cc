#include "exporters/flame_data.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "exporters/call_tree.h"
#include "exporters/column_writer.h"
#include "exporters/folded.h"
#include "exporters/gzip.h"
#include "exporters/prune_tree.h"

namespace heaptally::exporters {
namespace {

using Json = nlohmann::ordered_json;
using analysis::By;
using profile::Profile;

struct PageMeasure {
  By by;
  LeafColumn column, beside;
};

constexpr std::array<PageMeasure, 5> kPageMeasures = {{{By::kLive, kLiveBytes, kLiveObjects},
                                                       {By::kPeak, kPeakBytes, kPeakObjects},
                                                       {By::kChurn, kChurnBytes, kChurnCalls},
                                                       {By::kCalls, kChurnCalls, kChurnBytes},
                                                       {By::kTemporary, kTemporaryCalls, kChurnCalls}}};

bool HoldsMapped(const CallTree& tree) {
  return std::any_of(tree.leaves.begin(), tree.leaves.end(),
                     [](const CallLeaf& leaf) { return leaf.amounts[kMappedBytes].value() > 0; });
}

// Mapped memory is a measure of its own, where there is any: reserved address space is not to be added to blocks.
Json MeasuresJson(const CallTree& tree, const std::vector<Profile>& profiles) {
  Json out = Json::array();
  for (const PageMeasure& page : kPageMeasures) {
    if (!analysis::IsKnown(profiles, page.by)) continue;
    const auto name = std::find_if(kMeasures.begin(), kMeasures.end(), [&](const auto& m) { return m.by == page.by; });
    out.push_back({{"name", name->name},
                   {"title", name->title},
                   {"bytes", analysis::RanksBytes(page.by)},
                   {"column", static_cast<int>(page.column)},
                   {"beside", static_cast<int>(page.beside)},
                   {"exact", false}});
  }
  if (HoldsMapped(tree)) {
    out.push_back({{"name", "mapped"},
                   {"title", "mapped, reserved"},
                   {"bytes", true},
                   {"column", static_cast<int>(kMappedBytes)},
                   {"beside", static_cast<int>(kMappings)},
                   {"exact", true}});
  }
  return out;
}

Json AmountJson(const profile::Amount& amount) {
  return {amount.proven, amount.inferred, amount.variance, amount.samples};
}

// A floor of -1: nothing was ever sampled.
Json FloorJson(uint64_t floor_bytes) { return floor_bytes == UINT64_MAX ? Json(-1) : Json(floor_bytes); }

// The page makes its pads of a period and a floor. In mode count each object has the chance 1/N, that of a block of one byte
// under the period -1/ln(1 - 1/N); its floor is 0.
double PagePeriod(const profile::Measures& totals) {
  return totals.bytes_known ? totals.period : -1 / std::log1p(-1 / std::max(totals.objects_per_sample, 2.0));
}

Json TotalsJson(const Profile& profile) {
  const profile::Measures& totals = profile.totals;
  Amounts amounts = AmountsOf(totals);
  for (const profile::Site& site : profile.sites) {
    if (site.memory_class != "mapped") continue;
    amounts[kMappedBytes] += site.measures.live.bytes;
    amounts[kMappings] += site.measures.live.objects;
  }
  Json columns = Json::array();
  for (const profile::Amount& amount : amounts) columns.push_back(AmountJson(amount));
  return {{"columns", columns},
          {"peak_whole", AmountJson(totals.peak_whole.bytes)},
          {"peak_most_proven", totals.peak_most_proven},
          {"floor", FloorJson(totals.floor_bytes)},
          {"period", PagePeriod(totals)}};
}

std::string Command(const Profile& profile) {
  std::string out;
  for (const std::string& word : profile.argv) out += (out.empty() ? "" : " ") + word;
  return out;
}

Json ProfileJson(const Profile& profile, const FlamePageOptions& options) {
  const ImageWords words = options.words ? options.words({&profile}) : ImageWords{};
  return {{"name", ImageName(profile)},
          {"pid", profile.pid},
          {"command", Command(profile)},
          {"exe", profile.exe},
          {"mode", words.mode},
          {"live", words.live},
          {"peak", words.peak},
          {"end", words.end},
          {"taken_ms", profile.taken_unix_ns / 1'000'000},
          {"not_seen", words.not_seen},
          {"notes", words.notes},
          {"totals", TotalsJson(profile)}};
}

const char* OpeningMeasure(const std::vector<Profile>& profiles) {
  switch (analysis::UsualView(profiles)) {
    case By::kPeak:
      return "peak";
    case By::kCalls:
      return "calls";
    default:
      return "live";
  }
}

// Largest first, by what the page opens on.
std::vector<const Profile*> Ordered(const std::vector<Profile>& profiles) {
  std::vector<const Profile*> out;
  for (const Profile& profile : profiles) out.push_back(&profile);
  const By by = analysis::UsualView(profiles);
  std::stable_sort(out.begin(), out.end(), [by](const Profile* a, const Profile* b) {
    return Ranked(a->totals, by).v > Ranked(b->totals, by).v;
  });
  return out;
}

void WriteStrings(const std::vector<std::string>& strings, ColumnWriter* out) {
  std::string all;
  for (const std::string& text : strings) {
    if (!all.empty() || &text != &strings.front()) all += '\0';
    for (const char c : text) all += c == '\0' ? '?' : c;
  }
  out->Number(strings.size());
  out->Text(all);
}

void WriteFunctions(const CallTree& tree, ColumnWriter* out) {
  out->Number(tree.functions.size());
  for (uint32_t CallFunction::* name :
       {&CallFunction::short_name, &CallFunction::whole_name, &CallFunction::file, &CallFunction::module}) {
    int64_t last = 0;
    for (const CallFunction& function : tree.functions) {
      out->Signed(int64_t{function.*name} - last);
      last = function.*name;
    }
  }
  for (const CallFunction& function : tree.functions) out->Number((function.plumbing ? 1 : 0) | (function.words ? 2 : 0));
}

void WriteNodes(const CallTree& tree, ColumnWriter* out) {
  const size_t count = tree.nodes.size();
  out->Number(count - 1);
  std::vector<uint32_t> depth(count, 0);
  for (size_t node = 1; node < count; ++node) {
    depth[node] = depth[tree.nodes[node].parent] + 1;
    out->Number(depth[node - 1] - depth[tree.nodes[node].parent]);
  }
  for (size_t node = 1; node < count; ++node) out->Number(tree.nodes[node].function);
  std::vector<int64_t> last(tree.functions.size(), 0);  // a function's nodes mostly have the same line
  for (size_t node = 1; node < count; ++node) {
    const CallNode& one = tree.nodes[node];
    out->Signed(one.first_line - last[one.function]);
    last[one.function] = one.first_line;
  }
  for (size_t node = 1; node < count; ++node) out->Number(tree.nodes[node].last_line - tree.nodes[node].first_line);
}

void WritePlaces(const CallTree& tree, ColumnWriter* out) {
  out->Number(tree.places.size());
  for (const CallPlace& place : tree.places) out->Number(place.function);
  for (const CallPlace& place : tree.places) out->Number(place.line);
}

void WriteLeaves(const CallTree& tree, bool sampled, ColumnWriter* out) {
  out->Number(tree.leaves.size());
  uint32_t last = 0;
  for (const CallLeaf& leaf : tree.leaves) {
    out->Number(leaf.node - last);
    last = leaf.node;
  }
  for (const CallLeaf& leaf : tree.leaves) out->Number(leaf.place);
  for (const CallLeaf& leaf : tree.leaves) out->Number(leaf.profile);
  for (size_t column = 0; column < kLeafColumns; ++column) {
    for (const CallLeaf& leaf : tree.leaves) out->Number(leaf.amounts[column].proven);
    if (!sampled) continue;
    for (const CallLeaf& leaf : tree.leaves) out->Double(leaf.amounts[column].inferred);
    for (const CallLeaf& leaf : tree.leaves) out->Double(leaf.amounts[column].variance);
    for (const CallLeaf& leaf : tree.leaves) out->Number(leaf.amounts[column].samples);
  }
  if (!sampled) return;
  for (const CallLeaf& leaf : tree.leaves) out->Number(leaf.floor_bytes + 1);  // 0: nothing was ever sampled
}

}  // namespace

std::string FlameData(const std::vector<Profile>& profiles, const Wording& wording, const FlamePageOptions& options) {
  StringTable strings;
  const std::vector<const Profile*> ordered = Ordered(profiles);
  CallTree tree = BuildCallTree(ordered, wording, &strings);
  Json pruned = nullptr;
  if (options.most_nodes != 0 && tree.nodes.size() > options.most_nodes) {
    const Pruned what = PruneTree(options.most_nodes, &tree, &strings);
    pruned = {{"nodes", what.nodes}, {"share", what.share}};
  }
  Json list = Json::array();
  bool sampled = false;
  for (const Profile* profile : ordered) {
    list.push_back(ProfileJson(*profile, options));
    sampled = sampled || !profile::IsExact(profile->totals);
  }
  const ImageWords all = options.words ? options.words(ordered) : ImageWords{};
  const Json head = {{"title", options.title},
                     {"narrowed", options.narrowed},
                     {"not_seen", all.not_seen},
                     {"measures", MeasuresJson(tree, profiles)},
                     {"columns", static_cast<int>(kLeafColumns)},
                     {"sampled", sampled},
                     {"measure", OpeningMeasure(profiles)},
                     {"pruned", pruned},
                     {"profiles", std::move(list)}};
  ColumnWriter out;
  out.Text(head.dump(-1, ' ', true, Json::error_handler_t::replace));
  WriteStrings(strings.strings(), &out);
  WriteFunctions(tree, &out);
  WriteNodes(tree, &out);
  WritePlaces(tree, &out);
  WriteLeaves(tree, sampled, &out);
  return Base64(Gzip(out.bytes()));
}

}  // namespace heaptally::exporters
