#include "cli/load_profiles.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "cli/moment_choice.h"
#include "cli/progress.h"
#include "cli/suggest.h"
#include "collect/mapped_segments.h"
#include "collect/name_frames.h"
#include "collect/resident.h"
#include "collect/segments.h"
#include "collect/snapshot.h"
#include "segment/layout.h"
#include "store/capture.h"

namespace heaptally::cli {
namespace {

constexpr const char* kWhatToName = "a capture (*.heaptally), or a pid of heaptally ls";

bool IsFile(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

// What stands there instead of a file, as the end of a sentence; "" if there is nothing (or a file).
std::string OtherKind(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode)) return "";
  if (S_ISDIR(status.st_mode)) return "is a directory";
  if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode)) return "is a device";
  return S_ISFIFO(status.st_mode) ? "is a pipe" : "is not a file";
}

// The first bytes, as a person would recognise them.
std::string BeginsWith(const std::string& begin) {
  if (begin.starts_with("\177ELF")) return "a program or a library";
  if (begin.starts_with("\x1f\x8b")) return "gzip data";
  const bool text =
      std::all_of(begin.begin(), begin.end(), [](char one) { return one >= ' ' || one == '\n' || one == '\t'; });
  if (text) return '"' + begin.substr(0, begin.find('\n')) + '"';
  std::string bytes;
  for (const char one : begin) bytes += fmt::format("{}{:02x}", bytes.empty() ? "" : " ", static_cast<uint8_t>(one));
  return "the bytes " + bytes;
}

// Says why a file can be neither of the two; "" if it may be a segment.
std::string WhyNoSegment(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return path + " cannot be read: " + std::strerror(errno);
  std::string begin(8, '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  if (begin.empty()) return path + " is empty";
  uint64_t magic = 0;
  std::memcpy(&magic, begin.data(), begin.size());
  if (magic == segment::kFileMagic || magic == 0) return "";  // 0: a segment whose writer died at its start
  return path + " is neither a capture nor a segment (it begins with " + BeginsWith(begin) + ")";
}

bool IsPid(const std::string& text, int32_t* pid) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *pid);
  return error == std::errc() && end == text.data() + text.size() && *pid > 0;
}

void NameAll(const collect::KeptModules& kept, std::vector<profile::Profile>* profiles) {
  Progress progress("naming functions");
  collect::NameFrames(profiles, kept, [&](size_t done, size_t all) { progress.Show(done, all); });
}

Loaded LoadSegments(const std::vector<std::string>& paths, const std::string& title, collect::KeptModules* kept) {
  Loaded out;
  collect::Snapshot snapshot = collect::TakeSnapshot(paths);
  kept->LookAt(paths);  // after it: whatever the snapshot names was there before
  out.profiles = std::move(snapshot.profiles);
  out.remarks = std::move(snapshot.errors);
  out.title = title;
  if (out.profiles.empty()) out.error = out.remarks.empty() ? title + " holds no image" : out.remarks[0];
  return out;
}

Loaded WhyNoTally(int32_t pid, const std::string& directory) {
  Loaded out;
  const std::string exe = collect::ExecutableOf(pid);
  if (exe.empty() && collect::StartTicks(pid) == 0) {
    out.error = fmt::format("there is no process {} and no tally of one in {}", pid, directory);
    out.what_works = "heaptally ls shows what there is";
    return out;
  }
  out.error =
      fmt::format("process {}{} is not being profiled: it runs without the agent (there is no tally of it in {})", pid,
                  exe.empty() ? "" : " (" + exe + ")", directory);
  out.what_works = exe.empty() && geteuid() != 0 ? "as the user who owns it, or as root, if it is profiled by them"
                   : exe.empty()                 ? kWhatToName
                                                 : "start it with heaptally run -- " + exe;
  return out;
}

// Of a living process, what it is now is meant; what it was before it exec'd is said to be there.
void KeepRunningImage(int32_t pid, const std::vector<std::string>& paths, Loaded* out) {
  if (out->profiles.size() < 2 || out->profiles.back().state != profile::State::kRunning) return;
  out->remarks.push_back(
      fmt::format("pid {} executed this program after {} other{}, whose tallies are still there: heaptally report {}",
                  pid, out->profiles.size() - 1, out->profiles.size() == 2 ? "" : "s", paths.front()));
  out->profiles.erase(out->profiles.begin(), out->profiles.end() - 1);
}

