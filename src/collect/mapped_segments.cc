#include "collect/mapped_segments.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "collect/resident.h"
#include "collect/segments.h"

namespace heaptally::collect {
namespace {

struct Mapping {
  uint64_t device = 0;
  uint64_t inode = 0;
  std::string path;
};

// "7f00-7f10 rw-s 00000000 00:1a 4711   /dev/shm/..." -> device, inode, path. False for lines without a file.
bool ParseMapping(const std::string& line, Mapping* mapping) {
  unsigned major_number = 0, minor_number = 0;
  uint64_t inode = 0;
  int path_at = 0;
  if (std::sscanf(line.c_str(), "%*s %*s %*s %x:%x %" SCNu64 " %n", &major_number, &minor_number, &inode, &path_at) <
      3) {
    return false;
  }
  mapping->device = makedev(major_number, minor_number);
  mapping->inode = inode;
  mapping->path = path_at > 0 ? line.substr(static_cast<size_t>(path_at)) : "";
  return inode != 0;
}

bool IsSegmentName(const std::string& path) {
  constexpr std::string_view kDeleted = " (deleted)";
  std::string_view name = path;
  if (name.ends_with(kDeleted)) name.remove_suffix(kDeleted.size());
  return name.ends_with(".seg");
}

std::vector<int32_t> AllPids() {
  std::vector<int32_t> pids;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename().string();
    int32_t pid = 0;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (parsed.ec == std::errc() && *parsed.ptr == 0) pids.push_back(pid);
  }
  return pids;
}

// Whether `path`, as we see it, is the file of the mapping. Some file systems (overlay, btrfs) show another device in maps
// than stat does, so the inode and the random name decide.
bool IsThatFile(const std::string& path, const Mapping& mapping) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_ino == mapping.inode;
}

template <typename Visitor>
void ForEachMapping(int32_t pid, Visitor visit) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/maps");
  Mapping mapping;
  for (std::string line; std::getline(file, line);) {
    if (ParseMapping(line, &mapping)) visit(mapping);
  }
}

}  // namespace

int32_t MappedSegments::InnerPid(int32_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("NSpid:")) continue;
    const size_t last = line.find_last_of(" \t");
    return last == std::string::npos ? pid : std::atoi(line.c_str() + last);
  }
  return pid;
}

std::vector<MappedSegments::Place> MappedSegments::OfProcess(int32_t pid) {
  std::vector<Place> places;
  ForEachMapping(pid, [&](const Mapping& mapping) {
    const std::string name = std::filesystem::path(mapping.path).filename().string();
    if (!ParseSegmentName(name) || (!places.empty() && places.back().inode == mapping.inode)) return;
    const std::string path = "/proc/" + std::to_string(pid) + "/root" + mapping.path;
    if (IsThatFile(path, mapping)) places.push_back({pid, path, mapping.inode});
  });
  return places;
}

std::vector<MappedSegments::Place> MappedSegments::Everywhere() {
  std::vector<Place> places;
  for (const int32_t pid : AllPids()) {
    for (Place& place : OfProcess(pid)) {
      const bool known = std::any_of(places.begin(), places.end(),
                                     [&](const Place& other) { return other.inode == place.inode; });
      if (!known) places.push_back(std::move(place));
    }
  }
  return places;
}

bool MappedSegments::Maps(int32_t pid, const segment::File& file) {
  const std::string name = std::filesystem::path(file.path()).filename().string();
  bool found = false;
  if (pid <= 0) return false;
  ForEachMapping(pid, [&](const Mapping& mapping) {
    // Some file systems (overlay, btrfs) show another device here than fstat does; there the random name decides.
    found |= mapping.inode == file.inode() &&
             (mapping.device == file.device() || mapping.path.find(name) != std::string::npos);
  });
  return found;
}

bool MappedSegments::StillRuns(int32_t pid, uint64_t start_ticks) {
  if (pid <= 0 || start_ticks == 0 || StartTicks(pid) != start_ticks) return false;
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(file, line);
  const size_t name_end = line.rfind(") ");
  return name_end != std::string::npos && line.size() > name_end + 2 && line[name_end + 2] != 'Z' &&
         line[name_end + 2] != 'X';
}

const std::vector<MappedSegments::Process>& MappedSegments::Of(const segment::File& file) {
  if (!looked_) LookAtAll();
  return by_inode_[file.inode()];
}

void MappedSegments::LookAtAll() {
  looked_ = true;
  for (const int32_t pid : AllPids()) {
    std::vector<uint64_t> inodes;
    ForEachMapping(pid, [&](const Mapping& mapping) {
      if (IsSegmentName(mapping.path) && (inodes.empty() || inodes.back() != mapping.inode))
        inodes.push_back(mapping.inode);
    });
    for (const uint64_t inode : inodes) {
      auto& processes = by_inode_[inode];
      if (processes.empty() || processes.back().pid != pid) processes.push_back({pid, InnerPid(pid)});
    }
  }
}

}  // namespace heaptally::collect
