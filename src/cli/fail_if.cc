#include "cli/fail_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "cli/frame_names.h"
#include "cli/measure_option.h"
#include "cli/message.h"
#include "cli/render_changes.h"
#include "cli/render_places.h"
#include "cli/suggest.h"
#include "cli/units.h"
#include "profile/estimates.h"

namespace heaptally::cli {
namespace {

using analysis::By;
using profile::Profile;

struct MeasureWord {
  const char* word;
  Measured measured;
};
constexpr MeasureWord kWords[] = {{"live", Measured::kLive},           {"peak", Measured::kPeak},
                                  {"churn", Measured::kChurn},         {"allocated", Measured::kChurn},
                                  {"calls", Measured::kCalls},         {"allocations", Measured::kCalls},
                                  {"temporary", Measured::kTemporary}, {"objects", Measured::kObjects}};
constexpr const char* kExample = "--fail-if 'live > 100 MiB' (or peak, churn, calls, temporary, objects; >, >=, <, <=)";

bool IsBytes(Measured measured) {
  return measured == Measured::kLive || measured == Measured::kPeak || measured == Measured::kChurn;
}

By ByOf(Measured measured) {
  switch (measured) {
    case Measured::kPeak:
      return By::kPeak;
    case Measured::kChurn:
      return By::kChurn;
    case Measured::kCalls:
      return By::kCalls;
    case Measured::kTemporary:
      return By::kTemporary;
    default:
      return By::kLive;
  }
}

// Reads the text from the front and remembers where it is.
class Scanner {
 public:
  explicit Scanner(const std::string& text) : text_(text) { SkipBlanks(); }
  std::string Word() { return Take([](char one) { return std::isalpha(static_cast<unsigned char>(one)) != 0; }); }
  std::string Sign() { return Take([](char one) { return one == '<' || one == '>' || one == '=' || one == '!'; }); }
  std::string Rest() {
    std::string rest = text_.substr(at_);
    while (!rest.empty() && rest.back() == ' ') rest.pop_back();
    return rest;
  }
  std::string Fault(const std::string& why, size_t at) const {
    return fmt::format("--fail-if '{}': {}, at character {} ({})", text_, why, at + 1,
                       at < text_.size() ? "\"" + text_.substr(at) + "\"" : "its end");
  }
  size_t at() const { return at_; }

