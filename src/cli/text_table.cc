#include "cli/text_table.h"

#include <algorithm>
#include <numeric>

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

size_t Sum(const std::vector<size_t>& widths) { return std::accumulate(widths.begin(), widths.end(), size_t{0}); }

}  // namespace

// A caller's row: names and a place, and no numbers behind them.
bool TextTable::RunsOver(const std::vector<std::string>& row) const {
  if (row.size() >= columns_.size()) return false;
  return std::all_of(row.begin(), row.end(), [&](const std::string& cell) {
    return cell.empty() || columns_[static_cast<size_t>(&cell - row.data())].cut != Cut::kNever;
  });
}

std::vector<size_t> TextTable::Wanted(bool of_all_rows) const {
  std::vector<size_t> widths;
  for (size_t at = 0; at < columns_.size(); ++at) {
    // A title may run over the next column, if that one has none.
    const bool alone = at + 1 < columns_.size() && columns_[at + 1].title.empty() && columns_[at].cut != Cut::kNever;
    size_t widest = alone ? 0 : Width(columns_[at].title);
    for (const auto& row : rows_) {
      if (at < row.size() && (of_all_rows || !RunsOver(row))) widest = std::max(widest, Width(row[at]));
    }
    widths.push_back(columns_[at].cut == Cut::kNever ? widest : std::min(widest, columns_[at].at_most));
  }
  for (size_t at = 0; at + 1 < columns_.size(); ++at) {
    const size_t title = Width(columns_[at].title);
    if (columns_[at].cut != Cut::kNever && columns_[at + 1].title.empty() && widths[at] + kGap + widths[at + 1] < title)
      widths[at] = title - kGap - widths[at + 1];
  }
  return widths;
}

// The widest giving column gives first, one column of text at a time: so names end up of similar width. Titles give way
// last.
void TextTable::Narrow(size_t width, std::vector<size_t>* widths) const {
  size_t all = Sum(*widths);
  for (const bool titles : {false, true}) {
    while (all > width) {
      size_t widest = columns_.size();
      for (size_t at = 0; at < columns_.size(); ++at) {
        const bool alone = at + 1 < columns_.size() && columns_[at + 1].title.empty();
        const size_t least = titles || alone ? kLeastName : std::max(kLeastName, Width(columns_[at].title));
        const bool gives = columns_[at].cut != Cut::kNever && (*widths)[at] > least;
        if (gives && (widest == columns_.size() || (*widths)[at] > (*widths)[widest])) widest = at;
      }
      if (widest == columns_.size()) return;
      --(*widths)[widest];
      --all;
    }
  }
}

// Rows that run over get columns of their own as far as there is room.
std::vector<size_t> TextTable::Widths(size_t width) const {
  const size_t around = indent_ + kGap * (columns_.size() - 1);
  const size_t room = width > around ? width - around : 0;
  std::vector<size_t> widths = Wanted(false);
  Narrow(room, &widths);
  const std::vector<size_t> wanted = Wanted(true);
  for (size_t at = 0, all = Sum(widths); at < columns_.size(); ++at) {
    const size_t more = all < room && wanted[at] > widths[at] ? std::min(room - all, wanted[at] - widths[at]) : 0;
    widths[at] += more;
    all += more;
  }
  return widths;
}

// Cells in their columns; where one is too long and nothing stands behind it, it takes that room too.
std::string TextTable::Line(const std::vector<std::string>& row, const std::vector<size_t>& widths,
                            const RowTone& tone) const {
  std::string parts[3];  // before the cells in the tone, these, and behind them
  for (size_t at = 0; at < columns_.size(); ++at) {
    std::string& part = parts[at < tone.first ? 0 : at > tone.last ? 2 : 1];
    if (at > 0) part += std::string(kGap, ' ');
    size_t width = widths[at], last = at;
    const auto is_empty = [&](size_t which) { return which >= row.size() || row[which].empty(); };
    while (columns_[at].cut != Cut::kNever && !is_empty(at) && Width(row[at]) > width && last + 1 < columns_.size() &&
           is_empty(last + 1))
      width += kGap + widths[++last];
    part += Fit(at < row.size() ? row[at] : "", columns_[at], width);
    at = last;
  }
  for (size_t part = 3; part-- > 0;) {
    std::string& text = parts[part];
    text.resize(text.find_last_not_of(' ') + 1);
    if (!text.empty()) break;
  }
  return std::string(indent_, ' ') + parts[0] + Toned(parts[1], tone.tone) + parts[2] + "\n";
}

// What a row that runs over has in the column before its last may be longer than that column, if its last leaves room.
std::vector<size_t> TextTable::WidthsOf(const std::vector<std::string>& row, std::vector<size_t> widths) const {
  if (!RunsOver(row) || row.size() < 2) return widths;
  const size_t place = row.size() - 1, name = place - 1;
  size_t both = kGap * (columns_.size() - row.size());
  for (size_t at = name; at < columns_.size(); ++at) both += widths[at];
  const size_t least_place = std::min(Width(row[place]), std::max(widths[place], both / 2));
  const size_t wanted = std::min(Width(row[name]), both > least_place ? both - least_place : 0);
  widths[name] = std::max(widths[name], wanted);
  widths.resize(row.size());
  const size_t gaps = kGap * (columns_.size() - row.size());  // which it may run over, too
  widths[place] = both > widths[name] + gaps ? both - widths[name] - gaps : 0;
  widths.resize(columns_.size(), 0);
  return widths;
}

std::string TextTable::Render(size_t width) const {
  const std::vector<size_t> widths = Widths(width);
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  const bool titled = std::any_of(titles.begin(), titles.end(), [](const std::string& title) { return !title.empty(); });
  std::string out = titled ? Line(titles, widths, {}) : "";
  for (size_t at = 0; at < rows_.size(); ++at) out += Line(rows_[at], WidthsOf(rows_[at], widths), tones_[at]);
  return out;
}

}  // namespace heaptally::cli
