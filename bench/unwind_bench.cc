// What a stack costs: ns per frame when every rule is cached, ns per rule that is not, and libgcc's _Unwind_Backtrace
// on the same stacks in the same run. The best of several rounds is printed, since the machine's other work only adds.
//
// And what the memo of the last walk saves, against plain walks of the same stacks: when nothing varies between two
// walks, the inner 6 frames, or all that this program has above main.
//
//   unwind_bench [rounds]
#include <unwind.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "base/branch.h"
#include "platform/thread.h"
#include "unwind/unwinder.h"

namespace {

using Clock = std::chrono::steady_clock;
using heaptally::unwind::kMaxFrames;

constexpr int kDepth = 30;
constexpr int kWalksPerRound = 20000;
constexpr int kColdWalksPerRound = 2000;
constexpr int kLibgccWalksPerRound = 2000;

heaptally::unwind::StackBounds bounds;
uint64_t frames[kMaxFrames];
volatile uint64_t sink;

alignas(64) char memo_memory[heaptally::unwind::kWalkMemoBytes];

void UseMemo(bool use) { bounds.memo = use ? heaptally::unwind::MemoInZeroedMemory(memo_memory) : nullptr; }

struct Costs {
  uint32_t depth = 0;
  double warm_ns = 1e18;
  double miss_ns = 1e18;
  double libgcc_ns = 1e18;
  double memo_ns = 1e18;
};

double NanosecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

HT_NOINLINE double Warm(const heaptally::platform::Registers& registers, uint32_t* depth) {
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < kWalksPerRound; ++i) {
    *depth = heaptally::unwind::Unwind(registers, &bounds, frames, kMaxFrames).count;
  }
  return NanosecondsSince(start) / kWalksPerRound;
}

// Only the walks are timed: forgetting is a few ns, except every eighth time, when it clears the table.
HT_NOINLINE double PerMiss(const heaptally::platform::Registers& registers) {
  const uint64_t misses = heaptally::unwind::RuleMisses();
  double total = 0;
  for (int i = 0; i < kColdWalksPerRound; ++i) {
    heaptally::unwind::ForgetRules();
    const Clock::time_point start = Clock::now();
    heaptally::unwind::Unwind(registers, &bounds, frames, kMaxFrames);
    total += NanosecondsSince(start);
  }
  return total / static_cast<double>(heaptally::unwind::RuleMisses() - misses);
}

_Unwind_Reason_Code AddFrame(_Unwind_Context* context, void* count) {
  sink = _Unwind_GetIP(context);
  ++*static_cast<uint32_t*>(count);
  return _URC_NO_REASON;
}

HT_NOINLINE double Libgcc() {
  uint32_t count = 0;
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < kLibgccWalksPerRound; ++i) _Unwind_Backtrace(AddFrame, &count);
  return NanosecondsSince(start) / kLibgccWalksPerRound;
}

HT_NOINLINE void Measure(int rounds, Costs* costs) {
  const heaptally::platform::Registers registers = HT_CALLER_REGISTERS();
  for (int i = 0; i < rounds; ++i) {
    costs->warm_ns = std::min(costs->warm_ns, Warm(registers, &costs->depth));
    UseMemo(true);
    costs->memo_ns = std::min(costs->memo_ns, Warm(registers, &costs->depth));
    UseMemo(false);
    costs->miss_ns = std::min(costs->miss_ns, PerMiss(registers));
    costs->libgcc_ns = std::min(costs->libgcc_ns, Libgcc());
  }
}

// Distinct functions, so that every frame has a rule of its own, of different frame sizes.
template <int kLevel>
HT_NOINLINE uint64_t Descend(int rounds, Costs* costs) {
  volatile uint64_t frame[1 + kLevel % 7] = {};
  if constexpr (kLevel == 0) {
    Measure(rounds, costs);
  } else {
    frame[0] = Descend<kLevel - 1>(rounds, costs);
  }
  return frame[0] + 1;
}

// Stacks that vary: the walk is the innermost call. What the calls themselves cost is measured without it.
bool walks;
uint32_t varied_depth;

HT_NOINLINE void WalkHere() {
  if (!walks) return;
  varied_depth = heaptally::unwind::Unwind(HT_CALLER_REGISTERS(), &bounds, frames, kMaxFrames).count;
}

constexpr int kVariants = 4;

template <int kVariant, int kLevel>
HT_NOINLINE uint64_t DescendVaried() {
  volatile uint64_t frame[1 + (kLevel + 2 * kVariant) % 7] = {};
  if constexpr (kLevel == 0) {
    WalkHere();
  } else {
    frame[0] = DescendVaried<kVariant, kLevel - 1>();
  }
  return frame[0] + 1;
}

template <int kLevels>
HT_NOINLINE uint64_t WalkVariants() {
  uint64_t sum = 0;
  for (int i = 0; i < kWalksPerRound / kVariants; ++i) {
    sum += DescendVaried<0, kLevels>() + DescendVaried<1, kLevels>() + DescendVaried<2, kLevels>() +
           DescendVaried<3, kLevels>();
  }
  return sum;
}

// A fixed stack below what varies.
template <int kFixed, int kVaried>
HT_NOINLINE uint64_t OnFixed() {
  volatile uint64_t frame[1 + kFixed % 5] = {};
  if constexpr (kFixed == 0) {
    frame[0] = WalkVariants<kVaried - 1>();
  } else {
    frame[0] = OnFixed<kFixed - 1, kVaried>();
  }
  return frame[0] + 1;
}

struct VariedCosts {
  uint32_t depth = 0;
  double plain_ns = 1e18;
  double memo_ns = 1e18;
};

template <int kFixed, int kVaried>
VariedCosts MeasureVaried(int rounds) {
  double best[3] = {1e18, 1e18, 1e18};  // the calls alone, with plain walks, with the memo
  for (int i = 0; i < rounds; ++i) {
    for (int what = 0; what < 3; ++what) {
      walks = what > 0;
      UseMemo(what == 2);
      const Clock::time_point start = Clock::now();
      sink = OnFixed<kFixed, kVaried>();
      best[what] = std::min(best[what], NanosecondsSince(start) / kWalksPerRound);
    }
  }
  UseMemo(false);
  return {varied_depth, best[1] - best[0], best[2] - best[0]};
}

void PrintMemo(const char* what, uint32_t depth, double plain_ns, double memo_ns) {
  std::printf("%-18s%8u frames: plain %6.1f ns, memo %6.1f ns, plain / memo %.2f\n", what, depth, plain_ns, memo_ns,
              plain_ns / memo_ns);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 20;
  if (!heaptally::unwind::Initialize()) return 1;
  Costs costs;
  sink = Descend<kDepth>(rounds, &costs);
  std::printf("frames            %8u\n", costs.depth);
  std::printf("warm stack        %8.1f ns\n", costs.warm_ns);
  std::printf("warm frame        %8.2f ns\n", costs.warm_ns / costs.depth);
  std::printf("rule miss         %8.1f ns\n", costs.miss_ns);
  std::printf("libgcc stack      %8.1f ns\n", costs.libgcc_ns);
  std::printf("libgcc / warm     %8.1f\n", costs.libgcc_ns / costs.warm_ns);
  PrintMemo("same stack", costs.depth, costs.warm_ns, costs.memo_ns);
  const VariedCosts inner = MeasureVaried<24, 6>(rounds);
  PrintMemo("inner 6 vary", inner.depth, inner.plain_ns, inner.memo_ns);
  const VariedCosts all = MeasureVaried<0, 30>(rounds);
  PrintMemo("all vary", all.depth, all.plain_ns, all.memo_ns);
  return 0;
}
