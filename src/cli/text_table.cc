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

void AppendLine(std::string line, std::string* out) {
  line.resize(line.find_last_not_of(' ') + 1);
  *out += line + "\n";
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

std::string TextTable::Render(size_t width) const {
  const std::vector<size_t> widths = Widths(width);
  std::string out;
  std::string line(indent_, ' ');
  bool titled = false;
  for (size_t at = 0; at < columns_.size(); ++at) {
    titled = titled || !columns_[at].title.empty();
    line += std::string(at == 0 ? 0 : kGap, ' ') + Fit(columns_[at].title, columns_[at], widths[at]);
  }
  if (titled) AppendLine(line, &out);
  for (const auto& row : rows_) {
    line.assign(indent_, ' ');
    for (size_t at = 0; at < columns_.size(); ++at) {
      line += std::string(at == 0 ? 0 : kGap, ' ') + Fit(at < row.size() ? row[at] : "", columns_[at], widths[at]);
    }
    AppendLine(line, &out);
  }
  return out;
}

}  // namespace heaptally::cli
