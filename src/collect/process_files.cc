#include "collect/process_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace heaptally::collect {
namespace {

constexpr size_t kMostMappings = 65536;
constexpr size_t kMostDescriptors = 256;

std::string ProcessFolder(pid_t pid) { return "/proc/" + std::to_string(pid); }

// "7f00-7f10 r--p 00000000 00:1a 4711   /usr/lib/x.so (deleted)". False for lines without a file.
bool ParseMapping(const std::string& line, FileMapping* mapping) {
  constexpr std::string_view kDeleted = " (deleted)";
  int path_at = 0;
  unsigned major_number = 0, minor_number = 0;
  const int fields = std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %*s %*s %x:%x %" SCNu64 " %n", &mapping->start,
                                 &mapping->end, &major_number, &minor_number, &mapping->inode, &path_at);
  mapping->device = makedev(major_number, minor_number);
  if (fields < 5 || mapping->inode == 0 || path_at <= 0) return false;
  mapping->path = line.substr(static_cast<size_t>(path_at));
  mapping->deleted = mapping->path.ends_with(kDeleted);
  if (mapping->deleted) mapping->path.resize(mapping->path.size() - kDeleted.size());
  return true;
}

// A descriptor of the process's own that is this file, e.g. of a memfd.
std::shared_ptr<HeldFile> OpenDescriptor(pid_t pid, uint64_t inode) {
  std::error_code error;
  size_t looked = 0;
  for (std::filesystem::directory_iterator at(ProcessFolder(pid) + "/fd", error), end; !error && at != end;
       at.increment(error)) {
    if (++looked > kMostDescriptors) break;
    struct stat status {};
    if (stat(at->path().c_str(), &status) != 0 || status.st_ino != inode || !S_ISREG(status.st_mode)) continue;
    if (auto held = OpenIf(at->path().string(), inode)) return held;
  }
  return nullptr;
}

}  // namespace

HeldFile::~HeldFile() { close(descriptor_); }

std::vector<FileMapping> FileMappingsOf(pid_t pid) {
  std::vector<FileMapping> mappings;
  std::ifstream file(ProcessFolder(pid) + "/maps");
  FileMapping mapping;
  for (std::string line; mappings.size() < kMostMappings && std::getline(file, line);) {
    if (ParseMapping(line, &mapping)) mappings.push_back(mapping);
  }
  return mappings;
}

const FileMapping* MappingOf(const std::vector<FileMapping>& mappings, uint64_t start, uint64_t end) {
  const FileMapping* inside = nullptr;
  for (const FileMapping& mapping : mappings) {
    if (mapping.start == start) return &mapping;
    if (inside == nullptr && mapping.start > start && mapping.end <= end) inside = &mapping;
  }
  return inside;
}

std::shared_ptr<HeldFile> OpenIf(const std::string& path, uint64_t inode) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return nullptr;
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return nullptr;
  auto held = std::make_shared<HeldFile>(descriptor);
  const bool same = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && (inode == 0 || status.st_ino == inode);
  return same ? held : nullptr;
}

std::shared_ptr<HeldFile> OpenMapped(pid_t pid, const FileMapping& mapping) {
  const std::string process = ProcessFolder(pid);
  char map_file[64];
  std::snprintf(map_file, sizeof map_file, "/map_files/%" PRIx64 "-%" PRIx64, mapping.start, mapping.end);
  for (const std::string& path : {process + "/root" + mapping.path, process + "/exe", process + map_file}) {
    if (auto held = OpenIf(path, mapping.inode)) return held;
  }
  return OpenDescriptor(pid, mapping.inode);
}

std::shared_ptr<HeldFile> OpenForeignRoot(pid_t pid) {
  const std::string process = ProcessFolder(pid);
  struct stat ours {
  }, theirs{}, our_root{}, their_root{};
  const bool known = stat("/proc/self/ns/mnt", &ours) == 0 && stat((process + "/ns/mnt").c_str(), &theirs) == 0 &&
                     stat("/", &our_root) == 0 && stat((process + "/root/.").c_str(), &their_root) == 0;
  if (!known) return nullptr;
  const bool same =
      ours.st_ino == theirs.st_ino && our_root.st_ino == their_root.st_ino && our_root.st_dev == their_root.st_dev;
  if (same) return nullptr;
  const int descriptor = open((process + "/root").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  return descriptor < 0 ? nullptr : std::make_shared<HeldFile>(descriptor);
}

}  // namespace heaptally::collect
