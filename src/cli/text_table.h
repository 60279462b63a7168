// Columns for people: sized by what is in them, numbers to the right, and one or two columns of names that give way
// when the terminal is narrow. Wider terminals show more of the names; a pipe gets what an 80-column terminal gets.
#pragma once

#include <string>
#include <vector>

#include "cli/color.h"

namespace heaptally::cli {

// What gives way of a text that is too long; kFunction and kChain are FitFunction and FitChain of text.h.
enum class Cut { kNever, kEnd, kBeginning, kFunction, kChain };

struct Column {
  std::string title;
  bool right = false;         // numbers
  Cut cut = Cut::kNever;      // how it gives way; kNever: it does not
  size_t at_most = SIZE_MAX;  // columns that a giving column may take, even where there is room
};

// Of the cells from `first` to `last`.
struct RowTone {
  Tone tone = Tone::kPlain;
  size_t first = 0;
  size_t last = SIZE_MAX;
};

class TextTable {
 public:
  explicit TextTable(std::vector<Column> columns, size_t indent = 2) : columns_(std::move(columns)), indent_(indent) {}

  // Cells must already be printable (text.h). A row with fewer cells is filled up with empty ones;
  // if it ends in a name and a place (a caller), these may run over the empty ones.
  void Add(std::vector<std::string> cells, RowTone tone = {}) {
    rows_.push_back(std::move(cells));
    tones_.push_back(tone);
  }

  // At most `width` columns, as far as the columns that never give way allow it. No blanks at the ends of lines.
  std::string Render(size_t width) const;

 private:
  std::string Line(const std::vector<std::string>& row, const std::vector<size_t>& widths, const RowTone& tone) const;
  bool RunsOver(const std::vector<std::string>& row) const;
  std::vector<size_t> Wanted(bool of_all_rows) const;
  void Narrow(size_t width, std::vector<size_t>* widths) const;
  std::vector<size_t> Widths(size_t width) const;
  std::vector<size_t> WidthsOf(const std::vector<std::string>& row, std::vector<size_t> widths) const;

  std::vector<Column> columns_;
  size_t indent_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<RowTone> tones_;
};

}  // namespace heaptally::cli
