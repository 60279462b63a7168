#include "agent/config.h"

#include "platform/syscalls.h"

namespace heaptally::agent {
namespace {

using platform::Call;
using platform::Syscall;

struct Text {
  const char* at;
  const char* end;
};

bool TakePrefix(Text* text, const char* prefix) {
  const char* p = text->at;
  for (; *prefix != 0; ++prefix, ++p) {
    if (p == text->end || *p != *prefix) return false;
  }
  text->at = p;
  return true;
}

bool Equals(Text text, const char* word) { return TakePrefix(&text, word) && text.at == text.end; }

bool ParseNumber(Text text, uint64_t* number) {
  uint64_t value = 0;
  if (text.at == text.end) return false;
  for (; text.at != text.end; ++text.at) {
    if (*text.at < '0' || *text.at > '9' || value > (UINT64_MAX - 9) / 10) return false;
    value = value * 10 + static_cast<uint64_t>(*text.at - '0');
  }
  *number = value;
  return true;
}

template <uint64_t kSize>
void CopyText(Text text, char (&to)[kSize]) {
  const uint64_t bytes = static_cast<uint64_t>(text.end - text.at);
  if (bytes >= kSize) return;
  for (uint64_t i = 0; i < bytes; ++i) to[i] = text.at[i];
  to[bytes] = 0;
}

void ParseOption(Text option, Config* config) {
  uint64_t number = 0;
  if (TakePrefix(&option, "mode=")) {
    if (Equals(option, "exact")) config->mode = segment::Mode::kExact;
    if (Equals(option, "bytes")) config->mode = segment::Mode::kBytes;
    if (Equals(option, "count")) config->mode = segment::Mode::kCount;
    if (Equals(option, "per-class")) config->mode = segment::Mode::kPerClass;
  } else if (TakePrefix(&option, "period=")) {
    if (!ParseNumber(option, &number)) return;
    config->period = number;
  } else if (TakePrefix(&option, "dir=")) {
    CopyText(option, config->directory);
  } else if (TakePrefix(&option, "run=")) {
    CopyText(option, config->run_id);
  } else if (TakePrefix(&option, "follow=")) {
    config->follow = !Equals(option, "0");
  } else if (TakePrefix(&option, "hide=")) {
    config->hide = Equals(option, "1");
  } else if (TakePrefix(&option, "seed=")) {
    if (ParseNumber(option, &number)) config->seed = number;
  } else if (TakePrefix(&option, "cap=")) {
    if (ParseNumber(option, &number)) config->cap_bytes = number;
  }
}

// The mode's own period where none is told, and bounds.
void SettlePeriod(Config* config) {
  const bool charged = segment::IsCharged(config->mode);
  const uint64_t least = charged ? kLeastPeriodCalls : kLeastPeriodBytes;
  const uint64_t most = charged ? sampling::kMostCallsPerSample : sampling::kMaxPeriod;
  if (config->period == 0) config->period = charged ? kUsualPeriodCalls : kUsualPeriodBytes;
  config->period = config->period < least ? least : config->period < most ? config->period : most;
}

}  // namespace

void ParseConfig(const char* text, uint64_t bytes, Config* config) {
  config->present = true;
  config->period = 0;
  const char* end = text + bytes;
  while (text < end) {
    const char* stop = text;
    while (stop < end && *stop != ',') ++stop;
    ParseOption(Text{text, stop}, config);
    text = stop + 1;
  }
  SettlePeriod(config);
}

void ReadConfig(Config* config) {
  SettlePeriod(config);
  const long fd = Syscall(Call::kOpen, platform::AsLong("/proc/self/environ"), 02000000 /* O_CLOEXEC */);
  if (fd < 0) return;
  // A window that slides over the environment: names are matched at string starts, values of up to 900 bytes kept whole.
  char window[1024];
  uint64_t filled = 0;
  bool at_start = true;
  for (;;) {
    const long got = Syscall(Call::kRead, fd, platform::AsLong(window + filled), static_cast<long>(sizeof(window) - filled));
    if (got > 0) filled += static_cast<uint64_t>(got);
    if (filled == 0) break;
    uint64_t stop = 0;
    while (stop < filled && window[stop] != 0) ++stop;
    const bool whole = stop < filled || got <= 0;
    Text entry{window, window + stop};
    if (at_start && whole && TakePrefix(&entry, "HEAPTALLY=")) {
      ParseConfig(entry.at, static_cast<uint64_t>(entry.end - entry.at), config);
      break;
    }
    if (!whole && stop < sizeof(window)) continue;  // read on
    // Drop this entry (or, of one that is longer than the window, this part).
    const uint64_t drop = stop < filled ? stop + 1 : filled;
    at_start = stop < filled;
    for (uint64_t i = drop; i < filled; ++i) window[i - drop] = window[i];
    filled -= drop;
    if (got <= 0 && filled == 0) break;
  }
  Syscall(Call::kClose, fd);
}

}  // namespace heaptally::agent
