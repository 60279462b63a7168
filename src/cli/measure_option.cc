#include "cli/measure_option.h"

#include "cli/message.h"
#include "cli/suggest.h"

namespace heaptally::cli {
namespace {

using analysis::By;

struct Measure {
  const char* name;
  By by;
  const char* words;
};

constexpr Measure kMeasures[] = {{"live", By::kLive, "live bytes"},
                                 {"peak", By::kPeak, "bytes live at the peak"},
                                 {"churn", By::kChurn, "allocated bytes"},
                                 {"calls", By::kCalls, "allocations"},
                                 {"temporary", By::kTemporary, "temporary allocations"}};

const Measure& Of(By by) {
  for (const Measure& measure : kMeasures) {
    if (measure.by == by) return measure;
  }
  return kMeasures[0];
}

}  // namespace

std::optional<By> ParseMeasure(const std::string& word) {
  for (const Measure& measure : kMeasures) {
    if (word == measure.name) return measure.by;
  }
  return std::nullopt;
}

std::optional<By> MeasureOption(const std::string& word) {
  if (const auto by = ParseMeasure(word)) return by;
  const std::string meant = MeantMeasure(word);
  const std::string nearest = meant.empty() ? Nearest(word, {"live", "peak", "churn", "calls", "temporary"}) : meant;
  Complain("there is no measure called \"" + word + "\"",
           nearest.empty() ? "--by live, peak, churn, calls or temporary" : "--by " + nearest);
  return std::nullopt;
}

bool CheckKnown(const std::vector<profile::Profile>& profiles, By by) {
  if (IsKnown(profiles, by)) return true;
  Complain(std::string("mode count counts calls, so ") + MeasureWords(by) + " are not known",
           "--by calls or --by temporary; heaptally run --mode per-class samples bytes and calls");
  return false;
}

const char* MeasureName(By by) { return Of(by).name; }
const char* MeasureWords(By by) { return Of(by).words; }

}  // namespace heaptally::cli
