#include "cli/report_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/json_sites.h"
#include "profile/estimates.h"

namespace heaptally::cli {
namespace {

using Json = nlohmann::ordered_json;
using profile::Measures;
using profile::Profile;
using profile::Site;
using sampling::Estimate;

Json Integer(uint64_t number) {
  std::string text;
  AppendInteger(number, &text);
  return Json::parse(text);
}

template <typename Number>
Json OrNull(const std::optional<Number>& number) {
  return number ? Json(*number) : Json(nullptr);
}

Json MeasuresJson(const Measures& measures) {
  std::string text = "{";
  AppendMeasures(measures, &text);
  return Json::parse(text + "}");
}

Json LiveBytes(const Measures& totals, const profile::Amount& live) {
  std::string text;
  AppendEstimate(live, profile::BytesEstimate(totals, live), false, &text);
  return Json::parse(text);
}

// Those of the heap by rank, then those of class mapped: reserved bytes do not compete with blocks. The limit is of each.
std::vector<uint32_t> RankedSites(const Profile& profile, const ReportJsonOptions& options) {
  std::vector<Estimate> estimates;
  std::vector<uint32_t> heap, mapped;
  for (uint32_t index = 0; index < profile.sites.size(); ++index) {
    const Site& site = profile.sites[index];
    estimates.push_back(analysis::Ranked(site.measures, options.by));
    (site.mapped() ? mapped : heap).push_back(index);
  }
  for (std::vector<uint32_t>* order : {&heap, &mapped}) {
    const size_t shown = std::min(options.limit, order->size());
    std::partial_sort(order->begin(), order->begin() + static_cast<std::ptrdiff_t>(shown), order->end(),
                      [&](uint32_t a, uint32_t b) {
                        if (sampling::RanksBefore(estimates[a], estimates[b])) return true;
                        return !sampling::RanksBefore(estimates[b], estimates[a]) && a < b;
                      });
    order->resize(shown);
  }
  heap.insert(heap.end(), mapped.begin(), mapped.end());
  return heap;
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
  json["state"] = profile::StateName(profile.state);
  json["exit"] = {{"status", OrNull(profile.exit.status)},
                  {"signal", OrNull(profile.exit.signal)},
                  {"oom", OrNull(profile.exit.oom)}};
  json["threads"] = profile.threads == 0 ? Json(nullptr) : Json(profile.threads);
  json["totals"] = MeasuresJson(profile.totals);
  const bool any =
      std::any_of(profile.sites.begin(), profile.sites.end(), [](const Site& site) { return site.mapped(); });
  json["totals_mapped"] = any ? MeasuresJson(profile::MappedTotals(profile)) : Json(nullptr);
  json["sites_total"] = profile.sites.size();
  return json;
}

Json TailJson(const Profile& profile) {
  const profile::Coverage& seen = profile.coverage;
  Json json;
  json["coverage"] = {{"rss_bytes", OrNull(seen.rss_bytes)},
                      {"heap_live_bytes", LiveBytes(profile.totals, seen.heap_live.value_or(profile.totals.live.bytes))},
                      {"heap_resident_bytes", OrNull(seen.heap_resident_bytes)},
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

// Hands over what has gathered.
class Buffer {
 public:
  explicit Buffer(const std::function<void(std::string_view)>& write) : write_(write) {}
  ~Buffer() { write_(text); }
  void MayWrite() {
    constexpr size_t kEnough = 1 << 20;
    if (text.size() < kEnough) return;
    write_(text);
    text.clear();
  }
  std::string text;

 private:
  const std::function<void(std::string_view)>& write_;
};

void WriteProfile(const Profile& profile, const ReportJsonOptions& options, Buffer* out) {
  out->text += "{" + Members(HeadJson(profile)) + ",\"sites\":[";
  SiteWriter sites(profile, options.full);
  const char* separator = "\n";
  for (const uint32_t index : RankedSites(profile, options)) {
    out->text += separator;
    sites.Append(profile.sites[index], &out->text);
    out->MayWrite();
    separator = ",\n";
  }
  out->text += "],\n" + Members(TailJson(profile)) + "}";
}

}  // namespace

void WriteReportJson(const std::vector<Profile>& profiles, const ReportJsonOptions& options,
                     const std::function<void(std::string_view)>& write) {
  Buffer out(write);
  out.text = "{\"schema\":1," + options.members + "\"profiles\":[";
  const char* separator = "\n";
  for (const Profile& profile : profiles) {
    out.text += separator;
    WriteProfile(profile, options, &out);
    separator = ",\n";
  }
  out.text += "\n]}\n";
}

std::string ReportJson(const std::vector<Profile>& profiles, const ReportJsonOptions& options) {
  std::string out;
  WriteReportJson(profiles, options, [&](std::string_view text) { out += text; });
  return out;
}

}  // namespace heaptally::cli
