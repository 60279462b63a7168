// `heaptally snapshot`: what running processes hold now, kept in a capture; they are read from outside and do not notice.
// A capture of the same process gets one more moment.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "cli/commands.h"
#include "cli/load_profiles.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/render_places.h"
#include "cli/suggest.h"
#include "cli/text.h"
#include "collect/mapped_segments.h"
#include "collect/name_frames.h"
#include "collect/segments.h"
#include "collect/snapshot.h"
#include "profile/estimates.h"
#include "store/capture.h"
#include "symbols/display.h"

namespace heaptally::cli {
namespace {

using profile::Profile;

struct SnapshotWords {
  std::string what;  // a pid, or a program's name
  bool all = false;
  std::string output;
  std::string directory;
};

constexpr const char* kExamples =
    "  heaptally snapshot 4711                       into NAME.4711.heaptally\n"
    "  heaptally snapshot server -o before.heaptally all that are called server\n"
    "  heaptally snapshot 4711 -o before.heaptally   again: one more moment in it\n";

int ParseSnapshotWords(const std::vector<std::string>& arguments, SnapshotWords* words) {
  CLI::App app("", "snapshot");
  Describe(&app,
           "heaptally snapshot [options] PID|NAME|--all\n\n"
           "Keeps in a capture what processes that run under heaptally hold now. They are\n"
           "neither stopped nor changed. A NAME takes every process of that name. A capture\n"
           "of the same process that is there already gets one more moment.",
           kExamples);
  words->directory = collect::SegmentDirectory();
  std::vector<std::string> what;
  app.add_option("what", what, "a pid or a program's name")->expected(0, 1);
  app.add_flag("--all", words->all, "every process that runs under heaptally (as root: everybody's)");
  app.add_option("-o,--output", words->output, "the capture (default NAME.PID.heaptally here)")->type_name("FILE");
  app.add_option("--dir", words->directory, "where running processes keep their tallies")->type_name("DIR");
  switch (Parse(&app, arguments)) {
    case Parsed::kHelpShown:
      return 0;
    case Parsed::kWrong:
      return kOurFailure;
    case Parsed::kGo:
      break;
  }
  if (!what.empty()) words->what = what[0];
  if (words->what.empty() == words->all) return -1;
  return words->all ? Complain("heaptally snapshot: --all takes no pid or name beside it", "one of the two")
                    : Complain("heaptally snapshot: nothing is named to take", "a pid of heaptally ls, or --all");
}

std::string NameOf(const Profile& profile) { return profile.exe.substr(profile.exe.rfind('/') + 1); }

bool IsNumber(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char one) { return one >= '0' && one <= '9'; });
}

// Every running image in the directory; for root with --all, of every directory that a process uses.
std::vector<Profile> Running(const SnapshotWords& words, std::string* error) {
  std::vector<std::string> paths;
  const auto all = collect::ListSegments(words.directory, error);
  if (!all) return {};
  for (const collect::SegmentName& segment : *all) paths.push_back(segment.path);
  if (words.all && geteuid() == 0) {
    for (const auto& place : collect::MappedSegments().Everywhere()) {
      std::error_code fault;
      const bool known = std::any_of(paths.begin(), paths.end(), [&](const std::string& path) {
        return std::filesystem::equivalent(path, place.path, fault);
      });
      if (!known) paths.push_back(place.path);
    }
  }
  std::vector<Profile> running = collect::TakeSnapshot(paths).profiles;
  std::erase_if(running, [](const Profile& profile) { return profile.state != profile::State::kRunning; });
  return running;
}

