#include "agent/own_family.h"

#include <cstddef>
#include <cstdint>

#include "agent/cold_calls.h"
#include "agent/hook_paths.h"
#include "agent/page_filter.h"
#include "agent/real_functions.h"
#include "elf/rebind.h"
#include "elf/symbols.h"

struct link_map;

extern "C" {
extern const char _DYNAMIC[] __attribute__((visibility("hidden")));
}

namespace heaptally::agent {
namespace {

struct OwnFunctions {
#define HT_ACQUIRE(symbol, parameters, arguments, requested_bytes, trial, mate, mate_trial) void*(*symbol) parameters;
#define HT_MOVE(symbol, parameters, arguments, requested_bytes, trial) void*(*symbol) parameters;
#define HT_RESIZE(symbol, parameters, arguments, requested_bytes, trial) size_t(*symbol) parameters;
#define HT_RELEASE(symbol, parameters, arguments, trial, mate, mate_trial) void(*symbol) parameters;
#include "agent/own_family.def"
};
OwnFunctions g_own;

// The hooks. They are reached only after g_own is filled, so there is no cold way.
#define HT_ACQUIRE(symbol, parameters, arguments, requested_bytes, trial, mate, mate_trial)                                  \
  HT_NOINLINE void* Slow##symbol parameters {                                                                                \
    return AcquireSlowly(HT_CALLER_REGISTERS(), requested_bytes, [&]() HT_LAMBDA_INLINE { return g_own.symbol arguments; }); \
  }                                                                                                                          \
  void* Hook##symbol parameters {                                                                                            \
    auto* real = g_own.symbol;                                                                                               \
    if (Debit(requested_bytes)) return Slow##symbol arguments;                                                               \
    return real arguments;                                                                                                   \
  }
#define HT_MOVE(symbol, parameters, arguments, requested_bytes, trial)                                                              \
  HT_NOINLINE void* Slow##symbol parameters {                                                                                       \
    return MoveSlowly(HT_CALLER_REGISTERS(), pointer, requested_bytes, [&]() HT_LAMBDA_INLINE { return g_own.symbol arguments; });  \
  }                                                                                                                                 \
  void* Hook##symbol parameters {                                                                                                   \
    auto* real = g_own.symbol;                                                                                                      \
    if (Debit(requested_bytes) | MayBeRecorded(pointer)) return Slow##symbol arguments;                                             \
    return real arguments;                                                                                                          \
  }
// A block that is at least as large as asked for afterwards counts with the size asked for, whether its class changed or not;
// one that is smaller has stayed as it was.
#define HT_RESIZE(symbol, parameters, arguments, requested_bytes, trial)                                 \
  HT_NOINLINE size_t Slow##symbol parameters {                                                           \
    size_t has = 0;                                                                                      \
    MoveSlowly(HT_CALLER_REGISTERS(), pointer, requested_bytes, [&]() HT_LAMBDA_INLINE -> void* {        \
      has = g_own.symbol arguments;                                                                      \
      return has >= requested_bytes ? pointer : nullptr;                                                 \
    });                                                                                                  \
    return has;                                                                                          \
  }                                                                                                      \
  size_t Hook##symbol parameters {                                                                       \
    auto* real = g_own.symbol;                                                                           \
    if (Debit(requested_bytes) | MayBeRecorded(pointer)) return Slow##symbol arguments;                  \
    return real arguments;                                                                               \
  }
#define HT_RELEASE(symbol, parameters, arguments, trial, mate, mate_trial) \
  HT_NOINLINE void Slow##symbol parameters {                               \
    RecordRelease(HT_CALLER_REGISTERS(), pointer);                         \
    g_own.symbol arguments;                                                \
  }                                                                        \
  void Hook##symbol parameters {                                           \
    auto* real = g_own.symbol;                                             \
    if (HT_UNLIKELY(MayBeRecorded(pointer))) return Slow##symbol arguments; \
    return real arguments;                                                 \
  }
#include "agent/own_family.def"