// A process in a container, or one whose tally lies in another directory: found by what it maps.
Loaded LoadPidElsewhere(int32_t pid, collect::KeptModules* kept) {
  std::vector<std::string> paths;
  for (const auto& place : collect::MappedSegments::OfProcess(pid)) paths.push_back(place.path);
  if (paths.empty()) return {};
  Loaded out = LoadSegments(paths, fmt::format("pid {}", pid), kept);
  const int32_t inner = collect::MappedSegments::InnerPid(pid);
  std::erase_if(out.profiles, [inner](const profile::Profile& profile) { return profile.pid != inner; });
  KeepRunningImage(pid, paths, &out);
  if (inner != pid) out.remarks.push_back(fmt::format("pid {} is pid {} in its own namespace", pid, inner));
  return out;
}

Loaded LoadPid(int32_t pid, const std::string& directory, collect::KeptModules* kept) {
  Loaded out;
  const auto all = collect::ListSegments(directory, &out.error);
  if (!all) return out;
  std::vector<std::string> paths;
  for (const collect::SegmentName& segment : collect::SegmentsOfPid(*all, pid)) paths.push_back(segment.path);
  if (paths.empty()) {
    out = LoadPidElsewhere(pid, kept);
    return out.profiles.empty() ? WhyNoTally(pid, directory) : out;
  }
  out = LoadSegments(paths, fmt::format("pid {}", pid), kept);
  std::erase_if(out.profiles, [pid](const profile::Profile& profile) { return profile.pid != pid; });
  if (out.profiles.empty()) return WhyNoTally(pid, directory);
  KeepRunningImage(pid, paths, &out);
  return out;
}

Loaded NoMoments(const std::string& why) {
  Loaded out;
  out.error = why + ", and only captures have moments";
  out.what_works = "a capture of heaptally run --every 1s, or of heaptally snapshot";
  return out;
}

std::optional<std::vector<profile::Profile>> ReadAt(const std::string& path, const std::string& at, Loaded* out) {
  const auto moments = store::ReadMoments(path, &out->error);
  if (!moments) return std::nullopt;
  const auto number = ChooseMoment(*moments, at, &out->error, &out->what_works);
  if (!number) {
    out->error = path + ": " + out->error;
    return std::nullopt;
  }
  if (const std::string end = BeyondTheLast(*moments, at); !end.empty()) out->remarks.push_back(end);
  return store::ReadCaptureAt(path, *number, &out->error);
}

// `at`: the moment; "": the last.
Loaded LoadFile(const std::string& path, const std::string& at, collect::KeptModules* kept) {
  Loaded out;
  if (!store::LooksLikeCapture(path)) {
    if (!at.empty()) return NoMoments(path + " is not a capture");
    out.error = WhyNoSegment(path);
    if (out.error.empty()) return LoadSegments({path}, "segment " + path, kept);
    out.what_works = kWhatToName;
    return out;
  }
  out.title = "capture " + path;
  auto read = at.empty() ? store::ReadCapture(path, &out.error) : ReadAt(path, at, &out);
  if (read) out.profiles = std::move(*read);
  if (read && out.profiles.empty()) out.error = path + " holds no profile";
  return out;
}

Loaded NoSuchFile(const std::string& what) {
  std::vector<std::string> names;
  std::error_code error;
  const std::filesystem::path path(what);
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() == ".heaptally") names.push_back(at->path().filename().string());
  }
  Loaded out;
  const std::string kind = OtherKind(what);
  out.error =
      what + (kind.empty() ? " is neither a file nor a process" : " " + kind + ", neither a capture nor a segment");
  const std::string nearest = Nearest(path.filename().string(), names);
  out.what_works = !nearest.empty()
                       ? (path.has_parent_path() ? (folder / nearest).string() : nearest) + ", if that was meant"
                       : kWhatToName;
  return out;
}

}  // namespace

Loaded LoadProfiles(const std::string& what, const std::string& directory) {
  int32_t pid = 0;
  collect::KeptModules kept;
  const NamedMoment named_moment = SplitMoment(what);
  const std::string& name = named_moment.file;
  Loaded out = IsFile(name)        ? LoadFile(name, named_moment.at, &kept)
               : !IsPid(name, &pid) ? NoSuchFile(what)
               : !named_moment.at.empty() ? NoMoments("process " + name + " is no file")
                                   : LoadPid(pid, directory, &kept);
  const bool named =
      std::any_of(out.profiles.begin(), out.profiles.end(), [](const auto& one) { return !one.sources.empty(); });
  if (!named) NameAll(kept, &out.profiles);
  return out;
}

}  // namespace heaptally::cli
