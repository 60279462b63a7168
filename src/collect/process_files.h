// Which files are mapped into a living process, and how to get at them when their names lead elsewhere: a file that was
// deleted or replaced, a memfd, a file in another mount namespace, a name relative to the process's own directory.
//
// Nothing is believed by name: a file that was opened is the mapped one only if its inode is.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace heaptally::collect {

// An open descriptor, closed at the end. Path() reopens the same file, whatever became of its name.
class HeldFile {
 public:
  explicit HeldFile(int descriptor) : descriptor_(descriptor) {}
  ~HeldFile();
  HeldFile(const HeldFile&) = delete;
  HeldFile& operator=(const HeldFile&) = delete;
  int descriptor() const { return descriptor_; }
  std::string Path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

struct FileMapping {
  uint64_t start = 0;
  uint64_t end = 0;
  uint64_t device = 0;   // as /proc/PID/maps has it: on some file systems not what stat() says
  uint64_t inode = 0;
  std::string path;      // as /proc/PID/maps has it, without " (deleted)"
  bool deleted = false;  // the kernel says so
};

// The mappings of files (not of anonymous memory) of a process, in order; at most 65,536. Empty if it is gone or not
// ours to look at.
std::vector<FileMapping> FileMappingsOf(pid_t pid);

// The mapping that an object loaded at [start, end) shows: the one at `start`, else any inside; null if there is none.
const FileMapping* MappingOf(const std::vector<FileMapping>& mappings, uint64_t start, uint64_t end);

// Opens the regular file at `path` for reading, if its inode is `inode` (0: any). Null if not. Never blocks.
std::shared_ptr<HeldFile> OpenIf(const std::string& path, uint64_t inode);

// Opens the file behind a mapping of `pid` by any way but its plain name: the process's root directory, its executable,
// /proc/PID/map_files (root, or CAP_CHECKPOINT_RESTORE), its own descriptors. Null if none leads there.
std::shared_ptr<HeldFile> OpenMapped(pid_t pid, const FileMapping& mapping);

// The directory that the process has as its root, if it sees other files than we do; else null.
std::shared_ptr<HeldFile> OpenForeignRoot(pid_t pid);

}  // namespace heaptally::collect