// What the definer's own calls reach during the trial.
#define HT_COUNTED(return_type, symbol, parameters, arguments)        \
  return_type Trial##symbol parameters {                              \
    __atomic_fetch_add(&cold::g_calls, 1, __ATOMIC_RELAXED);          \
    return g_own.symbol arguments;                                    \
  }
#define HT_ACQUIRE(symbol, parameters, arguments, ...) HT_COUNTED(void*, symbol, parameters, arguments)
#define HT_MOVE(symbol, parameters, arguments, ...) HT_COUNTED(void*, symbol, parameters, arguments)
#define HT_RESIZE(symbol, parameters, arguments, ...) HT_COUNTED(size_t, symbol, parameters, arguments)
#define HT_RELEASE(symbol, parameters, arguments, ...) HT_COUNTED(void, symbol, parameters, arguments)
#include "agent/own_family.def"

// The definer's function, if it is the first of its name in the whole list.
template <typename Function>
bool FindOwn(const link_map* definer, const char* name, Function* function) {
  if (elf::FindBefore(_DYNAMIC, name).address != nullptr) return false;
  const elf::Definition found = elf::FindNext(_DYNAMIC, name);
  if (found.object != definer) return false;
  *function = reinterpret_cast<Function>(found.address);
  return true;
}

bool FindAll(const link_map* definer, OwnFunctions* own) {
  bool any = false;
#define HT_ACQUIRE(symbol, parameters, arguments, requested_bytes, trial, mate, mate_trial) any |= FindOwn(definer, #symbol, &own->symbol);
#define HT_MOVE(symbol, parameters, arguments, requested_bytes, trial) any |= FindOwn(definer, #symbol, &own->symbol);
#define HT_RESIZE(symbol, parameters, arguments, requested_bytes, trial) any |= FindOwn(definer, #symbol, &own->symbol);
#define HT_RELEASE(symbol, parameters, arguments, trial, mate, mate_trial) any |= FindOwn(definer, #symbol, &own->symbol);
#include "agent/own_family.def"
  return any;
}

// Calls each function once with a block of a few bytes. One that comes to another hook (those of the malloc family are in
// the cold way still, those of this one are the counting ones) is left as it is, since that hook will count the call; as is
// one whose mate is missing, so that no block of the trial stays.
OwnFunctions WithoutThoseThatNest(const OwnFunctions& own) {
  OwnFunctions keep = {};
  static const char nothrow = 0;
  const void* tag = &nothrow;
  const auto calls = [] { return __atomic_load_n(&cold::g_calls, __ATOMIC_RELAXED); };
#define HT_ACQUIRE(symbol, parameters, arguments, requested_bytes, trial, mate, mate_trial) \
  if (own.symbol != nullptr && own.mate != nullptr) {                                       \
    const uint64_t before = calls();                                                        \
    void* pointer = own.symbol trial;                                                       \
    if (calls() == before) keep.symbol = own.symbol;                                        \
    own.mate mate_trial;                                                                    \
  }
#define HT_RELEASE(symbol, parameters, arguments, trial, mate, mate_trial) \
  if (own.symbol != nullptr && own.mate != nullptr) {                      \
    void* pointer = own.mate mate_trial;                                   \
    const uint64_t before = calls();                                       \
    own.symbol trial;                                                      \
    if (calls() == before) keep.symbol = own.symbol;                       \
  }
#define HT_MOVE(symbol, parameters, arguments, requested_bytes, trial)         \
  if (own.symbol != nullptr && own.mallocx != nullptr && own.dallocx != nullptr) { \
    void* pointer = own.mallocx(8, 0);                                         \
    const uint64_t before = calls();                                           \
    pointer = own.symbol trial;                                                \
    if (calls() == before) keep.symbol = own.symbol;                           \
    own.dallocx(pointer, 0);                                                   \
  }
#define HT_RESIZE(symbol, parameters, arguments, requested_bytes, trial)       \
  if (own.symbol != nullptr && own.mallocx != nullptr && own.dallocx != nullptr) { \
    void* pointer = own.mallocx(8, 0);                                         \
    const uint64_t before = calls();                                           \
    own.symbol trial;                                                          \
    if (calls() == before) keep.symbol = own.symbol;                           \
    own.dallocx(pointer, 0);                                                   \
  }
#include "agent/own_family.def"
  return keep;
}

