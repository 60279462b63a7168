#include "collect/clock_scale.h"

#include <cmath>
#include <ctime>
#include <fstream>
#include <string>

#include "platform/tsc.h"
#include "segment/reader.h"

namespace heaptally::collect {
namespace {

uint64_t ReadClock(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

// Nanoseconds of one tick of the time stamp counter, measured once.
double MeasuredTick() {
  static const double tick = [] {
    const uint64_t from_ns = ReadClock(CLOCK_MONOTONIC), from = platform::ReadTsc();
    const timespec pause = {0, 5'000'000};
    nanosleep(&pause, nullptr);
    const uint64_t to_ns = ReadClock(CLOCK_MONOTONIC), to = platform::ReadTsc();
    return to > from ? static_cast<double>(to_ns - from_ns) / static_cast<double>(to - from) : 1.0;
  }();
  return tick;
}

uint64_t Clamp(double value) {
  if (!(value > 0)) return 0;
  return value >= 9.2e18 ? uint64_t{9'200'000'000'000'000'000} : static_cast<uint64_t>(value);
}

}  // namespace

ClockScale ClockScale::Of(const segment::ImageHeader& image, bool same_boot) {
  double tick = 1;
  if (image.clock_kind == segment::ClockKind::kTsc) {
    tick = MeasuredTick();
    const uint64_t now = platform::ReadTsc(), now_ns = UnixNow();
    if (same_boot && now > image.started_clock && now_ns > image.started_unix_ns) {
      const double life =
          static_cast<double>(now_ns - image.started_unix_ns) / static_cast<double>(now - image.started_clock);
      if (std::abs(life - tick) < tick / 100) tick = life;
    }
  }
  return {image.started_clock, image.started_unix_ns, tick};
}

uint64_t ClockScale::ToNs(uint64_t units) const { return Clamp(static_cast<double>(units) * ns_per_unit_); }

uint64_t ClockScale::ToUnixNs(uint64_t clock) const {
  if (clock <= started_clock_) return started_unix_ns_;
  const uint64_t since = ToNs(clock - started_clock_);
  return since > UINT64_MAX - started_unix_ns_ ? UINT64_MAX : started_unix_ns_ + since;
}

uint64_t ClockScale::ToClock(uint64_t unix_ns) const {
  if (unix_ns <= started_unix_ns_ || !(ns_per_unit_ > 0)) return started_clock_;
  const uint64_t since = Clamp(static_cast<double>(unix_ns - started_unix_ns_) / ns_per_unit_);
  return since > UINT64_MAX - started_clock_ ? UINT64_MAX : started_clock_ + since;
}

uint64_t UnixNow() { return ReadClock(CLOCK_REALTIME); }

uint64_t ClockNow(segment::ClockKind kind) {
  return kind == segment::ClockKind::kTsc ? platform::ReadTsc() : ReadClock(CLOCK_MONOTONIC_COARSE);
}

bool IsThisBoot(const char* boot_id, size_t capacity) {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string ours;
  return static_cast<bool>(file >> ours) && ours == segment::FieldText(boot_id, capacity);
}

}  // namespace heaptally::collect
