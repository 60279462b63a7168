// `heaptally diff` as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "analysis/changes.h"
#include "cli/units.h"
#include "profile/profile.h"

namespace heaptally::cli {

struct ChangesView {
  analysis::By by = analysis::By::kLive;
  size_t width = 80;
  size_t limit = 20;
  NumberStyle style;
  std::string before_title, after_title;  // what was compared
  std::string narrowed;                   // "focus json"; "": all stacks
};

std::string RenderChanges(const analysis::Changes& changes, const ChangesView& view);
// docs/diff-json.md is its contract.
std::string ChangesJson(const analysis::Changes& changes, const ChangesView& view);

// "+64.0 MiB (60.1-68.2)"; "-3 (1-5)".
std::string ChangeWords(const sampling::Change& change, bool bytes, NumberStyle style);
// "cache_insert cache.c:88".
std::string PlaceWords(const analysis::PlaceChange& place);

}  // namespace heaptally::cli
