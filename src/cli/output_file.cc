#include "cli/output_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "cli/message.h"

namespace heaptally::cli {
namespace {

bool WriteAll(const std::string& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "we");
  if (file == nullptr) return false;
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const int error = errno;
  const bool closed = std::fclose(file) == 0;
  if (!written) errno = error;
  return written && closed;
}

}  // namespace

int WriteOutput(const std::string& path, const std::string& text) {
  if (path.empty() || path == "-") {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return 0;  // main flushes, and says it if that fails
  }
  struct stat status {};
  const bool special = stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);  // /dev/stdout, a pipe
  const std::string draft = special ? path : path + ".part" + std::to_string(getpid());
  if (WriteAll(draft, text) && (special || std::rename(draft.c_str(), path.c_str()) == 0)) return 0;
  const std::string why = std::strerror(errno);
  if (!special) unlink(draft.c_str());
  return Complain(path + " cannot be written: " + why, "-o FILE, in a directory that you may write to");
}

}  // namespace heaptally::cli
