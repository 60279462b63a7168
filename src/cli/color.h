// Colour on terminals, where it carries a meaning: what weighs most, what grew, what is missing. Text means the same without
// it; a pipe gets none, nor does a terminal where NO_COLOR is set (https://no-color.org) or TERM is "dumb".
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace heaptally::cli {

enum class Tone {
  kPlain,
  kStrong,  // a large part of the whole
  kDim,     // beside what matters: a caller, a remark
  kGrown,
  kShrunk,
  kLoss,  // something is not in the numbers
};

enum class Stream { kOut, kErr };

// Where the text goes that is made from now on: stdout, unless this says otherwise.
void ColorIsFor(Stream stream);

// auto (the default), always or never. Returns false for any other word.
bool ChooseColor(const std::string& when);

// --color WHEN.
void AddColorOption(CLI::App* app);

bool HasColor();

// kStrong from a tenth of the whole on.
Tone ToneOfShare(double part, double whole);

// The text in a tone, or as it is where there is no colour. Each line by itself, so that a pager may begin at any; indents
// and ends of lines stay outside.
std::string Toned(const std::string& text, Tone tone);

}  // namespace heaptally::cli
