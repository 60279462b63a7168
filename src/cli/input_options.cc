#include "cli/input_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "cli/load_profiles.h"
#include "cli/measure_option.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/suggest.h"
#include "cli/text.h"
#include "cli/units.h"
#include "collect/segments.h"
#include "symbols/display.h"

namespace heaptally::cli {
namespace {

std::string FilterPhrase(const analysis::FilterWords& stacks) {
  std::vector<std::string> parts;
  if (!stacks.focus.empty()) parts.push_back("focus " + stacks.focus);
  if (!stacks.ignore.empty()) parts.push_back("ignore " + stacks.ignore);
  if (!stacks.hide.empty()) parts.push_back("hide " + stacks.hide);
  return Printable(fmt::format("{}", fmt::join(parts, ", ")));
}

profile::Measures SumOf(const std::vector<profile::Profile>& profiles) {
  profile::Measures sum;
  for (const profile::Profile& profile : profiles) sum += profile.totals;
  return sum;
}

bool ReadSuppressions(const std::string& path, std::vector<analysis::Suppressed>* out) {
  std::ifstream file(path);
  std::stringstream text;
  std::string error = "--suppressions " + path + " cannot be read: " + std::strerror(errno);
  const bool read = file && (text << file.rdbuf() || file.peek() == EOF);
  auto list = read ? analysis::ParseSuppressions(text.str(), path, &error) : std::nullopt;
  if (!list) {
    Complain(error, "lines as LeakSanitizer takes them: leak:FUNCTION, FILE or MODULE, with * for any text");
    return false;
  }
  *out = std::move(*list);
  return true;
}

bool LoadAll(const InputOptions& options, std::vector<profile::Profile>* profiles) {
  for (const std::string& what : options.what) {
    Loaded loaded = LoadProfiles(options.at.empty() ? what : what + "@" + options.at, options.directory);
    if (!loaded.error.empty()) {
      Complain(loaded.error, loaded.what_works);
      return false;
    }
    for (const std::string& remark : loaded.remarks) Remark(remark);
    std::move(loaded.profiles.begin(), loaded.profiles.end(), std::back_inserter(*profiles));
  }
  return true;
}

std::string ProgramOf(const profile::Profile& profile) { return profile.exe.substr(profile.exe.rfind('/') + 1); }

// Keeps the images that were asked for.
bool ChooseImages(const InputOptions& options, std::vector<profile::Profile>* profiles) {
  std::vector<std::string> programs;
  std::string pids;
  for (const profile::Profile& profile : *profiles) {
    const bool here = std::find(programs.begin(), programs.end(), ProgramOf(profile)) != programs.end();
    if (!here) programs.push_back(ProgramOf(profile));
    if (pids.size() < 60) pids += (pids.empty() ? "" : ", ") + std::to_string(profile.pid);
  }
  if (options.pid != 0) {
    std::erase_if(*profiles, [&](const auto& one) { return static_cast<uint32_t>(one.pid) != options.pid; });
    if (profiles->empty()) {
      Complain(fmt::format("there is no process {} in it, but {}", options.pid, pids), "--pid with one of these");
      return false;
    }
  }
  if (options.program.empty()) return true;
  std::erase_if(*profiles,
                [&](const auto& one) { return ProgramOf(one) != options.program && one.exe != options.program; });
  if (!profiles->empty()) return true;
  const std::string nearest = Nearest(options.program, programs);
  if (programs.size() > 8) programs.resize(8);
  Complain("there is no image of a program called \"" + options.program + "\"",
           nearest.empty() ? fmt::format("--program with one of {}", fmt::join(programs, ", ")) : "--program " + nearest);
  return false;
}

}  // namespace

void AddInputOptions(CLI::App* app, Inputs inputs, InputOptions* options) {
  CLI::Option* what = app->add_option("what", options->what, "captures, segments or pids");
  if (inputs == Inputs::kOne) what->expected(0, 1);
  app->add_option("--at", options->at, "the moment of a capture: 12.5s after the start, 3 for the third, first, last")
      ->type_name("MOMENT");
  AddChoiceOptions(app, options);
}

void AddChoiceOptions(CLI::App* app, InputOptions* options) {
  options->directory = collect::SegmentDirectory();
  app->add_option("--focus", options->stacks.focus, "only stacks with a function, file or module that matches")
      ->type_name("REGEX");
  app->add_option("--ignore", options->stacks.ignore, "no stacks with one that matches")->type_name("REGEX");
  app->add_option("--hide", options->stacks.hide, "without the frames that match; their stacks stay")
      ->type_name("REGEX");
  app->add_option("--suppressions", options->suppressions,
                  "leave out stacks that match, and say how much: leak:PATTERN lines, as LeakSanitizer has them")
      ->type_name("FILE");
  app->add_option("--pid", options->pid, "of many processes this one")->type_name("N");
  app->add_option("--program", options->program, "of many processes those of this program")->type_name("NAME");
  app->add_option("--dir", options->directory, "where running processes keep their tallies")->type_name("DIR");
}

int ParseWithInput(CLI::App* app, const std::vector<std::string>& arguments, const InputOptions& options,
                   const char* to_do) {
  switch (Parse(app, arguments)) {
    case Parsed::kHelpShown:
      return 0;
    case Parsed::kWrong:
      return kOurFailure;
    case Parsed::kGo:
      break;
  }
  if (!options.what.empty()) return -1;
  const std::string tool = "heaptally " + app->get_name();
  return Complain(tool + ": nothing is named to " + to_do, tool + " FILE, or a pid of heaptally ls");
}

std::optional<Input> LoadInput(const InputOptions& options) {
  std::string error;
  auto filter = analysis::StackFilter::Make(options.stacks, symbols::QualifiedName, &error);
  if (!filter) {
    Complain(error, "an expression as grep -E takes it; \\ before a character that is meant itself, as in 'f\\(int\\)'");
    return std::nullopt;
  }
  Input input;
  if (!options.suppressions.empty() && !ReadSuppressions(options.suppressions, &input.suppressed)) return std::nullopt;
  if (!LoadAll(options, &input.profiles) || !ChooseImages(options, &input.profiles)) return std::nullopt;
  for (profile::Profile& profile : input.profiles) {
    if (!input.suppressed.empty()) Suppress(symbols::QualifiedName, &input.suppressed, &profile);
  }
  if (!options.stacks.any()) return input;
  input.before = SumOf(input.profiles);
  input.narrowed = FilterPhrase(options.stacks);
  input.leaves_out = !options.stacks.focus.empty() || !options.stacks.ignore.empty();
  for (profile::Profile& profile : input.profiles) filter->Apply(&profile);
  return input;
}

void RemarkNarrowed(const Input& input, analysis::By by) {
  if (!input.narrowed.empty()) Remark(NarrowedWords(input, by));
  profile::Measures sum;
  size_t patterns = 0;
  for (const analysis::Suppressed& one : input.suppressed) {
    sum += one.sum;
    patterns += one.stacks > 0 ? 1 : 0;
  }
  if (patterns == 0) return;
  const double value = analysis::RankedAmount(sum, by).value();
  Remark(fmt::format("suppressed by {} pattern{}: {} {}", patterns, patterns == 1 ? "" : "s",
                     analysis::RanksBytes(by) ? FormatBytes(value) : FormatCount(value), MeasureWords(by)));
}

std::string NarrowedWords(const Input& input, analysis::By by) {
  if (input.narrowed.empty()) return "";
  if (!input.leaves_out) return input.narrowed;
  const bool nothing = std::all_of(input.profiles.begin(), input.profiles.end(),
                                   [](const profile::Profile& profile) { return profile.sites.empty(); });
  if (nothing) return input.narrowed + ": no stack matches";
  const double whole = analysis::Ranked(input.before, by).v, left = analysis::Ranked(SumOf(input.profiles), by).v;
  if (!(whole > 0)) return fmt::format("{}: there are no {}", input.narrowed, MeasureWords(by));
  return fmt::format("{}: {} of {}", input.narrowed, FormatShare(left, whole), MeasureWords(by));
}

}  // namespace heaptally::cli
