#include "segment/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace heaptally::segment {

std::optional<File> File::Open(const std::string& path, std::string* error) {
  File file;
  file.path_ = path;
  file.descriptor_ = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file.descriptor_ < 0) {
    const int cause = errno;
    *error = path + ": cannot be opened (" + std::strerror(cause) + ")";
    if (cause == EACCES) *error += "; read it as its owner or as root";
    if (cause == ELOOP) *error += "; it is a symbolic link, name the file itself";
    return std::nullopt;
  }
  struct stat status;
  if (fstat(file.descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
    *error = path + ": not a regular file, so not a segment; name a .seg file or a process id";
    return std::nullopt;
  }
  file.device_ = status.st_dev;
  file.inode_ = status.st_ino;
  return file;
}

File::~File() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool File::ReadAt(uint64_t offset, void* to, size_t bytes) const {
  auto* out = static_cast<char*>(to);
  while (bytes > 0) {
    if (offset > INT64_MAX - bytes) return false;
    const ssize_t got = pread(descriptor_, out, bytes, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    out += got;
    offset += static_cast<uint64_t>(got);
    bytes -= static_cast<size_t>(got);
  }
  return true;
}

File::Extent File::Size() const {
  struct stat status;
  if (fstat(descriptor_, &status) != 0 || status.st_size < 0) return {};
  return {static_cast<uint64_t>(status.st_size), static_cast<uint64_t>(status.st_blocks) * 512};
}

}  // namespace heaptally::segment
