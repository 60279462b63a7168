#include "cli/moment_choice.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "cli/message.h"
#include "cli/render_places.h"
#include "cli/text.h"
#include "cli/text_table.h"
#include "profile/estimates.h"

namespace heaptally::cli {
namespace {

bool Exists(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0;
}

double SecondsOf(const store::Moment& moment, uint64_t start) {
  return moment.taken_unix_ns > start ? static_cast<double>(moment.taken_unix_ns - start) / 1e9 : 0;
}

const store::Moment* Nearest(const std::vector<store::Moment>& moments, double seconds) {
  const uint64_t start = StartOf(moments);
  return &*std::min_element(moments.begin(), moments.end(), [&](const store::Moment& a, const store::Moment& b) {
    return std::abs(SecondsOf(a, start) - seconds) < std::abs(SecondsOf(b, start) - seconds);
  });
}

}  // namespace

NamedMoment SplitMoment(const std::string& what) {
  const size_t at = what.rfind('@');
  if (at == std::string::npos || at == 0 || Exists(what)) return {what, ""};
  return {what.substr(0, at), what.substr(at + 1)};
}

uint64_t StartOf(const std::vector<store::Moment>& moments) {
  uint64_t start = UINT64_MAX;
  for (const store::Moment& moment : moments) {
    for (const profile::Profile& image : moment.images) start = std::min(start, image.started_unix_ns);
  }
  return start;
}

std::optional<uint64_t> ChooseMoment(const std::vector<store::Moment>& moments, const std::string& at,
                                     std::string* error, std::string* what_works) {
  *what_works = "12.5s (after the start), 3 (the third moment), first or last; report FILE --moments lists them";
  if (moments.empty()) {
    *error = "the capture holds no moment";
    return std::nullopt;
  }
  if (at == "first") return moments.front().number;
  if (at == "last") return moments.back().number;
  double seconds = 0;
  if (at == "0s") return moments.front().number;
  if (ParseDuration(at, &seconds)) return Nearest(moments, seconds)->number;
  uint64_t number = 0;
  const auto [end, fault] = std::from_chars(at.data(), at.data() + at.size(), number);
  if (fault != std::errc() || end != at.data() + at.size()) {
    *error = "\"" + at + "\" names no moment of a capture";
    return std::nullopt;
  }
  for (const store::Moment& moment : moments) {
    if (moment.number == number) return number;
  }
  *error = fmt::format("there is no moment {}: the capture has {}", number, moments.size());
  return std::nullopt;
}

std::string BeyondTheLast(const std::vector<store::Moment>& moments, const std::string& at) {
  constexpr double kSlack = 0.5;  // what one types is rounded
  double seconds = 0;
  if (moments.empty() || at == "first" || at == "last" || !ParseDuration(at, &seconds)) return "";
  const double last = SecondsOf(moments.back(), StartOf(moments));
  if (seconds <= last + kSlack) return "";
  return fmt::format("the last moment of the capture is {} after the start: that is shown", FormatDuration(last));
}

std::string RenderMoments(const std::vector<store::Moment>& moments, size_t width, NumberStyle style) {
  TextTable table({{.title = "moment", .right = true},
                   {.title = "after", .right = true},
                   {.title = "processes", .right = true},
                   {.title = "live", .right = true},
                   {.title = "objects", .right = true},
                   {.title = "churn", .right = true},
                   {.title = "calls", .right = true}},
                  2);
  const uint64_t start = StartOf(moments);
  for (const store::Moment& moment : moments) {
    profile::Measures sum;
    for (const profile::Profile& image : moment.images) sum += image.totals;
    table.Add({std::to_string(moment.number), FormatDuration(SecondsOf(moment, start)),
               std::to_string(moment.images.size()),
               WithInterval(profile::BytesEstimate(sum, sum.live.bytes), true, style),
               FormatCount(sum.live.objects.value(), style), FormatBytes(sum.allocated.bytes.value(), style),
               FormatCount(sum.allocated.objects.value(), style)});
  }
  return table.Render(width);
}

int ListMoments(const std::vector<std::string>& files, const std::string& what_works, NumberStyle style) {
  const size_t width = std::max<size_t>(TerminalWidth(STDOUT_FILENO), 60);
  for (const std::string& file : files) {
    std::string error;
    const auto moments = store::ReadMoments(file, &error);
    if (!moments) return Complain(error, what_works);
    if (files.size() > 1) std::fputs((Printable(file) + "\n").c_str(), stdout);
    std::fputs(RenderMoments(*moments, width, style).c_str(), stdout);
  }
  return 0;
}

}  // namespace heaptally::cli
