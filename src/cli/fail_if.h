// `--fail-if 'live > 100 MiB'`: a condition that a build can be made to fail on.
//
//     condition := measure comparison value
//     measure   := live | peak | churn | allocated | calls | allocations | temporary | objects
//     comparison := > | >= | < | <=
//     value     := number [K | M | G | KiB | MiB | GiB | k | %]       bytes for live, peak and churn, else a count
//
// Of several processes live, churn, calls, temporary and objects are added up; the peak is that of the largest, since
// peaks are of different moments. A sampled number fails only where its whole interval does: noise must not break a
// build. "%" is a share of all calls for temporary; of a difference, the change in parts of what was before.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/changes.h"
#include "cli/options.h"
#include "profile/profile.h"

namespace heaptally::cli {

// A condition holds. Not one of 125 to 127, nor 124, which timeout(1) has.
inline constexpr int kConditionHolds = 123;

enum class Measured { kLive, kPeak, kChurn, kCalls, kTemporary, kObjects };

struct Condition {
  std::string text;
  Measured measured = Measured::kLive;
  bool greater = true;   // > or >=
  bool or_equal = false;
  double value = 0;
  bool percent = false;
};

enum class ConditionOn { kReport, kDifference };

// On failure returns nothing; *error is a sentence that points at the place.
std::optional<Condition> ParseCondition(const std::string& text, ConditionOn on, std::string* error);

class FailIf {
 public:
  void AddOption(CLI::App* app);
  // Returns -1 if all conditions can be read, else complains and returns kOurFailure.
  int Parse(ConditionOn on);
  bool any() const { return !conditions_.empty(); }

  // Complains of each condition that holds, and names the places that hold most. Returns kConditionHolds if one does,
  // kOurFailure if one asks for what the mode does not know, else 0.
  int Check(const std::vector<profile::Profile>& profiles) const;
  int CheckDifference(const std::vector<profile::Profile>& before, const std::vector<profile::Profile>& after) const;

 private:
  std::vector<std::string> texts_;
  std::vector<Condition> conditions_;
};

// True iff the condition holds for the whole interval.
bool Holds(const Condition& condition, double lo, double hi, bool hi_known);

}  // namespace heaptally::cli