// By name, or all. Returns an exit status, or -1.
int Find(const SnapshotWords& words, std::vector<Profile>* found) {
  std::string error;
  *found = Running(words, &error);
  if (!error.empty()) return Complain(error, "--dir with the directory that was used");
  std::vector<std::string> names;
  for (const Profile& profile : *found) names.push_back(NameOf(profile));
  if (!words.all) std::erase_if(*found, [&](const Profile& profile) { return NameOf(profile) != words.what; });
  if (!found->empty()) {
    Progress progress("naming functions");
    collect::NameFrames(found, {}, [&](size_t done, size_t all) { progress.Show(done, all); });
    return -1;
  }
  if (words.all) return Complain("nothing runs under heaptally in " + words.directory, "heaptally run -- PROGRAM");
  const std::string nearest = Nearest(words.what, names);
  return Complain("no process called " + words.what + " runs under heaptally",
                  nearest.empty() ? "a pid or a name of heaptally ls; heaptally run -- " + words.what + " starts one"
                                  : nearest + ", if that was meant");
}

int Take(const SnapshotWords& words, std::vector<Profile>* profiles) {
  if (words.all || !IsNumber(words.what)) return Find(words, profiles);
  Loaded loaded = LoadProfiles(words.what, words.directory);
  if (!loaded.error.empty()) return Complain(loaded.error, loaded.what_works);
  for (const std::string& remark : loaded.remarks) Remark(remark);
  *profiles = std::move(loaded.profiles);
  return -1;
}

std::string DefaultOutput(const SnapshotWords& words, const std::vector<Profile>& profiles) {
  if (profiles.size() == 1) return fmt::format("{}.{}.heaptally", NameOf(profiles[0]), profiles[0].pid);
  return words.all ? "all.heaptally" : NameOf(profiles[0]) + ".heaptally";
}

bool SameImage(const Profile& a, const Profile& b) {
  return a.pid == b.pid && a.started_unix_ns == b.started_unix_ns && a.host == b.host;
}

// Whether the capture that is there is of one of these processes. Returns an exit status, or -1.
int CheckSame(const std::string& path, const std::vector<Profile>& profiles) {
  std::string error;
  if (!store::LooksLikeCapture(path))
    return Complain(path + " is there already and is not a capture", "-o with another name");
  const auto moments = store::ReadMoments(path, &error);
  if (!moments) return Complain(error, "-o with another name");
  std::string other;
  for (const store::Moment& moment : *moments) {
    for (const Profile& image : moment.images) {
      const auto same = [&](const Profile& profile) { return SameImage(profile, image); };
      if (std::any_of(profiles.begin(), profiles.end(), same)) return -1;
      other = fmt::format("{} (pid {})", NameOf(image), image.pid);
    }
  }
  return Complain(path + " is a capture of another process, " + other, "-o with another name, or remove that file");
}

int Write(const std::string& path, const std::vector<Profile>& profiles) {
  const bool there = access(path.c_str(), F_OK) == 0;
  if (there) {
    if (const int status = CheckSame(path, profiles); status >= 0) return status;
  }
  std::string error;
  const store::WriteOptions options = {.is_plumbing = symbols::IsPlumbing};
  auto writer = there ? store::CaptureWriter::Continue(path, options, &error)
                      : store::CaptureWriter::Create(path, options, &error);
  if (!writer) return Complain(error);
  writer->SetRows(profiles.size());
  for (const Profile& profile : profiles) {
    if (!writer->Add(profile, &error)) return Complain(error);
  }
  const uint64_t moment = writer->moment();
  if (!writer->Commit(&error)) return Complain(error);
  profile::Measures sum;
  for (const Profile& profile : profiles) sum += profile.totals;
  std::string what = profiles.size() == 1 ? fmt::format("{} (pid {})", NameOf(profiles[0]), profiles[0].pid)
                                          : fmt::format("{} processes", profiles.size());
  Remark(fmt::format("{}: moment {} of {}; live {}", what, moment, path,
                     WithInterval(profile::BytesEstimate(sum, sum.live.bytes), true)));
  return 0;
}

}  // namespace

int SnapshotCommand(const std::vector<std::string>& arguments) {
  SnapshotWords words;
  if (const int status = ParseSnapshotWords(arguments, &words); status >= 0) return status;
  std::vector<Profile> profiles;
  if (const int status = Take(words, &profiles); status >= 0) return status;
  return Write(words.output.empty() ? DefaultOutput(words, profiles) : words.output, profiles);
}

}  // namespace heaptally::cli
