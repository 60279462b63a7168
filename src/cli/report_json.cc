#include "cli/report_json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "profile/estimates.h"
#include "symbols/display.h"

namespace heaptally::cli {
namespace {

using Json = nlohmann::ordered_json;
using profile::Amount;
using profile::Measures;
using profile::Profile;
using profile::Site;
using sampling::Estimate;

constexpr uint64_t kLargestInteger = uint64_t{1} << 63;

Json Integer(uint64_t number) {
  if (number > kLargestInteger) return std::to_string(number);
  return number;
}

Json Integer(double number) {
  if (!(number > 0)) return 0;
  return number < 1.8e19 ? Integer(static_cast<uint64_t>(std::llround(std::min(number, 9.2e18)))) : Integer(UINT64_MAX);
}

template <typename Number>
Json OrNull(const std::optional<Number>& number) {
  return number ? Json(*number) : Json(nullptr);
}

Json OrNull(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

// Exact numbers are taken from the amount itself: a double holds whole numbers up to 2^53 only.
Json EstimateJson(const Amount& amount, const Estimate& estimate, bool countable) {
  if (!estimate.known) return nullptr;
  if (estimate.exact) {
    const Json number = Integer(amount.proven);
    return {{"v", number}, {"lo", number}, {"hi", number}, {"n", nullptr}};
  }
  Json json = {
      {"v", Integer(estimate.v)}, {"lo", Integer(std::floor(estimate.lo))}, {"hi", nullptr}, {"n", estimate.n}};
  if (estimate.hi_known) json["hi"] = Integer(std::ceil(estimate.hi));
  if (countable)
    json["floor"] = estimate.floor_bytes == sampling::kNoFloor ? Json(nullptr) : Json(estimate.floor_bytes);
  return json;
}

Json Bytes(const Measures& m, const Amount& amount) {
  return EstimateJson(amount, profile::BytesEstimate(m, amount), false);
}

Json Objects(const Measures& m, const Amount& amount) {
  return EstimateJson(amount, profile::ObjectsEstimate(m, amount), true);
}

void AddMeasures(const Measures& m, Json* json) {
  (*json)["allocations"] = Objects(m, m.allocated.objects);
  (*json)["allocated_bytes"] = Bytes(m, m.allocated.bytes);
  (*json)["frees"] = Objects(m, m.freed.objects);
  (*json)["freed_bytes"] = Bytes(m, m.freed.bytes);
  (*json)["reallocs"] = Objects(m, m.reallocs);
  (*json)["reallocs_in_place"] = Objects(m, m.reallocs_in_place);
  (*json)["live_objects"] = Objects(m, m.live.objects);
  (*json)["live_bytes"] = Bytes(m, m.live.bytes);
  (*json)["peak_live_objects"] = EstimateJson(m.peak.objects, profile::PeakObjectsEstimate(m), true);
  (*json)["peak_live_bytes"] = EstimateJson(m.peak.bytes, profile::PeakBytesEstimate(m), false);
  (*json)["temporary"] = Objects(m, m.temporary);
}

Json HistogramJson(const std::vector<profile::Bucket>& buckets, const Measures& measures, bool of_sizes) {
  Json json = Json::array();
  for (const profile::Bucket& bucket : buckets) {
    Json objects = Integer(bucket.objects.proven);
    if (!profile::IsExact(measures)) {
      const uint64_t floor_bytes = of_sizes ? bucket.from : measures.floor_bytes;
      objects = EstimateJson(bucket.objects, profile::BucketEstimate(measures, bucket.objects, floor_bytes), true);
    }
    json.push_back({Integer(bucket.from), Integer(bucket.to), objects});
  }
  return json;
}

Json FrameJson(const Profile& profile, const profile::Frame& frame, const profile::SourceFrame& source) {
  Json json = {{"function", OrNull(source.function)}, {"file", OrNull(source.file)}};
  json["line"] = source.line == 0 ? Json(nullptr) : Json(source.line);
  json["inlined"] = source.inlined;
  const bool known = frame.module < profile.modules.size();
  json["module"] = known ? OrNull(profile.modules[frame.module].path) : Json(nullptr);
  json["build_id"] = known ? OrNull(profile.modules[frame.module].build_id) : Json(nullptr);
  json["address"] = Integer(frame.address + (known ? profile.modules[frame.module].bias : 0));
  json["offset"] = known ? Integer(frame.address) : Json(nullptr);
  json["why"] = source.function.empty() ? OrNull(source.why) : Json(nullptr);
  return json;
}

// Leaf first. Only frames at the leaf are an allocator's own: one further out (a malloc hook that allocates) is a
// caller.
Json FramesJson(const Profile& profile, const Site& site, bool full) {
  static const std::vector<profile::SourceFrame> kUnnamed = {{"", "", 0, false, "not symbolised"}};
  Json shown = Json::array(), all = Json::array();
  bool at_leaf = !full;
  for (const uint32_t id : site.frames) {
    if (id >= profile.frames.size()) continue;
    const bool named = id < profile.sources.size() && !profile.sources[id].empty();
    for (const profile::SourceFrame& source : named ? profile.sources[id] : kUnnamed) {
      at_leaf = at_leaf && symbols::IsAllocatorFrame(source.function);
      (at_leaf ? all : shown).push_back(FrameJson(profile, profile.frames[id], source));
    }
  }
  return shown.empty() ? all : shown;
}

Json SiteJson(const Profile& profile, const Site& site, bool full) {
  Json json = {{"id", site.id}, {"class", site.memory_class}, {"truncated", site.truncated}};
  json["thread"] = OrNull(site.thread);
  if (site.truncated) json["truncated_why"] = site.truncated_why;
  if (site.other) json["other"] = true;
  if (site.torn) json["torn"] = true;
  json["frames"] = FramesJson(profile, site, full);
  AddMeasures(site.measures, &json);
  json["size_histogram"] = HistogramJson(site.sizes, site.measures, true);
  json["lifetime_ns_histogram"] = HistogramJson(site.lifetimes_ns, site.measures, false);
  json["oldest_ns"] = OrNull(site.oldest_ns);
  return json;
}

std::vector<uint32_t> RankedSites(const Profile& profile, const ReportJsonOptions& options) {
  std::vector<Estimate> estimates;
  for (const Site& site : profile.sites) estimates.push_back(analysis::Ranked(site.measures, options.by));
  std::vector<uint32_t> order(profile.sites.size());
  std::iota(order.begin(), order.end(), 0);
  const size_t shown = std::min(options.limit, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
                    [&](uint32_t a, uint32_t b) {
                      if (sampling::RanksBefore(estimates[a], estimates[b])) return true;
                      return !sampling::RanksBefore(estimates[b], estimates[a]) && a < b;
                    });
  order.resize(shown);
  return order;
}

const char* StateName(profile::State state) {
  switch (state) {
    case profile::State::kRunning:
      return "running";
    case profile::State::kExited:
      return "exited";
    case profile::State::kKilled:
      return "killed";
    case profile::State::kExecd:
      return "exec'd";
    default:
      return "unknown";
  }
}

Json HeadJson(const Profile& profile) {
  Json json = {{"pid", profile.pid}, {"ppid", profile.parent_pid}, {"image", profile.image}};
  json["exe"] = profile.exe;
  json["argv"] = profile.argv;
  json["host"] = profile.host;
  json["layer"] = profile.layer;
  json["mode"] = profile.mode;
  json["origin"] = profile.origin;
  json["period_bytes"] = profile.period_bytes == 0 ? Json(nullptr) : Integer(profile.period_bytes);
  json["period_calls"] = profile.period_calls == 0 ? Json(nullptr) : Integer(profile.period_calls);
  json["started_ns"] = Integer(profile.started_unix_ns);
  json["taken_ns"] = Integer(profile.taken_unix_ns);
  json["state"] = StateName(profile.state);
  json["exit"] = {{"status", OrNull(profile.exit.status)},
                  {"signal", OrNull(profile.exit.signal)},
                  {"oom", OrNull(profile.exit.oom)}};
  json["threads"] = profile.threads == 0 ? Json(nullptr) : Json(profile.threads);
  AddMeasures(profile.totals, &(json["totals"] = Json::object()));
  Measures mapped;
  bool any = false;
  for (const Site& site : profile.sites) {
    if (site.memory_class != "mapped") continue;
    mapped += site.measures;
    any = true;
  }
  json["totals_mapped"] = nullptr;
  if (any) AddMeasures(mapped, &(json["totals_mapped"] = Json::object()));
  json["sites_total"] = profile.sites.size();
  return json;
}

Json TailJson(const Profile& profile) {
  const profile::Coverage& seen = profile.coverage;
  Json json;
  json["coverage"] = {{"rss_bytes", OrNull(seen.rss_bytes)},
                      {"heap_live_bytes", Bytes(profile.totals, profile.totals.live.bytes)},
                      {"allocator_kept_bytes", OrNull(seen.allocator_kept_bytes)},
                      {"mapped_resident_bytes", OrNull(seen.mapped_resident_bytes)},
                      {"stacks_bytes", OrNull(seen.stacks_bytes)},
                      {"files_bytes", OrNull(seen.files_bytes)},
                      {"own_bytes", OrNull(seen.own_bytes)},
                      {"unexplained_bytes", OrNull(seen.unexplained_bytes)},
                      {"as_of_ns", OrNull(seen.as_of_unix_ns)}};
  json["peak_moments_ns"] = profile.peak_moments_unix_ns;
  json["peak_batch_bytes"] = Integer(profile.peak_batch_bytes);
  json["unattributed"] = {{"objects", Integer(profile.unattributed_objects)},
                          {"bytes", Integer(profile.unattributed_bytes)}};
  json["unknown_frees"] = Integer(profile.unknown_frees);
  json["inherited_bytes"] = Integer(profile.inherited_bytes);
  json["segment_bytes"] = Integer(profile.own_bytes);
  json["loss"] = Json::object();
  for (const auto& [reason, events] : profile.loss) json["loss"][reason] = Integer(events);
  json["notes"] = profile.notes;
  return json;
}

std::string Text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// The members of an object without its braces.
std::string Members(const Json& object) {
  const std::string text = Text(object);
  return text.substr(1, text.size() - 2);
}

void AppendProfile(const Profile& profile, const ReportJsonOptions& options, std::string* out) {
  *out += "{" + Members(HeadJson(profile)) + ",\"sites\":[";
  const char* separator = "\n";
  for (const uint32_t index : RankedSites(profile, options)) {
    *out += separator + Text(SiteJson(profile, profile.sites[index], options.full));
    separator = ",\n";
  }
  *out += "],\n" + Members(TailJson(profile)) + "}";
}

}  // namespace

std::string ReportJson(const std::vector<Profile>& profiles, const ReportJsonOptions& options) {
  std::string out = "{\"schema\":1,\"profiles\":[";
  const char* separator = "\n";
  for (const Profile& profile : profiles) {
    out += separator;
    AppendProfile(profile, options, &out);
    separator = ",\n";
  }
  return out + "\n]}\n";
}

}  // namespace heaptally::cli
