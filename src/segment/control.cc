#include "segment/control.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <ctime>

namespace heaptally::segment {
namespace {

uint64_t UnixNow() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

bool IsWhole(const Control& control) { return control.check == ~control.order; }

Control Changed(const Control& before, const Order& order) {
  const bool was_paused = IsPaused(before);
  const bool paused = order.recording == Order::Recording::kAsIs ? was_paused : order.recording == Order::Recording::kPause;
  const uint64_t asked = IsWhole(before) ? before.order & ~kOrderPaused : 0;
  Control after = before;
  after.order = (order.period != 0 ? order.period : asked) | (paused ? kOrderPaused : 0);
  after.check = ~after.order;
  const uint64_t now = UnixNow();
  if (paused && !was_paused) after.paused_since_unix_ns = now;
  if (!paused && was_paused && now > before.paused_since_unix_ns) {
    after.paused_ns += now - before.paused_since_unix_ns;
  }
  return after;
}

// Closes at the end of its scope.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) close(number);
  }
};

}  // namespace

bool IsPaused(const Control& control) { return IsWhole(control) && (control.order & kOrderPaused) != 0; }

bool WriteOrder(const Segment& segment, uint32_t index, const ImageHeader& header, const Order& order,
                std::string* error) {
  const File& file = segment.file();
  const Descriptor to = {open(file.path().c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
  struct stat status {};
  if (to.number < 0 || fstat(to.number, &status) != 0) {
    *error = file.path() + " can't be written: " + std::strerror(errno);
    return false;
  }
  if (status.st_dev != file.device() || status.st_ino != file.inode()) {
    *error = file.path() + " was replaced while it was read";
    return false;
  }
  const auto region = segment.RegionOffset(index);
  if (!region) {
    *error = file.path() + " changed while it was read";
    return false;
  }
  const Control control = Changed(header.control, order);
  const auto at = static_cast<off_t>(*region + offsetof(ImageHeader, control));
  if (pwrite(to.number, &control, sizeof control, at) == static_cast<ssize_t>(sizeof control)) return true;
  *error = file.path() + " can't be written: " + std::strerror(errno);
  return false;
}

}  // namespace heaptally::segment
