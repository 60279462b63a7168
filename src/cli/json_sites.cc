#include "cli/json_sites.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "profile/estimates.h"
#include "symbols/display.h"

namespace heaptally::cli {
namespace {

using profile::Amount;
using profile::Measures;
using sampling::Estimate;

constexpr uint64_t kLargestInteger = uint64_t{1} << 63;

uint64_t Whole(double number) {
  if (!(number > 0)) return 0;
  return number < 1.8e19 ? static_cast<uint64_t>(std::llround(std::min(number, 9.2e18))) : UINT64_MAX;
}

void AppendTextOrNull(const std::string& text, std::string* out) {
  if (text.empty()) {
    *out += "null";
  } else {
    AppendText(text, out);
  }
}

void AppendIntegerOrNull(const std::optional<uint64_t>& number, std::string* out) {
  if (number) {
    AppendInteger(*number, out);
  } else {
    *out += "null";
  }
}

void AppendExact(uint64_t number, std::string* out) {
  *out += "{\"v\":";
  AppendInteger(number, out);
  *out += ",\"lo\":";
  AppendInteger(number, out);
  *out += ",\"hi\":";
  AppendInteger(number, out);
  *out += ",\"n\":null}";
}

struct Member {
  const char* name;
  const Amount* amount;
  Estimate (*estimate)(const Measures&, const Amount&);
  bool countable;
};

Estimate PeakObjects(const Measures& measures, const Amount&) { return profile::PeakObjectsEstimate(measures); }
Estimate PeakBytes(const Measures& measures, const Amount&) { return profile::PeakBytesEstimate(measures); }

std::string FrameText(const profile::Profile& profile, const profile::Frame& frame,
                      const profile::SourceFrame& source) {
  std::string out = "{\"function\":";
  AppendTextOrNull(source.function, &out);
  out += ",\"file\":";
  AppendTextOrNull(source.file, &out);
  out += ",\"line\":" + (source.line == 0 ? "null" : std::to_string(source.line));
  out += source.inlined ? ",\"inlined\":true" : ",\"inlined\":false";
  const bool known = frame.module < profile.modules.size();
  out += ",\"module\":";
  AppendTextOrNull(known ? profile.modules[frame.module].path : "", &out);
  out += ",\"build_id\":";
  AppendTextOrNull(known ? profile.modules[frame.module].build_id : "", &out);
  out += ",\"address\":";
  AppendInteger(frame.address + (known ? profile.modules[frame.module].bias : 0), &out);
  out += ",\"offset\":";
  if (known) {
    AppendInteger(frame.address, &out);
  } else {
    out += "null";
  }
  out += ",\"why\":";
  AppendTextOrNull(source.function.empty() ? source.why : "", &out);
  return out + "}";
}

}  // namespace

void AppendText(const std::string& text, std::string* out) {
  const bool plain = std::all_of(text.begin(), text.end(),
                                 [](char one) { return one >= ' ' && one < 127 && one != '"' && one != '\\'; });
  if (plain) {
    *out += '"' + text + '"';
  } else {
    *out += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
}

void AppendInteger(uint64_t number, std::string* out) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  const bool quoted = number > kLargestInteger;
  if (quoted) *out += '"';
  out->append(digits, end);
  if (quoted) *out += '"';
}

// Exact numbers are taken from the amount itself: a double holds whole numbers up to 2^53 only.
void AppendEstimate(const Amount& amount, const Estimate& estimate, bool countable, std::string* out) {
  if (!estimate.known) {
    *out += "null";
    return;
  }
  if (estimate.exact) return AppendExact(amount.proven, out);
  *out += "{\"v\":";
  AppendInteger(Whole(estimate.v), out);
  *out += ",\"lo\":";
  AppendInteger(Whole(std::floor(estimate.lo)), out);
  *out += ",\"hi\":";
  if (estimate.hi_known) {
    AppendInteger(Whole(std::ceil(estimate.hi)), out);
  } else {
    *out += "null";
  }
  *out += ",\"n\":";
  AppendInteger(estimate.n, out);
  if (countable) {
    *out += ",\"floor\":";
    if (estimate.floor_bytes == sampling::kNoFloor) {
      *out += "null";
    } else {
      AppendInteger(estimate.floor_bytes, out);
    }
  }
  *out += '}';
}

void AppendHistogram(const std::vector<profile::Bucket>& buckets, const Measures& measures, bool of_sizes,
                     std::string* out) {
  *out += '[';
  for (const profile::Bucket& bucket : buckets) {
    *out += out->back() == '[' ? "[" : ",[";
    AppendInteger(bucket.from, out);
    *out += ',';
    AppendInteger(bucket.to, out);
    *out += ',';
    if (profile::IsExact(measures)) {
      AppendInteger(bucket.objects.proven, out);
    } else {
      const uint64_t floor_bytes = of_sizes ? bucket.from : measures.floor_bytes;
      AppendEstimate(bucket.objects, profile::BucketEstimate(measures, bucket.objects, floor_bytes), true, out);
    }
    *out += ']';
  }
  *out += ']';
}

void AppendMeasures(const Measures& m, std::string* out) {
  const Member members[] = {{"allocations", &m.allocated.objects, profile::ObjectsEstimate, true},
                            {"allocated_bytes", &m.allocated.bytes, profile::BytesEstimate, false},
                            {"frees", &m.freed.objects, profile::ObjectsEstimate, true},
                            {"freed_bytes", &m.freed.bytes, profile::BytesEstimate, false},
                            {"reallocs", &m.reallocs, profile::ObjectsEstimate, true},
                            {"reallocs_in_place", &m.reallocs_in_place, profile::ObjectsEstimate, true},
                            {"live_objects", &m.live.objects, profile::ObjectsEstimate, true},
                            {"live_bytes", &m.live.bytes, profile::BytesEstimate, false},
                            {"peak_live_objects", &m.peak.objects, PeakObjects, true},
                            {"peak_live_bytes", &m.peak.bytes, PeakBytes, false},
                            {"temporary", &m.temporary, profile::ObjectsEstimate, true}};
  const bool exact = profile::IsExact(m);
  const char* before = "\"";
  for (const Member& member : members) {
    *out += before;
    *out += member.name;
    *out += "\":";
    if (exact) {
      AppendExact(member.amount->proven, out);
    } else {
      AppendEstimate(*member.amount, member.estimate(m, *member.amount), member.countable, out);
    }
    before = ",\"";
  }
}

const std::vector<SiteWriter::FrameText>& SiteWriter::TextsOf(uint32_t frame) {
  static const std::vector<profile::SourceFrame> kUnnamed = {{"", "", 0, false, "not symbolised"}};
  std::vector<FrameText>& texts = texts_[frame];
  if (!texts.empty()) return texts;
  const bool named = frame < profile_.sources.size() && !profile_.sources[frame].empty();
  for (const profile::SourceFrame& source : named ? profile_.sources[frame] : kUnnamed)
    texts.push_back(
        {cli::FrameText(profile_, profile_.frames[frame], source), symbols::IsAllocatorFrame(source.function)});
  return texts;
}

// Leaf first. Only frames at the leaf are an allocator's own: one further out (a malloc hook that allocates) is a
// caller. A stack of nothing else is shown whole.
void SiteWriter::AppendFrames(const profile::Site& site, std::string* out) {
  for (const bool skip : {!full_, false}) {
    bool at_leaf = skip, any = false;
    for (const uint32_t frame : site.frames) {
      if (frame >= texts_.size()) continue;
      for (const FrameText& one : TextsOf(frame)) {
        at_leaf = at_leaf && one.allocator;
        if (at_leaf) continue;
        if (any) *out += ',';
        *out += one.text;
        any = true;
      }
    }
    if (any) return;
  }
}

void SiteWriter::Append(const profile::Site& site, std::string* out) {
  *out += "{\"id\":";
  AppendInteger(site.id, out);
  *out += ",\"class\":";
  AppendText(site.memory_class, out);
  *out += site.truncated ? ",\"truncated\":true" : ",\"truncated\":false";
  *out += ",\"thread\":";
  AppendTextOrNull(site.thread, out);
  if (site.truncated || !site.truncated_why.empty()) {
    *out += ",\"truncated_why\":";
    AppendText(site.truncated_why, out);
  }
  if (site.other) *out += ",\"other\":true";
  if (site.torn) *out += ",\"torn\":true";
  *out += ",\"frames\":[";
  AppendFrames(site, out);
  *out += "],";
  AppendMeasures(site.measures, out);
  *out += ",\"size_histogram\":";
  AppendHistogram(site.sizes, site.measures, true, out);
  *out += ",\"lifetime_ns_histogram\":";
  AppendHistogram(site.lifetimes_ns, site.measures, false, out);
  *out += ",\"oldest_ns\":";
  AppendIntegerOrNull(site.oldest_ns, out);
  if (site.mapped()) {
    *out += ",\"resident_bytes\":";
    AppendIntegerOrNull(profile_.coverage.ResidentOf(site.id), out);
  }
  *out += '}';
}

}  // namespace heaptally::cli
