#include "cli/render_account.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace heaptally::cli {
namespace {

class Sum {
 public:
  explicit Sum(NumberStyle style) : style_(style) {}
  void Add(const char* name, double bytes) {
    if (bytes > 0) parts_.push_back(fmt::format("{} {}", name, FormatBytes(bytes, style_)));
  }
  void Add(const char* name, const std::optional<uint64_t>& bytes) { Add(name, static_cast<double>(bytes.value_or(0))); }
  std::string words() const { return fmt::format("{}", fmt::join(parts_, " + ")); }

 private:
  NumberStyle style_;
  std::vector<std::string> parts_;
};

// What is live may be larger than what is resident: a block that was never touched, or was swapped out. And a sample may
// have missed what there is. Then only the heap as a whole is named.
void AddHeap(const profile::Coverage& coverage, Sum* sum) {
  const auto resident = static_cast<double>(*coverage.heap_resident_bytes);
  const double live = coverage.heap_live ? coverage.heap_live->value() : 0;
  if (live > 0 && live <= resident) {
    sum->Add("heap live", live);
    sum->Add("kept by malloc", resident - live);
  } else {
    sum->Add("heap", resident);
  }
}

}  // namespace

std::string AccountWords(const profile::Coverage& coverage, NumberStyle style) {
  if (!coverage.heap_resident_bytes) return "";
  Sum sum(style);
  AddHeap(coverage, &sum);
  sum.Add("mapped", coverage.mapped_resident_bytes);
  sum.Add("stacks", coverage.stacks_bytes);
  sum.Add("files", coverage.files_bytes);
  sum.Add("heaptally", coverage.own_bytes);
  sum.Add("unexplained", coverage.unexplained_bytes);
  return sum.words();
}

}  // namespace heaptally::cli
