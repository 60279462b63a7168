#include "cli/period_bounds.h"

#include <fmt/format.h>

#include "cli/units.h"
#include "sampling/charges.h"
#include "sampling/draw.h"

namespace heaptally::cli {

Refusal WhyNoPeriod(const std::string& mode, uint64_t period) {
  constexpr uint64_t kLeastBytes = 64u << 10;
  if (mode == "exact") {
    return {"--period has no meaning in exact mode, which samples nothing", "--mode bytes, or no --period"};
  }
  const std::string shown = FormatBytes(static_cast<double>(period));
  if (mode == "bytes") {
    if (period < kLeastBytes) {
      return {"--period " + shown + " is below 64 KiB, where sampling costs as much as counting",
              "--mode exact, or --period 64K"};
    }
    if (period > sampling::kMaxPeriod) return {"--period " + shown + " is above 1 TiB", "--period 1024G"};
    return {};
  }
  if (period < 2) return {"--period 1 would record every call", "--mode exact"};
  if (period > sampling::kMostCallsPerSample) {
    return {fmt::format("--period {} is above {} calls", period, sampling::kMostCallsPerSample), "--period 1000000"};
  }
  return {};
}

}  // namespace heaptally::cli
