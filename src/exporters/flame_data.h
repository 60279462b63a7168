// What the flame page draws: gzip in base64, so that no name can end the <script> element that it stands in. Inside, in
// this order (docs/flame-page.md; page/reader.js reads it):
//
//   head       JSON: measures, profiles with their own totals, what was left out
//   strings    count; all of them, divided by NUL, as one text
//   functions  count; short name, whole name, file, module (indexes in strings, as differences), flags
//   nodes      count; how many levels to go up for the parent, function, first line, further lines: preorder without the root
//   places     count; function, line
//   leaves     count; node, place, profile; for each column the number; sampled: also what was inferred, its variance and
//              the samples
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "exporters/shown_stack.h"

namespace heaptally::exporters {

// What stands in the page's head, said as reports say it. Of several images together only `not_seen` counts.
struct ImageWords {
  std::string mode;       // "every allocation counted"
  std::string live;       // "live at exit"
  std::string peak;       // " at 7.10 s"
  std::string end;        // "exited with status 0 after 12.4 s"
  std::vector<std::string> not_seen;
  std::vector<std::string> notes;
};

struct FlamePageOptions {
  std::string title;       // plain text
  std::string narrowed;    // what was asked to be left out, in words; "": nothing
  size_t most_nodes = 0;   // of the tree; 0: all
  std::function<ImageWords(const std::vector<const profile::Profile*>&)> words;
};

std::string FlameData(const std::vector<profile::Profile>& profiles, const Wording& wording, const FlamePageOptions& options);

}  // namespace heaptally::exporters
