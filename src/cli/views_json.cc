#include "cli/views_json.h"

#include <algorithm>
#include <map>

#include "analysis/groups.h"
#include "analysis/histograms.h"
#include "cli/frame_names.h"
#include "cli/json_sites.h"
#include "cli/measure_option.h"
#include "cli/render_groups.h"
#include "cli/report_site.h"
#include "cli/report_tree.h"

namespace heaptally::cli {
namespace {

using analysis::By;
using analysis::StackFrame;
using profile::Measures;
using profile::Profile;

void AppendOrNull(const std::string& text, std::string* out) { text.empty() ? void(*out += "null") : AppendText(text, out); }

// `,"name":{estimate}`
void AppendMeasure(const char* name, const Measures& measures, By by, std::string* out) {
  *out += std::string(",\"") + name + "\":";
  AppendEstimate(analysis::RankedAmount(measures, by), analysis::Ranked(measures, by), !analysis::RanksBytes(by), out);
}

// The members of a frame that trees, groups and places share. What stands where a frame is missing is `words` alone.
void AppendNames(const StackFrame& frame, std::string* out) {
  *out += "\"function\":";
  AppendOrNull(frame.function, out);
  *out += ",\"file\":";
  AppendOrNull(frame.file, out);
  *out += ",\"module\":";
  AppendOrNull(frame.module, out);
  if (frame.function.empty() && frame.words.empty()) {
    *out += ",\"offset\":";
    AppendInteger(frame.address, out);
  }
  if (!frame.words.empty()) {
    *out += ",\"words\":";
    AppendText(frame.words, out);
  }
}

std::string LineText(uint32_t line) { return line == 0 ? "null" : std::to_string(line); }

// A line for each node, parents before their children.
std::string TreeJson(const AskedTree& asked, bool top_down, double least_share) {
  std::string out = std::string("{\"kind\":\"") + (top_down ? "top-down" : "bottom-up") + "\",\"through\":[";
  for (const std::string& name : asked.through) {
    if (&name != asked.through.data()) out += ',';
    AppendText(name, &out);
  }
  out += "],\"min_share\":" + std::to_string(least_share * 100) + ",\"nodes\":[";
  const By by = asked.question.by;
  for (size_t at = 0; at < asked.tree.nodes.size(); ++at) {
    const analysis::TreeNode& node = asked.tree.nodes[at];
    out += at == 0 ? "\n{\"parent\":null" : ",\n{\"parent\":" + std::to_string(node.parent) + ",";
    if (at > 0) {
      AppendNames(asked.table[node.frame], &out);
      out += ",\"first_line\":" + LineText(node.first_line) + ",\"last_line\":" + LineText(node.last_line);
    }
    AppendMeasure("total", node.total, by, &out);
    AppendMeasure("self", node.self, by, &out);
    out += ",\"left_out\":" + std::to_string(node.left_out) + "}";
  }
  return out + "]}";
}

std::string GroupsJson(const std::vector<Profile>& profiles, const ReportOptions& options, By by) {
  const analysis::GroupBy group = GroupNamed(options.group);
  std::vector<const Profile*> all;
  for (const Profile& profile : profiles) all.push_back(&profile);
  const std::vector<analysis::Group> groups = RankGroups(all, group, by, ReportTaste(), options.full);
  const bool limited = options.limit_given && options.limit != 0;
  const size_t shown = limited ? std::min<size_t>(options.limit, groups.size()) : groups.size();
  std::string out = "{\"of\":\"" + options.group + "\",\"rows_total\":" + std::to_string(groups.size()) + ",\"rows\":[";
  for (size_t at = 0; at < shown; ++at) {
    out += at == 0 ? "\n{" : ",\n{";
    if (group == analysis::GroupBy::kFunction) {
      AppendNames(groups[at].frame, &out);
    } else {
      out += "\"name\":";
      AppendOrNull(groups[at].name, &out);
    }
    AppendMeasure("self", groups[at].self, by, &out);
    if (group != analysis::GroupBy::kThread) AppendMeasure("total", groups[at].total, by, &out);
    out += ",\"stacks\":" + std::to_string(groups[at].stacks) + "}";
  }
  return out + "]}";
}

void AppendHead(const AskedPlace& asked, std::string* out) {
  const analysis::Place& place = asked.place;
  *out += "{\"row\":" + std::to_string(asked.row) + ",\"frame\":";
  if (place.has_frame) {
    *out += '{';
    AppendNames(place.frame, out);
    *out += ",\"line\":" + LineText(place.frame.line) + "}";
  } else {
    *out += "null,\"unnamed\":";
    AppendText(place.unnamed, out);
  }
}

void AppendSums(const analysis::Place& place, By by, std::string* out) {
  std::vector<profile::Bucket> sizes, lifetimes;
  std::map<std::string, Measures> threads;
  for (const analysis::PlaceSite& one : place.sites) {
    analysis::AddHistogram(one.site->sizes, &sizes);
    analysis::AddHistogram(one.site->lifetimes_ns, &lifetimes);
    const auto [at, is_new] = threads.try_emplace(one.site->thread, one.site->measures);
    if (!is_new) at->second += one.site->measures;
  }
  *out += ',';
  AppendMeasures(place.sum, out);
  *out += ",\"size_histogram\":";
  AppendHistogram(sizes, place.sum, true, out);
  *out += ",\"lifetime_ns_histogram\":";
  AppendHistogram(lifetimes, place.sum, false, out);
  *out += ",\"oldest_ns\":";
  place.oldest_ns ? AppendInteger(*place.oldest_ns, out) : void(*out += "null");
  *out += ",\"threads\":[";
  for (const auto& [name, measures] : threads) {
    *out += out->back() == '[' ? "{\"name\":" : ",{\"name\":";
    AppendOrNull(name, out);
    AppendMeasure(MeasureName(by), measures, by, out);
    *out += '}';
  }
  *out += ']';
}

// Each with all of its stacks, which are sites with the pid that they are of.
std::string PlacesJson(const std::vector<AskedPlace>& places, const ReportOptions& options, By by) {
  std::map<const Profile*, SiteWriter> writers;
  std::string out = "[";
  for (const AskedPlace& asked : places) {
    out += out.size() == 1 ? "\n" : ",\n";
    AppendHead(asked, &out);
    AppendSums(asked.place, by, &out);
    out += ",\"sites\":[";
    const char* separator = "\n";
    for (const analysis::PlaceSite& one : asked.place.sites) {
      out += separator + std::string("{\"pid\":") + std::to_string(one.profile->pid) + ",\"site\":";
      writers.try_emplace(one.profile, *one.profile, options.full).first->second.Append(*one.site, &out);
      out += '}';
      separator = ",\n";
    }
    out += "]}";
  }
  return out + "]";
}

}  // namespace

std::optional<std::string> ViewMembers(const std::vector<Profile>& profiles, const ReportOptions& options, By by) {
  const std::string head = std::string("\"by\":\"") + MeasureName(by) + "\",";
  if (!options.site.empty()) {
    const auto places = FindPlaces(profiles, options.site, by);
    if (!places) return std::nullopt;
    return head + "\"places\":" + PlacesJson(*places, options, by) + ",\n";
  }
  if (options.asks_for_tree()) {
    const double least_share = options.min_share_given ? options.min_share / 100 : 0;
    const auto asked = AskTree(profiles, options, by, least_share);
    if (!asked) return std::nullopt;
    const bool top_down = asked->question.direction == analysis::TreeQuestion::Direction::kTopDown;
    return head + "\"tree\":" + TreeJson(*asked, top_down, least_share) + ",\n";
  }
  if (!options.asks_for_groups()) return "";
  return head + "\"groups\":" + GroupsJson(profiles, options, by) + ",\n";
}

}  // namespace heaptally::cli
