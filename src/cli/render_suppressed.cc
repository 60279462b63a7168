#include "cli/render_suppressed.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/json_sites.h"
#include "cli/render_places.h"
#include "cli/text.h"
#include "cli/text_table.h"

namespace heaptally::cli {

std::string RenderSuppressed(const std::vector<analysis::Suppressed>& list, const ReportView& view) {
  if (list.empty()) return "";
  const bool bytes = analysis::RanksBytes(view.by);
  std::vector<const analysis::Suppressed*> used;
  profile::Measures sum;
  for (const analysis::Suppressed& one : list) {
    sum += one.sum;
    if (one.stacks > 0) used.push_back(&one);
  }
  const size_t unused = list.size() - used.size();
  const std::string none =
      unused == 0 ? "" : fmt::format("; {} pattern{} matched nothing", unused, unused == 1 ? "" : "s");
  if (used.empty()) return fmt::format("  suppressed: nothing{}\n", none);
  std::stable_sort(used.begin(), used.end(), [&](const auto* a, const auto* b) {
    return RanksBefore(Ranked(a->sum, view.by), Ranked(b->sum, view.by));
  });
  TextTable table({{.title = "suppressed", .right = true},
                   {.title = "stacks", .right = true},
                   {.title = "by pattern", .cut = Cut::kEnd}});
  for (size_t at = 0; at < std::min(used.size(), view.limit); ++at) {
    table.Add({WithInterval(Ranked(used[at]->sum, view.by), bytes, view.style),
               FormatCount(static_cast<double>(used[at]->stacks), view.style), Printable(used[at]->pattern)});
  }
  return Wrap(fmt::format("  suppressed, and in no other number here: {} ({}){}",
                          WithInterval(Ranked(sum, view.by), bytes, view.style), ByWords(view.by), none),
              view.width, 4) +
         "\n" + table.Render(view.width);
}

std::string SuppressedJson(const std::vector<analysis::Suppressed>& list) {
  if (list.empty()) return "";
  std::string out = "\"suppressed\":[";
  for (const analysis::Suppressed& one : list) {
    out += out.back() == '[' ? "\n{\"pattern\":" : ",\n{\"pattern\":";
    AppendText(one.pattern, &out);
    out += ",\"stacks\":";
    AppendInteger(one.stacks, &out);
    out += ",";
    AppendMeasures(one.sum, &out);
    out += "}";
  }
  return out + "],\n";
}

}  // namespace heaptally::cli
