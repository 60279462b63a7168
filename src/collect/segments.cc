#include "collect/segments.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <tuple>

#include "segment/reader.h"

namespace heaptally::collect {
namespace {

// Takes a number that ends with `end` off the front of *text.
template <typename Number>
bool TakeNumber(std::string_view* text, char end, int base, Number* number) {
  const auto parsed = std::from_chars(text->data(), text->data() + text->size(), *number, base);
  const auto used = static_cast<size_t>(parsed.ptr - text->data());
  if (parsed.ec != std::errc() || used == 0 || used >= text->size() || (*text)[used] != end) return false;
  text->remove_prefix(used + 1);
  return true;
}

std::string DirectoryFault(const struct stat& status) {
  const uid_t us = geteuid();
  if (!S_ISDIR(status.st_mode)) return "is not a directory";
  if (us != 0 && status.st_uid != us && status.st_uid != 0) return "belongs to user " + std::to_string(status.st_uid);
  if ((status.st_mode & 022) != 0) return "can be written by other users";
  return "";
}

// Calls visit(descriptor of the directory, name) for each of its entries. A directory that does not exist has none. False iff it
// may not be used; then *error says why.
template <typename Visit>
bool VisitDirectory(const std::string& directory, std::string* error, const Visit& visit) {
  const int descriptor = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0) {
    if (errno == ENOENT) return true;
    struct stat there {};
    if (errno == ENOTDIR && lstat(directory.c_str(), &there) == 0) {
      *error =
          directory + (S_ISLNK(there.st_mode) ? " is a symbolic link, which is not followed" : " is not a directory");
      return false;
    }
    *error =
        directory + ": cannot be opened (" + std::strerror(errno) + "); set HEAPTALLY_DIR to a directory of your own";
    return false;
  }
  struct stat status {};
  fstat(descriptor, &status);
  const std::string fault = DirectoryFault(status);
  DIR* stream = fault.empty() ? fdopendir(descriptor) : nullptr;
  if (stream == nullptr) {
    *error = directory + " " + (fault.empty() ? "cannot be read" : fault) +
             ", so what lies in it can't be trusted; remove it, or set HEAPTALLY_DIR to a directory of your own with "
             "mode 0700";
    close(descriptor);
    return false;
  }
  while (const dirent* entry = readdir(stream)) visit(descriptor, entry->d_name);
  closedir(stream);
  return true;
}

constexpr std::string_view kWithoutEnding = ".none";

}  // namespace

std::string SegmentDirectory() {
  const char* chosen = std::getenv("HEAPTALLY_DIR");
  if (chosen != nullptr && chosen[0] != 0) return chosen;
  return "/dev/shm/heaptally-" + std::to_string(geteuid());
}

std::optional<SegmentName> ParseSegmentName(const std::string& name) {
  std::string_view rest = name;
  SegmentName parsed;
  uint64_t random = 0;
  if (!TakeNumber(&rest, '-', 10, &parsed.pid) || !TakeNumber(&rest, '-', 10, &parsed.start_ticks) ||
      !TakeNumber(&rest, '.', 16, &random) || rest != "seg" || parsed.pid <= 0) {
    return std::nullopt;
  }
  return parsed;
}

std::optional<std::vector<SegmentName>> ListSegments(const std::string& directory, std::string* error) {
  std::vector<SegmentName> found;
  const bool usable = VisitDirectory(directory, error, [&](int descriptor, const char* entry) {
    struct stat status {};
    std::optional<SegmentName> name = ParseSegmentName(entry);
    if (!name || fstatat(descriptor, entry, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode)) return;
    name->path = directory + "/" + entry;
    name->allocated_bytes = static_cast<uint64_t>(status.st_blocks) * 512;
    name->modified_unix_ns =
        static_cast<uint64_t>(status.st_mtim.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(status.st_mtim.tv_nsec);
    found.push_back(std::move(*name));
  });
  if (!usable) return std::nullopt;
  std::sort(found.begin(), found.end(), [](const SegmentName& a, const SegmentName& b) {
    return std::tie(a.pid, a.start_ticks, a.path) < std::tie(b.pid, b.start_ticks, b.path);
  });
  return found;
}

std::vector<ProcessWithoutSegment> WithoutSegmentOfRun(const std::string& directory, const std::string& run_id) {
  std::vector<ProcessWithoutSegment> found;
  std::string ignored;
  VisitDirectory(directory, &ignored, [&](int, const char* entry) {
    std::string_view rest = entry;
    ProcessWithoutSegment process = {.path = directory + "/" + entry};
    uint64_t ticks = 0;
    if (!TakeNumber(&rest, '-', 10, &process.pid) || !TakeNumber(&rest, '-', 10, &ticks)) return;
    if (!rest.ends_with(kWithoutEnding) || !rest.starts_with(run_id)) return;
    rest.remove_suffix(kWithoutEnding.size());
    const size_t dash = run_id.empty() ? rest.find('-') : run_id.size();
    if (dash >= rest.size() || rest[dash] != '-') return;
    process.program = rest.substr(dash + 1);
    found.push_back(std::move(process));
  });
  return found;
}

std::vector<ProcessWithoutSegment> DeadWithoutSegment(const std::string& directory) {
  std::vector<ProcessWithoutSegment> found = WithoutSegmentOfRun(directory, "");
  std::erase_if(found, [](const ProcessWithoutSegment& process) {
    return access(("/proc/" + std::to_string(process.pid)).c_str(), F_OK) == 0;
  });
  return found;
}

std::vector<SegmentName> SegmentsOfPid(const std::vector<SegmentName>& all, int32_t pid) {
  std::vector<SegmentName> of_pid;
  for (const SegmentName& name : all) {
    bool holds = name.pid == pid;
    std::string ignored;
    const auto segment = holds ? std::nullopt : segment::Segment::Open(name.path, &ignored);
    if (segment) {
      for (const uint32_t image : segment->ClaimedImages()) {
        const auto header = segment->ReadImageHeader(image, &ignored);
        holds |= header && header->pid == pid;
      }
    }
    if (holds) of_pid.push_back(name);
  }
  return of_pid;
}

std::vector<SegmentName> SegmentsOfRun(const std::vector<SegmentName>& all, const std::string& run_id) {
  std::vector<SegmentName> of_run;
  for (const SegmentName& name : all) {
    std::string ignored;
    const auto segment = segment::Segment::Open(name.path, &ignored);
    if (segment && segment::FieldText(segment->header().run_id, sizeof segment->header().run_id) == run_id)
      of_run.push_back(name);
  }
  return of_run;
}

bool RemoveSegment(const std::string& path, std::string* error) {
  if (unlink(path.c_str()) == 0 || errno == ENOENT) return true;
  *error = path + ": cannot be removed (" + std::strerror(errno) + "); remove it as its owner";
  return false;
}

uint64_t TotalBytes(const std::vector<SegmentName>& segments) {
  uint64_t total = 0;
  for (const SegmentName& segment : segments) total += segment.allocated_bytes;
  return total;
}

}  // namespace heaptally::collect
