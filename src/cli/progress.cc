#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace heaptally::cli {

Progress::Progress(std::string what)
    : what_(std::move(what)),
      terminal_(isatty(STDERR_FILENO) == 1),
      next_(std::chrono::steady_clock::now() + std::chrono::seconds(1)) {}

Progress::~Progress() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
}

void Progress::Show(size_t done, size_t all) {
  if (!terminal_ || ++calls_ % 256 != 0 || all == 0) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(200);
  shown_ = true;
  std::fputs(fmt::format("\rheaptally: {} {} %", what_, done * 100 / all).c_str(), stderr);
}

}  // namespace heaptally::cli
