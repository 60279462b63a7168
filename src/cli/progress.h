// One line of progress on a terminal, from the second second on; nothing elsewhere. It is gone when the work is done.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace heaptally::cli {

class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Cheap: looks at the clock at every 256th call.
  void Show(size_t done, size_t all);

 private:
  std::string what_;
  bool terminal_;
  bool shown_ = false;
  size_t calls_ = 0;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace heaptally::cli
