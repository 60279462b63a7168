#include "cli/color.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <string_view>

namespace heaptally::cli {
namespace {

enum class When { kAuto, kAlways, kNever };
When chosen = When::kAuto;
int descriptor = STDOUT_FILENO;

bool IsSet(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && value[0] != 0;
}

// Bold, faint, and three of the terminal's own colours, which it shows readably on a light and on a dark ground.
const char* Code(Tone tone) {
  switch (tone) {
    case Tone::kStrong:
      return "\033[1m";
    case Tone::kDim:
      return "\033[2m";
    case Tone::kGrown:
      return "\033[31m";
    case Tone::kShrunk:
      return "\033[32m";
    case Tone::kLoss:
      return "\033[33m";
    case Tone::kPlain:
      break;
  }
  return "";
}

std::string TonedLine(const std::string& line, Tone tone) {
  const size_t begin = line.find_first_not_of(' ');
  if (begin == std::string::npos) return line;
  return line.substr(0, begin) + Code(tone) + line.substr(begin) + "\033[0m";
}

}  // namespace

bool ChooseColor(const std::string& when) {
  if (when == "auto") chosen = When::kAuto;
  if (when == "always") chosen = When::kAlways;
  if (when == "never") chosen = When::kNever;
  return when == "auto" || when == "always" || when == "never";
}

void AddColorOption(CLI::App* app) {
  const auto parse = [](const std::string& word) {
    if (!ChooseColor(word))
      throw CLI::ValidationError("--color takes auto, always or never, and \"" + word + "\" is none of them");
  };
  app->add_option_function<std::string>("--color", parse,
                                        "auto (on a terminal, unless NO_COLOR is set; the default), always or never")
      ->type_name("WHEN");
}

void ColorIsFor(Stream stream) { descriptor = stream == Stream::kOut ? STDOUT_FILENO : STDERR_FILENO; }

bool HasColor() {
  if (chosen != When::kAuto) return chosen == When::kAlways;
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  return !dumb && !IsSet("NO_COLOR") && isatty(descriptor) == 1;
}

Tone ToneOfShare(double part, double whole) { return whole > 0 && part >= whole / 10 ? Tone::kStrong : Tone::kPlain; }

std::string Toned(const std::string& text, Tone tone) {
  if (tone == Tone::kPlain || !HasColor()) return text;
  std::string out;
  size_t at = 0;
  for (size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', at)) {
    out += TonedLine(text.substr(at, end - at), tone) + "\n";
    at = end + 1;
  }
  return out + TonedLine(text.substr(at), tone);
}

}  // namespace heaptally::cli