constexpr size_t kFunctions = 0
#define HT_ACQUIRE(...) + 1
#define HT_MOVE(...) + 1
#define HT_RESIZE(...) + 1
#define HT_RELEASE(...) + 1
#include "agent/own_family.def"
    ;

// What a reference to one of the functions leads to.
enum class To { kReal, kTrial, kHook };

struct Table {
  elf::Rebinding all[kFunctions];
};

void* Word(const OwnFunctions& own, size_t index) { return reinterpret_cast<void* const*>(&own)[index]; }

// From what `from` says to what `to` says, for all functions that `own` holds.
Table MakeTable(const OwnFunctions& own, To from, To to) {
  struct Names {
    const char* name;
    void* trial;
    void* hook;
  };
  const Names names[] = {
#define HT_ONE(symbol) {#symbol, reinterpret_cast<void*>(&Trial##symbol), reinterpret_cast<void*>(&Hook##symbol)},
#define HT_ACQUIRE(symbol, ...) HT_ONE(symbol)
#define HT_MOVE(symbol, ...) HT_ONE(symbol)
#define HT_RESIZE(symbol, ...) HT_ONE(symbol)
#define HT_RELEASE(symbol, ...) HT_ONE(symbol)
#include "agent/own_family.def"
  };
  static_assert(sizeof(names) / sizeof(names[0]) == kFunctions && sizeof(OwnFunctions) == kFunctions * sizeof(void*));
  Table table;
  for (size_t i = 0; i < kFunctions; ++i) {
    const auto which = [&](To state) { return state == To::kReal ? Word(own, i) : state == To::kTrial ? names[i].trial : names[i].hook; };
    const bool there = Word(own, i) != nullptr;
    table.all[i] = {names[i].name, there ? which(from) : nullptr, which(to)};
  }
  return table;
}

// Everything but the definer's own slots.
uint32_t TurnOver(const link_map* definer, To from, To to) {
  const Table table = MakeTable(g_own, from, to);
  uint32_t refused = elf::RebindSymbols(definer, table.all, kFunctions).refused;
  elf::VisitObjects([&](const link_map* object) {
    if (object != definer) refused += elf::RebindSlots(object, table.all, kFunctions).refused;
  });
  return refused;
}

uint32_t TurnOwnSlots(const link_map* definer, const OwnFunctions& own, To from, To to, elf::Slots which) {
  return elf::RebindSlots(definer, MakeTable(own, from, to).all, kFunctions, which).refused;
}

// A process that cannot get 64 bytes would not survive a trial by `new`.
bool CanAllocate() {
  void* block = g_pass_through.malloc(64);
  if (block == nullptr) return false;
  g_pass_through.free(block);
  return true;
}

}  // namespace

OwnFamily HookOwnFamily() {
  OwnFamily result;
  if (g_definer.missing || g_definer.interposer_before) return result;
  const link_map* definer = elf::FindNext(_DYNAMIC, "malloc").object;
  OwnFunctions own = {};
  result.brought = FindAll(definer, &own);
  if (!result.brought) return result;
  if (!CanAllocate()) {
    result.refused = true;
    return result;
  }
  g_own = own;
  uint32_t refused = TurnOwnSlots(definer, own, To::kReal, To::kTrial, elf::Slots::kLazyToo);
  if (refused == 0) {
    g_own = WithoutThoseThatNest(own);
    refused = TurnOwnSlots(definer, g_own, To::kTrial, To::kHook, elf::Slots::kBound) + TurnOver(definer, To::kReal, To::kHook);
  }
  TurnOwnSlots(definer, own, To::kTrial, To::kReal, elf::Slots::kBound);  // what is left of the trial
  if (refused != 0) {
    // A block that is made under the hooks and ended past them would count as live for ever: all or nothing.
    TurnOwnSlots(definer, g_own, To::kHook, To::kReal, elf::Slots::kBound);
    TurnOver(definer, To::kHook, To::kReal);
  }
  result.refused = refused != 0;
  return result;
}

}  // namespace heaptally::agent
