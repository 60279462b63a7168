#include "agent/events.h"

#include "agent/draws.h"
#include "agent/guard.h"
#include "agent/image.h"
#include "agent/modules.h"
#include "agent/page_filter.h"
#include "agent/process.h"
#include "agent/stacks.h"
#include "agent/thread_name.h"
#include "agent/thread_state.h"
#include "agent/thread_table.h"
#include "base/hash.h"
#include "unwind/unwinder.h"

namespace heaptally::agent {
namespace {

using segment::Mode;

constexpr uint32_t kInlineFrames = 96;   // on the program's stack: 768 bytes
constexpr uint32_t kWalksBeforeMemo = 64;
constexpr int64_t kNeverAgain = int64_t{1} << 62;

// Deeper stacks are taken into one of these.
constexpr uint32_t kDeepBuffers = 16;
uint64_t g_deep_frames[kDeepBuffers][unwind::kMaxFrames];
uint32_t g_deep_taken[kDeepBuffers];

// The first frame of a process is hand-written code of the loader without unwind information: no caller is missing there.
unwind::Result EndAtLoader(unwind::Result result, const uint64_t* frames) {
  const bool in_loader = result.count > 0 && frames[result.count - 1] - g_loader_text.start < g_loader_text.end - g_loader_text.start;
  if (result.end == unwind::End::kNoRule && in_loader) result.end = unwind::End::kComplete;
  return result;
}

HT_NOINLINE uint32_t DeepSiteOf(const platform::Registers& caller, segment::Kind kind) {
  for (uint32_t i = 0; i < kDeepBuffers; ++i) {
    if (__atomic_exchange_n(&g_deep_taken[i], 1u, __ATOMIC_ACQUIRE) != 0) continue;
    const unwind::Result result = EndAtLoader(unwind::Unwind(caller, &t_state.bounds, g_deep_frames[i], unwind::kMaxFrames), g_deep_frames[i]);
    const uint32_t site = SiteOf(g_deep_frames[i], result.count, result.end, kind);
    __atomic_store_n(&g_deep_taken[i], 0u, __ATOMIC_RELEASE);
    return site;
  }
  return kNoItem;
}

// First slow event of this thread (or of this thread in a new image). Begins a draw.
HT_COLD void SetUpThread() {
  t_state.image_epoch = g_epoch;
  t_state.exact_epoch = g_image.header->mode == Mode::kExact ? g_exact_epoch : 0;
  t_state.slot = FindThreadEntry();
  LearnThreadName();
  t_state.last_block = 0;
  t_state.walks = 0;
  t_state.bounds.memo = nullptr;
  // Children of one process come here with the same seed and number, and maybe without a counter to read: their images differ.
  t_state.generator = sampling::Generator(base::HashCombine(NewSeed() ^ platform::ThreadPointer(), g_image.index));
  t_state.is_paused = 0;
  t_state.countdown = 0;
  if (segment::IsSampled(g_image.header->mode)) BeginDraw();
}

// A thread that lives a while gets room to remember its last walk: most of the next stack is the same.
HT_COLD void RememberWalks() {
  void* memory = TakeWalkMemo(t_state.slot);
  if (memory != nullptr) t_state.bounds.memo = unwind::MemoInZeroedMemory(memory);
}

// The loader allocates and frees for every library that comes or goes: after that, modules are looked at again.
HT_ALWAYS_INLINE void WatchLoader(uint64_t pc) {
  if (HT_UNLIKELY(pc - g_loader_text.start < g_loader_text.end - g_loader_text.start)) {
    __atomic_store_n(&g_loader_was_here, 1u, __ATOMIC_RELAXED);
  } else if (HT_UNLIKELY(__atomic_load_n(&g_loader_was_here, __ATOMIC_RELAXED) != 0)) {
    VerifyAllModules();
  }
}

bool IsImpossible(uint64_t size) { return static_cast<int64_t>(size) < 0; }  // the real function refuses it

// Each of the two: is this allocation to be recorded, if it is not nested and succeeds?
bool DecideExact(uint64_t size) {
  if (HT_UNLIKELY(t_state.image_epoch != g_epoch)) SetUpThread();
  if (t_state.exact_epoch != g_exact_epoch) {
    t_state.exact_epoch = g_exact_epoch;
    TakeNewThreadName();
  }
  if (IsExactPaused(size)) return false;
  t_state.countdown = 0;
  return !IsImpossible(size);
}

bool DecideSampled(uint64_t size, sampled::Drawn* drawn) {
  const auto debit = static_cast<int64_t>(g_is_charged ? g_charges.charge[sampling::SizeClassOf(size)] : size + 1);
  if (HT_UNLIKELY(t_state.image_epoch != g_epoch)) {
    // A child comes with a draw, made at its fork or by its parent, and it holds: a child that began anew at its first sample
    // would lose it, T bytes in the mean. Only a new thread has none, and one that was paused.
    const uint64_t drawn_period = t_state.is_paused != 0 ? 0 : t_state.period;
    const bool fired = LeftOfDraw() < 0;
    SetUpThread();
    if (!IsImpossible(size) && drawn_period == 0) LeftOfDraw() -= debit;
    if (!IsImpossible(size) && drawn_period != 0 && fired) {
      t_state.is_paused = 0;
      t_state.period = drawn_period;
      LeftOfDraw() = -1;
    }
  } else if (IsImpossible(size)) {
    LeftOfDraw() += debit;
  }
  if (IsImpossible(size) || LeftOfDraw() >= 0) return false;
  drawn->period = EndDraw(size);
  return drawn->period != 0;
}

bool StillTheSame(const Intent& intent) { return intent.epoch == g_epoch && OwnsImage(); }

}  // namespace

HT_NOINLINE uint32_t TakeSite(const platform::Registers& caller, segment::Kind kind) {
  uint64_t frames[kInlineFrames];
  unwind::Result result = unwind::Unwind(caller, &t_state.bounds, frames, kInlineFrames);
  if (HT_UNLIKELY(result.end == unwind::End::kNoRule)) result = EndAtLoader(result, frames);
  if (HT_UNLIKELY(result.end == unwind::End::kDepthLimit)) {
    const uint32_t site = DeepSiteOf(caller, kind);
    if (site != kNoItem) return site;
  }
  return SiteOf(frames, result.count, result.end, kind);
}

void ForgetInterruptedEvents() {
  for (uint32_t& taken : g_deep_taken) taken = 0;
}

Intent DecideAcquisition(const platform::Registers& caller, uint64_t size) {
  Intent intent;
  if (HT_UNLIKELY(!OwnsImage()) && !ClaimImage()) {
    t_state.countdown = kNeverAgain;  // quiet; a later child of this process starts with a new draw
    if (g_ownership != nullptr && *g_ownership == static_cast<uint32_t>(Ownership::kNone)) t_state.countdown = 0;
    return intent;
  }
  const bool exact = g_image.header->mode == Mode::kExact;
  if (exact ? !DecideExact(size) : !DecideSampled(size, &intent.drawn)) return intent;
  if (IsNested(caller)) return intent;
  if (!exact) TakeNewThreadName();
  if (!exact) intent.drawn.halves = sampling::AssignHalves(t_state.generator, OddsOf(size, intent.drawn.period));
  intent.record = true;
  intent.exact = exact;
  intent.epoch = g_epoch;
  return intent;
}

void RecordAcquisition(const Intent& intent, const platform::Registers& caller, void* pointer, uint64_t size) {
  if (intent.exact) return RecordExact(intent.epoch, caller, pointer, size);
  if (StillTheSame(intent)) sampled::Acquired(pointer, size, TakeSite(caller), intent.drawn);
}

void RecordExact(uint32_t epoch, const platform::Registers& caller, void* pointer, uint64_t size) {
  exact::Prefetch(reinterpret_cast<uint64_t>(pointer));
  if (epoch != g_epoch || !OwnsImage()) return;  // a fork came in between: abandoned
  WatchLoader(caller.pc);
  if (HT_UNLIKELY(t_state.walks < kWalksBeforeMemo) && ++t_state.walks == kWalksBeforeMemo) RememberWalks();
  exact::Acquired(reinterpret_cast<uint64_t>(pointer), size, TakeSite(caller));
}

void RecordRelease(const platform::Registers& caller, void* pointer) {
  if (pointer == nullptr || g_image.header == nullptr) return;
  if (HT_UNLIKELY(!OwnsImage()) && (segment::IsSampled(g_image.header->mode) || !ClaimImage())) return;
  if (g_image.header->mode == Mode::kExact) {
    exact::Prefetch(reinterpret_cast<uint64_t>(pointer));
    __builtin_prefetch(static_cast<char*>(pointer) - sizeof(size_t));  // the allocator's own word, which free looks at first
  }
  if (IsNested(caller)) return;
  if (segment::IsSampled(g_image.header->mode)) {
    sampled::Releasing(pointer);
    return;
  }
  if (HT_UNLIKELY(t_state.image_epoch != g_epoch)) SetUpThread();
  WatchLoader(caller.pc);
  if (!exact::Releasing(reinterpret_cast<uint64_t>(pointer))) __atomic_fetch_add(&g_image.header->unknown_frees, 1, __ATOMIC_RELAXED);
}

void BeginMove(const platform::Registers& caller, void* old_pointer, uint64_t size, bool decide, Move* move) {
  // realloc(p, 0) that frees is no allocation; one that gives a smallest block is, and then counts with size 0.
  if (decide) move->intent = DecideAcquisition(caller, size);
  if (!OwnsImage() || IsNested(caller)) return;
  move->intent.epoch = g_epoch;
  if (old_pointer == nullptr) return;
  if (g_image.header->mode == Mode::kExact) {
    move->exact_transit = exact::BeginMove(reinterpret_cast<uint64_t>(old_pointer));
    move->in_transit = static_cast<bool>(move->exact_transit.slot);
    move->intent.exact = true;
  } else if (MayBeRecorded(old_pointer)) {
    move->sampled_transit = sampled::BeginMove(old_pointer);
    move->in_transit = move->sampled_transit.key != nullptr;
  }
}

void EndMove(const Move& move, const platform::Registers& caller, void* old_pointer, void* new_pointer, uint64_t size) {
  if (!StillTheSame(move.intent)) return;
  const bool exact = move.intent.exact;
  const bool freed = new_pointer == nullptr && size == 0 && old_pointer != nullptr;
  if (new_pointer == nullptr) {
    if (exact && freed && !move.in_transit && move.intent.record) __atomic_fetch_add(&g_image.header->unknown_frees, 1, __ATOMIC_RELAXED);
    if (!move.in_transit) return;
    if (exact) return freed ? exact::EndMove(move.exact_transit) : exact::AbortMove(move.exact_transit, reinterpret_cast<uint64_t>(old_pointer));
    return freed ? sampled::EndMove(move.sampled_transit) : sampled::AbortMove(move.sampled_transit);
  }
  if (!move.intent.record) {
    if (move.in_transit && exact) exact::EndMove(move.exact_transit);  // recording is paused
    if (move.in_transit && !exact) sampled::CommitMove(move.sampled_transit, old_pointer, new_pointer, size, kSiteOtherId, nullptr);
    return;
  }
  if (old_pointer == nullptr) {  // realloc(NULL, n) is malloc(n)
    RecordAcquisition(move.intent, caller, new_pointer, size);
    return;
  }
  if (exact) {
    WatchLoader(caller.pc);
    exact::CommitMove(move.exact_transit, reinterpret_cast<uint64_t>(old_pointer), reinterpret_cast<uint64_t>(new_pointer), size, TakeSite(caller));
  } else {
    sampled::CommitMove(move.sampled_transit, old_pointer, new_pointer, size, TakeSite(caller), &move.intent.drawn);
  }
}

}  // namespace heaptally::agent
