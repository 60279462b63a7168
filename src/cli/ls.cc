// `heaptally ls`: every image whose tally is still in the directory, alive or dead; `--prune` removes the dead ones'
// tallies.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <set>

#include "analysis/ranking.h"
#include "cli/color.h"
#include "cli/commands.h"
#include "cli/message.h"
#include "cli/moment_choice.h"
#include "cli/options.h"
#include "cli/text.h"
#include "cli/text_table.h"
#include "cli/units.h"
#include "collect/clock_scale.h"
#include "collect/mapped_segments.h"
#include "collect/segments.h"
#include "collect/snapshot.h"
#include "profile/estimates.h"
#include "segment/file.h"

namespace heaptally::cli {
namespace {

struct LsOptions {
  std::vector<std::string> captures;
  std::string directory;
  bool directory_given = false;
  bool prune = false;
  bool all = false;
  bool plain = false;
};

constexpr const char* kExamples =
    "  heaptally ls                   then: heaptally report PID\n"
    "  heaptally ls run.heaptally     then: heaptally report run.heaptally --at 3\n"
    "  heaptally ls --all             in containers and other directories too\n"
    "  heaptally ls --prune           remove what dead processes left\n";

int ParseLsOptions(const std::vector<std::string>& arguments, LsOptions* options) {
  CLI::App app("", "ls");
  Describe(&app,
           "heaptally ls [options] [FILE...]\n\n"
           "Shows processes that are profiled, and dead ones whose tallies were not removed;\n"
           "of a capture, the moments that it holds.",
           kExamples);
  options->directory = collect::SegmentDirectory();
  app.add_option("file", options->captures, "captures");
  app.add_flag("--all", options->all,
               "whatever a living process of this machine maps too: other directories, other users, containers");
  app.add_flag("--prune", options->prune, "remove the tallies of dead processes");
  app.add_flag("--bytes", options->plain, "plain integers instead of MiB");
  AddColorOption(&app);
  const CLI::Option* directory =
      app.add_option("--dir", options->directory, "the directory (default " + options->directory + ")")
          ->type_name("DIR");
  switch (Parse(&app, arguments)) {
    case Parsed::kHelpShown:
      return 0;
    case Parsed::kWrong:
      return kOurFailure;
    case Parsed::kGo:
      break;
  }
  options->directory_given = directory->count() > 0;
  return -1;
}

// Without a sample a number is not 0 but below its upper end.
std::string Cell(const sampling::Estimate& estimate, NumberStyle style) {
  if (!estimate.known) return "-";
  return !estimate.exact && estimate.n == 0 ? "<" + FormatBytes(estimate.hi, style) : FormatBytes(estimate.v, style);
}

void AddImage(const profile::Profile& image, const std::string& size, const LsOptions& options, TextTable* table) {
  const NumberStyle style = {.plain = options.plain};
  const std::string program = image.argv.empty() ? image.exe : ShellQuoted(image.argv);
  const uint64_t now = collect::UnixNow();
  const double age = now > image.started_unix_ns ? static_cast<double>(now - image.started_unix_ns) / 1e9 : 0;
  table->Add({image.pid != 0 ? std::to_string(image.pid) : "?", Printable(program), profile::StateName(image.state), image.mode,
              FormatDuration(age), Cell(BytesEstimate(image.totals, image.totals.live.bytes), style),
              Cell(analysis::ProcessPeak(image.totals), style), size});
}

// In a container a process has another pid than here; here is where it will be asked for.
void NumberAsSeenHere(const std::string& path, collect::MappedSegments* mapped, std::vector<profile::Profile>* profiles) {
  std::string ignored;
  const auto file = segment::File::Open(path, &ignored);
  if (!file) return;
  for (const collect::MappedSegments::Process& process : mapped->Of(*file)) {
    for (profile::Profile& profile : *profiles) {
      if (profile.pid == process.inner_pid && profile.state == profile::State::kRunning) profile.pid = process.pid;
    }
  }
}

// Rows of one segment: its size stands at its first image.
size_t AddSegment(const collect::SegmentName& segment, const LsOptions& options, collect::MappedSegments* mapped,
                  TextTable* table) {
  collect::Snapshot snapshot = collect::TakeSnapshot({segment.path});
  if (options.all) NumberAsSeenHere(segment.path, mapped, &snapshot.profiles);
  for (const std::string& error : snapshot.errors) Remark(error);
  std::string size = FormatBytes(static_cast<double>(segment.allocated_bytes), {.plain = options.plain});
  for (const profile::Profile& image : snapshot.profiles) {
    AddImage(image, size, options, table);
    size = "";
  }
  return snapshot.profiles.size();
}

// Segments that living processes map and that are not in the directory.
std::vector<collect::SegmentName> Elsewhere(const std::vector<collect::SegmentName>& here) {
  std::set<uint64_t> known;
  struct stat status {};
  for (const collect::SegmentName& segment : here) {
    if (stat(segment.path.c_str(), &status) == 0) known.insert(status.st_ino);
  }
  std::vector<collect::SegmentName> found;
  for (const auto& place : collect::MappedSegments().Everywhere()) {
    if (known.contains(place.inode) || stat(place.path.c_str(), &status) != 0) continue;
    found.push_back({.path = place.path, .pid = place.pid, .allocated_bytes = static_cast<uint64_t>(status.st_blocks) * 512});
  }
  return found;
}

// Returns the exit status.
int Prune(const std::vector<collect::SegmentName>& all, const LsOptions& options) {
  collect::MappedSegments mapped;
  std::string ignored;
  for (const auto& process : collect::DeadWithoutSegment(options.directory)) collect::RemoveSegment(process.path, &ignored);
  size_t removed = 0;
  uint64_t bytes = 0;
  int status = 0;
  const NumberStyle style = {.plain = options.plain};
  for (const collect::SegmentName& segment : all) {
    std::string error;
    const auto file = segment::File::Open(segment.path, &error);
    if (!file || !mapped.Of(*file).empty()) continue;
    if (collect::RemoveSegment(segment.path, &error)) {
      std::fputs(fmt::format("removed {} ({})\n", segment.path,
                             FormatBytes(static_cast<double>(segment.allocated_bytes), style))
                     .c_str(),
                 stdout);
      ++removed;
      bytes += segment.allocated_bytes;
    } else {
      status = Complain(error);
    }
  }
  const std::string what =
      removed == 1 ? "1 tally of a dead process" : fmt::format("{} tallies of dead processes", removed);
  std::fputs(fmt::format("{} removed, {}; {} left\n", what, FormatBytes(static_cast<double>(bytes), style),
                         all.size() - removed)
                 .c_str(),
             stdout);
  return status;
}

}  // namespace

int LsCommand(const std::vector<std::string>& arguments) {
  LsOptions options;
  if (const int status = ParseLsOptions(arguments, &options); status >= 0) return status;
  if (!options.captures.empty()) return ListMoments(options.captures, "heaptally ls FILE, with a capture", {.plain = options.plain});
  std::string error;
  auto all = collect::ListSegments(options.directory, &error);
  if (!all) return Complain(error, "--dir with the directory that was used");
  if (options.directory_given && access(options.directory.c_str(), F_OK) != 0) {
    return Complain("there is no directory " + options.directory,
                    "--dir with the directory that was used; without --dir: " + collect::SegmentDirectory());
  }
  if (options.prune && options.all)
    return Complain("--prune removes only what lies in one directory, so it does not go with --all",
                    "heaptally ls --prune --dir DIR");
  if (options.prune) return Prune(*all, options);
  if (options.all) {
    for (collect::SegmentName& segment : Elsewhere(*all)) all->push_back(std::move(segment));
  }
  TextTable table({{.title = "pid", .right = true},
                   {.title = "program", .cut = Cut::kEnd},
                   {.title = "state"},
                   {.title = "mode"},
                   {.title = "age", .right = true},
                   {.title = "live", .right = true},
                   {.title = "peak", .right = true},
                   {.title = "segment", .right = true}},
                  0);
  size_t images = 0;
  collect::MappedSegments mapped;
  for (const collect::SegmentName& segment : *all) images += AddSegment(segment, options, &mapped, &table);
  if (images == 0) {
    Remark("nothing is profiled, and nothing is left in " + options.directory +
           "; heaptally run -- PROGRAM starts one");
    return 0;
  }
  // Names are cut for a terminal only: a script wants them whole.
  const size_t width = std::max<size_t>(TerminalWidth(STDOUT_FILENO, isatty(STDOUT_FILENO) != 0 ? 80 : 4096), 60);
  std::fputs(table.Render(width).c_str(), stdout);
  return 0;
}

}  // namespace heaptally::cli
