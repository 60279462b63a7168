#include "cli/text_table.h"

#include <algorithm>

#include "cli/text.h"

namespace heaptally::cli {
namespace {

constexpr size_t kGap = 2;
constexpr size_t kLeastName = 8;

std::string Fit(const std::string& cell, const Column& column, size_t width) {
  if (column.right) return PadLeft(cell, width);
  switch (column.cut) {
    case Cut::kBeginning:
      return FitPath(cell, width);
    case Cut::kFunction:
      return FitFunction(cell, width);
    case Cut::kChain:
      return FitChain(cell, width);
    default:
      return FitName(cell, width);
  }
}

}  // namespace

std::vector<size_t> TextTable::Widths(size_t width) const {
  std::vector<size_t> widths;
  for (size_t at = 0; at < columns_.size(); ++at) {
    size_t widest = Width(columns_[at].title);
    for (const auto& row : rows_) widest = std::max(widest, at < row.size() ? Width(row[at]) : 0);
    widths.push_back(columns_[at].cut == Cut::kNever ? widest : std::min(widest, columns_[at].at_most));
  }
  size_t all = indent_ + kGap * (columns_.size() - 1);
  for (const size_t one : widths) all += one;
  // The widest giving column gives first, one column of text at a time: so names end up of similar width. Titles give
  // way last.
  for (const bool titles : {false, true}) {
    while (all > width) {
      size_t widest = columns_.size();
      for (size_t at = 0; at < columns_.size(); ++at) {
        const size_t least = titles ? kLeastName : std::max(kLeastName, Width(columns_[at].title));
        const bool gives = columns_[at].cut != Cut::kNever && widths[at] > least;
        if (gives && (widest == columns_.size() || widths[at] > widths[widest])) widest = at;
      }
      if (widest == columns_.size()) break;
      --widths[widest];
      --all;
    }
  }
  return widths;
}

std::string TextTable::Line(const std::vector<std::string>& row, const std::vector<size_t>& widths,
                            const RowTone& tone) const {
  std::string parts[3];  // before the cells in the tone, these, and behind them
  for (size_t at = 0; at < columns_.size(); ++at) {
    std::string& part = parts[at < tone.first ? 0 : at > tone.last ? 2 : 1];
    if (at > 0) part += std::string(kGap, ' ');
    part += Fit(at < row.size() ? row[at] : "", columns_[at], widths[at]);
  }
  for (size_t part = 3; part-- > 0;) {
    std::string& text = parts[part];
    text.resize(text.find_last_not_of(' ') + 1);
    if (!text.empty()) break;
  }
  return std::string(indent_, ' ') + parts[0] + Toned(parts[1], tone.tone) + parts[2] + "\n";
}

std::string TextTable::Render(size_t width) const {
  const std::vector<size_t> widths = Widths(width);
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  const bool titled = std::any_of(titles.begin(), titles.end(), [](const std::string& title) { return !title.empty(); });
  std::string out = titled ? Line(titles, widths, {}) : "";
  for (size_t at = 0; at < rows_.size(); ++at) out += Line(rows_[at], widths, tones_[at]);
  return out;
}

}  // namespace heaptally::cli
