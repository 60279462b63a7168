// A segment file, opened for reading by somebody who trusts neither the file nor its directory.
//
// Only pread, never a mapping: a file that shrinks under a mapping kills the reader with SIGBUS, and a pread of 128
// bytes can be compared with a second one. Links are not followed, and a FIFO or a device in the file's place does not
// block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace heaptally::segment {

class File {
 public:
  // Opens a regular file. On failure returns nothing and sets *error to one sentence.
  static std::optional<File> Open(const std::string& path, std::string* error);

  File(File&& other) noexcept : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {
    device_ = other.device_;
    inode_ = other.inode_;
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  File& operator=(File&&) = delete;
  ~File();

  // Returns true iff all `bytes` at `offset` were read.
  bool ReadAt(uint64_t offset, void* to, size_t bytes) const;

  // Length and bytes that really take room, both now: a segment is sparse and may be growing.
  struct Extent {
    uint64_t length = 0;
    uint64_t allocated = 0;
  };
  Extent Size() const;

  const std::string& path() const { return path_; }
  uint64_t device() const { return device_; }
  uint64_t inode() const { return inode_; }

 private:
  File() = default;
  std::string path_;
  int descriptor_ = -1;
  uint64_t device_ = 0;
  uint64_t inode_ = 0;
};

}  // namespace heaptally::segment
