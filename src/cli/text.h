// Words on a terminal: columns, cutting, and the safety of what other people chose. Function names, paths and arguments
// come from the profiled program, so they may hold escape sequences; nothing is printed that did not pass Printable().
//
// Width is counted in code points. That is one column each for nearly all names in symbol tables; wide East Asian
// characters make a row too long, never wrong.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heaptally::cli {

// Control characters (C0, DEL, C1) and bytes that are not UTF-8 become '?'.
std::string Printable(std::string_view text);

size_t Width(std::string_view text);

// `text` cut or padded to exactly `width` columns. A cut is marked by "…" at the side that was cut: names lose their
// end, paths their beginning.
std::string FitName(std::string_view text, size_t width);
std::string FitPath(std::string_view text, size_t width);
// A function's name, which means most at both ends: what stands behind its last "::" stays whole where it can.
std::string FitFunction(std::string_view text, size_t width);
// A chain of calls: of "main > run > load > parse" the first name and the last ones that fit, "main > … > parse"; of
// "parse < load < run < main" the first ones, "parse < load < …". Leading blanks stay.
std::string FitChain(std::string_view text, size_t width);
std::string PadLeft(std::string_view text, size_t width);

// Breaks `text` at spaces into lines of at most `width` columns; every line after the first is indented by `indent`.
std::string Wrap(std::string_view text, size_t width, size_t indent);

// The same, but breaks only between parts, as long as they fit into half a line; `parts` are joined by spaces.
std::string WrapParts(const std::vector<std::string>& parts, size_t width, size_t indent);

// A label that stands before a text: padded to 15 columns, and by two blanks at least.
std::string LabelCell(std::string_view label);

// "  label          text": a label (LabelCell), and the text wrapped beside it. Ends with a newline.
std::string Labelled(std::string_view label, std::string_view text, size_t width);

// `words` joined as a shell would need them: quoted where they hold anything but plain characters.
std::string ShellQuoted(const std::string& word);
std::string ShellQuoted(const std::vector<std::string>& words);

// Columns of the terminal behind `descriptor`; `fallback` where there is none. COLUMNS wins if it is a sane number.
size_t TerminalWidth(int descriptor, size_t fallback = 80);

// Rows of the terminal, 0 where there is none.
size_t TerminalRows(int descriptor);

}  // namespace heaptally::cli