 private:
  template <typename Belongs>
  std::string Take(Belongs belongs) {
    const size_t from = at_;
    while (at_ < text_.size() && belongs(text_[at_])) ++at_;
    std::string taken = text_.substr(from, at_ - from);
    SkipBlanks();
    return taken;
  }
  void SkipBlanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  const std::string& text_;
  size_t at_ = 0;
};

// The unit's factor; 0: there is no such unit.
double Factor(const std::string& unit, bool bytes) {
  if (unit.empty()) return 1;
  uint64_t factor = 0;
  if (bytes) return ParseBytes("1" + unit, &factor) || (unit == "B" && (factor = 1)) ? static_cast<double>(factor) : 0;
  return unit == "k" || unit == "K" ? 1e3 : unit == "M" ? 1e6 : unit == "G" ? 1e9 : 0;
}

bool SetMeasure(const std::string& word, Condition* condition) {
  for (const MeasureWord& known : kWords) {
    if (word != known.word) continue;
    condition->measured = known.measured;
    return true;
  }
  return false;
}

std::string UnknownMeasure(const std::string& word) {
  std::vector<std::string> words;
  for (const MeasureWord& known : kWords) words.emplace_back(known.word);
  const std::string nearest = Nearest(word, words);
  return word.empty() ? "a measure is expected"
                      : "there is no measure \"" + word + "\"" + (nearest.empty() ? "" : " (" + nearest + "?)");
}

// Sums, or the largest peak.
sampling::Estimate Of(const std::vector<Profile>& profiles, Measured measured) {
  profile::Measures sum;
  sampling::Estimate peak;
  for (const Profile& profile : profiles) {
    sum += profile.totals;
    const sampling::Estimate one = analysis::ProcessPeak(profile.totals);
    if (one.v >= peak.v) peak = one;
  }
  if (measured == Measured::kPeak) return peak;
  if (measured == Measured::kObjects) return profile::ObjectsEstimate(sum, sum.live.objects);
  return analysis::Ranked(sum, ByOf(measured));
}

double PercentOf(const std::vector<Profile>& profiles, double part) {
  const double calls = Of(profiles, Measured::kCalls).v;
  return calls > 0 ? part / calls * 100 : 0;
}

std::string ValueWords(const Condition& condition, const sampling::Estimate& estimate) {
  return WithInterval(estimate, IsBytes(condition.measured));
}

// "; most: cache_insert cache.c:88 (64.0 MiB), ...".
std::string Holders(const std::vector<Profile>& profiles, By by) {
  constexpr size_t kMost = 3;
  std::vector<const Profile*> all;
  for (const Profile& profile : profiles) all.push_back(&profile);
  const std::vector<analysis::Place> places = RankPlaces(all, by, ReportTaste());
  std::vector<std::string> words;
  for (size_t i = 0; i < std::min(places.size(), kMost); ++i) {
    const analysis::Place& place = places[i];
    words.push_back(fmt::format("{} ({})",
                                place.has_frame ? ShownName(place.frame) + " " + ShownPlace(place.frame) : place.unnamed,
                                WithInterval(Ranked(place.sum, by), analysis::RanksBytes(by))));
  }
  return words.empty() ? "" : fmt::format("; most of it: {}", fmt::join(words, ", "));
}

std::string Changers(const std::vector<analysis::PlaceChange>& ranked, By by) {
  constexpr size_t kMost = 3;
  std::vector<std::string> words;
  for (size_t i = 0; i < std::min(ranked.size(), kMost); ++i) {
    const analysis::PlaceChange& place = ranked[i];
    words.push_back(fmt::format("{} ({})", PlaceWords(place), ChangeWords(place.change, analysis::RanksBytes(by), {})));
  }
  return words.empty() ? "" : fmt::format("; most of it: {}", fmt::join(words, ", "));
}

}  // namespace

std::optional<Condition> ParseCondition(const std::string& text, ConditionOn on, std::string* error) {
  Condition condition = {.text = text};
  Scanner scanner(text);
  size_t at = scanner.at();
  const auto fail = [&](const std::string& why) {
    *error = scanner.Fault(why, at);
    return std::nullopt;
  };
  const std::string word = scanner.Word();
  if (!SetMeasure(word, &condition)) return fail(UnknownMeasure(word));
  at = scanner.at();
  const std::string sign = scanner.Sign();
  if (sign != ">" && sign != ">=" && sign != "<" && sign != "<=") return fail("one of > >= < <= is expected");
  condition.greater = sign[0] == '>';
  condition.or_equal = sign.size() == 2;
  at = scanner.at();
  const bool minus = on == ConditionOn::kDifference && scanner.Rest().starts_with("-");
  const std::string number = minus ? scanner.Rest().substr(1) : scanner.Rest();
  const auto [end, fault] = std::from_chars(number.data(), number.data() + number.size(), condition.value);
  if (fault != std::errc() || !std::isfinite(condition.value) || condition.value < 0) return fail("a number is expected");
  if (minus) condition.value = -condition.value;
  std::string unit(end, number.data() + number.size());
  unit.erase(0, unit.find_first_not_of(' ') == std::string::npos ? unit.size() : unit.find_first_not_of(' '));
  at = text.size() - (scanner.Rest().empty() ? 0 : unit.size());
  if (unit == "%") {
    condition.percent = true;
    if (on == ConditionOn::kReport && condition.measured != Measured::kTemporary)
      return fail("% has a meaning for temporary alone (a share of the calls), or in heaptally diff");
    return condition;
  }
  const double factor = Factor(unit, IsBytes(condition.measured));
  if (factor == 0) return fail(IsBytes(condition.measured) ? "there is no such unit of bytes" : "there is no such unit of a count");
  condition.value *= factor;
  return condition;
}

bool Holds(const Condition& condition, double lo, double hi, bool hi_known) {
  if (condition.greater) return condition.or_equal ? lo >= condition.value : lo > condition.value;
  return hi_known && (condition.or_equal ? hi <= condition.value : hi < condition.value);
}

void FailIf::AddOption(CLI::App* app) {
  app->add_option("--fail-if", texts_,
                  "exit with 123 if this holds, as 'live > 100 MiB'; of a sampled number, its whole interval must; "
                  "may be given several times (heaptally help fail-if)")
      ->type_name("CONDITION")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

int FailIf::Parse(ConditionOn on) {
  for (const std::string& text : texts_) {
    std::string error;
    const auto condition = ParseCondition(text, on, &error);
    if (!condition) return Complain(error, kExample);
    conditions_.push_back(*condition);
  }
  return -1;
}

int FailIf::Check(const std::vector<Profile>& profiles) const {
  int status = 0;
  for (const Condition& condition : conditions_) {
    if (condition.measured != Measured::kObjects && !CheckKnown(profiles, ByOf(condition.measured))) return kOurFailure;
    sampling::Estimate estimate = Of(profiles, condition.measured);
    const std::string shown =
        condition.percent ? fmt::format("{:.3g} % of the calls", PercentOf(profiles, estimate.v)) : ValueWords(condition, estimate);
    const double lo = condition.percent ? PercentOf(profiles, estimate.lo) : estimate.lo;
    const double hi = condition.percent ? PercentOf(profiles, estimate.hi) : estimate.hi;
    if (!Holds(condition, lo, hi, estimate.hi_known)) continue;
    status = kConditionHolds;
    Complain(fmt::format("--fail-if '{}' holds: it is {}{}", condition.text, shown,
                         condition.greater ? Holders(profiles, ByOf(condition.measured)) : ""),
             "heaptally report on the capture shows where; or another bound");
  }
  return status;
}

int FailIf::CheckDifference(const std::vector<Profile>& before, const std::vector<Profile>& after) const {
  int status = 0;
  for (const Condition& condition : conditions_) {
    const By by = ByOf(condition.measured);
    if (condition.measured != Measured::kObjects && !(CheckKnown(before, by) && CheckKnown(after, by))) return kOurFailure;
    const bool bytes = IsBytes(condition.measured);
    const analysis::Changes changes = Compare(before, after, by, ReportTaste());
    sampling::Change change = condition.measured == Measured::kObjects ? changes.total.beside : changes.total.change;
    std::string shown = ChangeWords(change, bytes, {});
    if (condition.percent) {
      const double base = changes.total.before.v;
      const double factor = base > 0 ? 100 / base : change.v > 0 ? INFINITY : 0;
      change.lo = change.lo == 0 ? 0 : change.lo * factor;
      change.hi = change.hi == 0 ? 0 : change.hi * factor;
      if (base > 0) shown += fmt::format(", {:+.3g} %", change.v * factor);
    }
    if (!Holds(condition, change.lo_known ? change.lo : -INFINITY, change.hi, change.hi_known)) continue;
    status = kConditionHolds;
    Complain(fmt::format("--fail-if '{}' holds: it changed by {}{}", condition.text, shown,
                         condition.greater ? Changers(changes.ranked, by) : ""),
             "heaptally diff without --fail-if shows all; or another bound");
  }
  return status;
}

}  // namespace heaptally::cli
