#include "collect/resident.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

namespace heaptally::collect {
namespace {

std::string ProcPath(pid_t pid, const char* name) { return "/proc/" + std::to_string(pid) + "/" + name; }

std::string ReadAll(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

std::optional<Resident> ReadResident(pid_t pid) {
  unsigned long long size = 0, resident = 0, shared = 0;
  const std::string text = ReadAll(ProcPath(pid, "statm"));
  if (std::sscanf(text.c_str(), "%llu %llu %llu", &size, &resident, &shared) != 3 || size == 0) return std::nullopt;
  static const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return Resident{resident * page, shared * page};
}

uint64_t ReadHighestResident(pid_t pid) {
  const std::string text = ReadAll(ProcPath(pid, "status"));
  const size_t at = text.find("\nVmHWM:");
  if (at == std::string::npos) return 0;
  return std::strtoull(text.c_str() + at + 7, nullptr, 10) * 1024;
}

std::vector<pid_t> ChildrenOf(pid_t pid) {
  std::vector<pid_t> out;
  const std::string tasks = ProcPath(pid, "task");
  DIR* directory = opendir(tasks.c_str());
  if (directory == nullptr) return out;
  while (const dirent* entry = readdir(directory)) {
    if (entry->d_name[0] == '.') continue;
    std::istringstream children(ReadAll(tasks + "/" + entry->d_name + "/children"));
    for (pid_t child; children >> child;) out.push_back(child);
  }
  closedir(directory);
  return out;
}

std::vector<pid_t> TreeOf(pid_t pid, size_t limit) {
  std::vector<pid_t> out = {pid};
  std::set<pid_t> seen = {pid};
  for (size_t next = 0; next < out.size() && out.size() < limit; ++next) {
    for (const pid_t child : ChildrenOf(out[next])) {
      if (seen.insert(child).second && out.size() < limit) out.push_back(child);
    }
  }
  return out;
}

std::string ExecutableOf(pid_t pid) {
  char target[PATH_MAX];
  const ssize_t length = readlink(ProcPath(pid, "exe").c_str(), target, sizeof(target));
  return length > 0 ? std::string(target, static_cast<size_t>(length)) : "";
}

// By device and inode, so that a link or another name of the same file is recognised.
std::optional<bool> Maps(pid_t pid, const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return std::nullopt;
  std::ifstream file(ProcPath(pid, "maps"));
  std::string line;
  bool any = false;
  while (std::getline(file, line)) {
    any = true;
    unsigned int device_major = 0, device_minor = 0;
    unsigned long long inode = 0;
    if (std::sscanf(line.c_str(), "%*s %*s %*s %x:%x %llu", &device_major, &device_minor, &inode) != 3) continue;
    if (inode != status.st_ino) continue;
    // Overlay and btrfs show another device in maps than stat does; then the name decides.
    if (makedev(device_major, device_minor) == status.st_dev || line.ends_with(path.substr(path.rfind('/'))))
      return true;
  }
  if (!any) return std::nullopt;
  return false;
}

uint64_t StartTicks(pid_t pid) {
  const std::string text = ReadAll(ProcPath(pid, "stat"));
  const size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(text.substr(name_end + 1));
  std::string word;
  for (int field = 3; field <= 22; ++field) fields >> word;
  return std::strtoull(word.c_str(), nullptr, 10);
}

}  // namespace heaptally::collect
