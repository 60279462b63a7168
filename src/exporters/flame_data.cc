#include "exporters/flame_data.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "exporters/call_tree.h"
#include "exporters/folded.h"

namespace heaptally::exporters {
namespace {

using Json = nlohmann::ordered_json;
using analysis::By;
using profile::Profile;
using sampling::Estimate;

constexpr size_t kMostImages = 40;  // pages of their own; the rest is in the merged one

int64_t Whole(double number) { return number > 0 ? std::llround(std::min(number, 9e18)) : 0; }

void AppendEnds(const Estimate& estimate, Json* out) {
  out->push_back(Whole(std::floor(estimate.lo)));
  out->push_back(estimate.hi_known ? Whole(std::ceil(estimate.hi)) : -1);
}

Json EndsJson(const std::vector<profile::Measures>& sums) {
  Json out;
  for (const MeasureName& measure : kMeasures) {
    Json& ends = out[measure.name] = Json::array();
    for (const profile::Measures& sum : sums) AppendEnds(Ranked(sum, measure.by), &ends);
  }
  return out;
}

Json FunctionsJson(const CallTree& tree) {
  Json out = {{"short", Json::array()}, {"whole", Json::array()}, {"file", Json::array()}, {"module", Json::array()}};
  for (const FunctionKey& function : tree.functions) {
    out["short"].push_back(function.short_name);
    out["whole"].push_back(function.whole_name);
    out["file"].push_back(function.file);
    out["module"].push_back(function.module);
  }
  return out;
}

Json NodesJson(const CallTree& tree) {
  Json parent = Json::array(), function = Json::array(), line = Json::array(), last = Json::array();
  for (const CallNode& node : tree.nodes) {
    parent.push_back(node.parent == kNone ? -1 : int64_t{node.parent});
    function.push_back(node.function == kNone ? -1 : int64_t{node.function});
    line.push_back(node.first_line);
    last.push_back(node.last_line);
  }
  return {{"parent", parent}, {"function", function}, {"line", line}, {"last_line", last}};
}

Json LeavesJson(const CallTree& tree) {
  Json out = {{"node", Json::array()}, {"place", Json::array()}};
  for (const CallLeaf& leaf : tree.leaves) {
    out["node"].push_back(leaf.node);
    out["place"].push_back(leaf.place);
  }
  for (size_t m = 0; m < kMeasures.size(); ++m) {
    Json& column = out[kMeasures[m].name] = Json::array();
    for (const CallLeaf& leaf : tree.leaves) column.push_back(leaf.values[m]);
  }
  return out;
}

Json TreeJson(const CallTree& tree) {
  Json places = {{"function", Json::array()}, {"line", Json::array()}};
  for (const CallPlace& place : tree.places) {
    places["function"].push_back(place.function);
    places["line"].push_back(place.line);
  }
  Json out = {{"functions", FunctionsJson(tree)},
              {"nodes", NodesJson(tree)},
              {"places", places},
              {"leaves", LeavesJson(tree)},
              {"ends", nullptr}};
  if (!tree.node_sums.empty()) {
    out["ends"] = {{"nodes", EndsJson(tree.node_sums)}, {"places", EndsJson(tree.place_sums)}};
  }
  return out;
}

// Live bytes; but the peak where most of it was freed by the end.
const char* OpeningMeasure(const profile::Measures& totals) {
  return Ranked(totals, By::kLive).v < 0.25 * Ranked(totals, By::kPeak).v ? "peak" : "live";
}

std::string Command(const Profile& profile) {
  std::string out;
  for (const std::string& word : profile.argv) out += (out.empty() ? "" : " ") + word;
  return out;
}

Json HeadJson(const Profile& profile) {
  return {{"name", ImageName(profile)},
          {"pid", profile.pid},
          {"command", Command(profile)},
          {"exe", profile.exe},
          {"mode", profile.mode},
          {"period_bytes", profile.period_bytes},
          {"measure", OpeningMeasure(profile.totals)}};
}

Json MergedJson(const std::vector<const Profile*>& all, const Wording& wording, StringTable* strings) {
  const CallTree tree = BuildCallTree(all, wording, strings);
  Json out = {{"name", "all " + std::to_string(all.size()) + " images"}, {"pid", 0}, {"command", ""}, {"exe", ""}};
  out["mode"] = "";
  out["period_bytes"] = 0;
  out["measure"] = OpeningMeasure(tree.totals);
  out.update(TreeJson(tree));
  return out;
}

// Largest first, by what the page opens on.
std::vector<const Profile*> Ordered(const std::vector<Profile>& profiles) {
  profile::Measures sum;
  std::vector<const Profile*> out;
  for (const Profile& profile : profiles) {
    sum += profile.totals;
    out.push_back(&profile);
  }
  const By by = std::string(OpeningMeasure(sum)) == "peak" ? By::kPeak : By::kLive;
  std::stable_sort(out.begin(), out.end(), [by](const Profile* a, const Profile* b) {
    return Ranked(a->totals, by).v > Ranked(b->totals, by).v;
  });
  return out;
}

std::string ForScript(const Json& json) {
  const std::string text = json.dump(-1, ' ', true, Json::error_handler_t::replace);
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c == '<') {  // stands in strings only
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string FlameData(const std::vector<Profile>& profiles, const Wording& wording) {
  StringTable strings;
  Json measures = Json::array(), list = Json::array();
  for (const MeasureName& measure : kMeasures) {
    measures.push_back({{"name", measure.name}, {"title", measure.title}, {"bytes", analysis::RanksBytes(measure.by)}});
  }
  const std::vector<const Profile*> ordered = Ordered(profiles);
  if (ordered.size() > 1) list.push_back(MergedJson(ordered, wording, &strings));
  for (size_t at = 0; at < std::min(ordered.size(), kMostImages); ++at) {
    list.push_back(HeadJson(*ordered[at]));
    list.back().update(TreeJson(BuildCallTree({ordered[at]}, wording, &strings)));
  }
  Json data = {{"measures", measures}, {"open", ordered.size() > 1 ? 1 : 0}, {"strings", strings.strings()}};
  data["profiles"] = std::move(list);
  return ForScript(data);
}

}  // namespace heaptally::exporters
