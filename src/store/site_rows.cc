#include "store/site_rows.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

#include "profile/estimates.h"

namespace heaptally::store {
namespace {

using profile::Measures;
using profile::Profile;
using profile::Site;
using profile::SourceFrame;

constexpr size_t kStackFrames = 12;

// A source frame and the machine frame that it belongs to.
struct Named {
  const SourceFrame* source;
  const profile::Frame* frame;
};

std::vector<Named> NamedFrames(const Profile& profile, const Site& site, size_t limit) {
  std::vector<Named> named;
  for (const uint32_t id : site.frames) {
    if (id >= profile.sources.size() || id >= profile.frames.size()) continue;
    for (const SourceFrame& source : profile.sources[id]) {
      if (named.size() == limit) return named;
      named.push_back({&source, &profile.frames[id]});
    }
  }
  return named;
}

// The innermost frame that is worth showing, else the innermost.
size_t PlaceOf(const std::vector<Named>& frames, const WriteOptions& options) {
  for (size_t i = 0; options.is_plumbing && i < frames.size(); ++i) {
    const std::string& function = frames[i].source->function;
    if (!function.empty() && !options.is_plumbing(function)) return i;
  }
  return 0;
}

std::string ModulePath(const Profile& profile, const profile::Frame& frame) {
  return frame.module < profile.modules.size() ? profile.modules[frame.module].path : "";
}

std::string StackText(const Site& site, const std::vector<Named>& frames) {
  std::string text;
  for (size_t i = 0; i < std::min(frames.size(), kStackFrames); ++i) {
    if (i > 0) text += " < ";
    text += frames[i].source->function.empty() ? "?" : frames[i].source->function;
  }
  if (frames.size() > kStackFrames) text += " < ...";
  return site.other ? "(other)" : text;
}

void BindPlace(const Profile& profile, const Site& site, const WriteOptions& options, Statement* row) {
  const std::vector<Named> frames = NamedFrames(profile, site, 64);
  row->Text(site.memory_class);
  if (frames.empty()) {
    row->Null().Null().Null();
    const bool known = !site.frames.empty() && site.frames[0] < profile.frames.size();
    row->Text(known ? ModulePath(profile, profile.frames[site.frames[0]]) : "").Text(StackText(site, frames));
    return;
  }
  const Named& place = frames[PlaceOf(frames, options)];
  row->Text(place.source->function).Text(place.source->file).Integer(place.source->line);
  row->Text(ModulePath(profile, *place.frame)).Text(StackText(site, frames));
}

void BindMeasures(const Site& site, Statement* row) {
  const Measures& m = site.measures;
  const auto live = profile::BytesEstimate(m, m.live.bytes), churn = profile::BytesEstimate(m, m.allocated.bytes);
  const auto bytes = [&](double number) { m.bytes_known ? row->Real(number) : row->Null(); };
  bytes(live.v), bytes(live.lo), bytes(live.hi);
  row->Real(m.live.objects.value());
  bytes(m.peak.bytes.value()), bytes(churn.v), bytes(churn.lo), bytes(churn.hi);
  row->Real(m.allocated.objects.value()).Real(m.freed.objects.value());
  row->Real(m.reallocs.value()).Real(m.temporary.value());
  site.oldest_ns ? row->Integer(*site.oldest_ns) : row->Null();
}

}  // namespace

std::vector<uint32_t> FirstSites(const Profile& profile, size_t count) {
  using Key = std::function<double(const Measures&)>;
  const Key keys[] = {[](const Measures& m) { return m.live.bytes.value(); },
                      [](const Measures& m) { return m.peak.bytes.value(); },
                      [](const Measures& m) { return m.allocated.bytes.value(); },
                      [](const Measures& m) { return m.allocated.objects.value(); }};
  std::set<uint32_t> chosen;
  std::vector<std::pair<double, uint32_t>> order(profile.sites.size());
  const auto shown = static_cast<std::ptrdiff_t>(std::min(count, order.size()));
  for (const Key& key : keys) {
    for (uint32_t i = 0; i < order.size(); ++i) order[i] = {-key(profile.sites[i].measures), i};
    std::partial_sort(order.begin(), order.begin() + shown, order.end());
    for (std::ptrdiff_t i = 0; i < shown && order[static_cast<size_t>(i)].first < 0; ++i) {
      chosen.insert(order[static_cast<size_t>(i)].second);
    }
  }
  return {chosen.begin(), chosen.end()};
}

bool WriteSiteRows(Database* database, uint64_t snapshot, const Profile& profile, const WriteOptions& options) {
  Statement row(database, "INSERT OR REPLACE INTO site_row VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  for (const uint32_t index : FirstSites(profile, options.rows)) {
    const Site& site = profile.sites[index];
    row.Integer(snapshot).Integer(site.id);
    BindPlace(profile, site, options, &row);
    BindMeasures(site, &row);
    if (row.Step() != Statement::Result::kDone) return false;
    row.Reset();
  }
  return true;
}

}  // namespace heaptally::store
