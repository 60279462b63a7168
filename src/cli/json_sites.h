// The sites of `report --json`, as text. A compiler's run has a hundred thousand of them, with four million frames of
// which few are distinct: the text of a frame is made once, and numbers are written without a tree of values between.
#pragma once

#include <string>
#include <vector>

#include "profile/profile.h"
#include "sampling/estimate.h"

namespace heaptally::cli {

class SiteWriter {
 public:
  // `full`: allocator and operator new frames too. `profile` must outlive the writer.
  SiteWriter(const profile::Profile& profile, bool full) : profile_(profile), full_(full), texts_(profile.frames.size()) {}

  // Appends the site as one object.
  void Append(const profile::Site& site, std::string* out);

 private:
  struct FrameText {
    std::string text;
    bool allocator = false;
  };

  const std::vector<FrameText>& TextsOf(uint32_t frame);
  void AppendFrames(const profile::Site& site, std::string* out);

  const profile::Profile& profile_;
  bool full_;
  std::vector<std::vector<FrameText>> texts_;  // by machine frame; made when they are first met
};

// `"allocations":{...},...`: the measures as members, without braces.
void AppendMeasures(const profile::Measures& measures, std::string* out);

// {"v":...,"lo":...,"hi":...,"n":...}; of objects and calls (`countable`) with its floor.
void AppendEstimate(const profile::Amount& amount, const sampling::Estimate& estimate, bool countable, std::string* out);

// [[from, to, objects]...]: of sizes (`of_sizes`), where a count's floor is its bucket's, or of lifetimes.
void AppendHistogram(const std::vector<profile::Bucket>& buckets, const profile::Measures& measures, bool of_sizes,
                     std::string* out);

// A quoted text; what is not UTF-8 is mended with U+FFFD.
void AppendText(const std::string& text, std::string* out);

// An integer; beyond 2^63 as a text.
void AppendInteger(uint64_t number, std::string* out);

}  // namespace heaptally::cli
