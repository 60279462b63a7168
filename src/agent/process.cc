#include "agent/process.h"

#include "agent/clock.h"
#include "agent/config.h"
#include "agent/deep_binding.h"
#include "agent/draws.h"
#include "agent/events.h"
#include "agent/exact_tally.h"
#include "agent/exec_environment.h"
#include "agent/identity.h"
#include "agent/image.h"
#include "agent/mapped_tally.h"
#include "agent/modules.h"
#include "agent/own_family.h"
#include "agent/page_filter.h"
#include "agent/private_memory.h"
#include "agent/real_functions.h"
#include "agent/sampled_tally.h"
#include "agent/segment_file.h"
#include "agent/stacks.h"
#include "agent/startup_arena.h"
#include "agent/thread_state.h"
#include "agent/thread_table.h"
#include "platform/thread.h"

extern "C" {
int __register_atfork(void (*prepare)(), void (*parent)(), void (*child)(), void* dso) __attribute__((weak));
int pthread_atfork(void (*prepare)(), void (*parent)(), void (*child)()) __attribute__((weak));
extern char** heaptally_environ __asm__("environ") __attribute__((weak, visibility("default")));
}

namespace heaptally::agent {

uint32_t* g_ownership;
uint32_t g_epoch;
uint32_t g_exact_epoch;
PageFilter g_filter;
uint8_t g_never_zero = 1;
constinit thread_local ThreadState t_state;

namespace {

using segment::ImageState;
using segment::Mode;

constexpr uint32_t kRegionsAhead = 4;  // for children that are made behind our back
constexpr uint32_t kNoImage = 0;       // image 0 is the first process's, never promised
constexpr uint32_t kPromiseWord = 1;   // in the page of g_ownership: the region promised to this forked child

uint8_t g_zero_byte;          // the filter of a process that records nothing
uint64_t g_seed;
uint64_t g_seeds_given;
bool g_seed_fixed;
char g_dso;                   // __register_atfork wants an address of the library

// Regions of the file that are mapped in this process, by image number.
uint8_t* g_region[segment::kMaxImages];

// Noted by the fork handler in the child, where system calls are still allowed.
int32_t g_fork_pid;
uint64_t g_fork_unix_ns;

void BeginEpoch() {
  ++g_epoch;
  ++g_exact_epoch;
}

uint64_t RegionOffset(uint32_t image) { return uint64_t{g_file->images[image].page} * segment::kPageBytes; }

void AddRegion(uint8_t* memory, uint64_t offset, const RegionPlan& plan, const Config& config, ImageState state) {
  FormatRegion(memory, offset, config.mode, config.period, plan);
  const uint32_t index = __atomic_fetch_add(&g_file->image_count, 1, __ATOMIC_ACQ_REL);
  if (index >= segment::kMaxImages) {
    __atomic_store_n(&g_file->image_count, segment::kMaxImages, __ATOMIC_RELEASE);
    return;
  }
  g_region[index] = memory;
  g_file->images[index].page = static_cast<uint32_t>(offset / segment::kPageBytes);
  __atomic_store_n(&g_file->images[index].state, static_cast<uint32_t>(state), __ATOMIC_RELEASE);
}

uint32_t LoadState(uint32_t image) { return __atomic_load_n(&g_file->images[image].state, __ATOMIC_ACQUIRE); }

bool ChangeState(uint32_t image, ImageState from, ImageState to) {
  auto expected = static_cast<uint32_t>(from);
  return __atomic_compare_exchange_n(&g_file->images[image].state, &expected, static_cast<uint32_t>(to), false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

uint32_t ImageCount() {
  const uint32_t count = __atomic_load_n(&g_file->image_count, __ATOMIC_ACQUIRE);
  return count < segment::kMaxImages ? count : segment::kMaxImages;
}

// A child that was promised a region and ended without recording anything needs it no longer.
bool IsForgotten(uint32_t image) {
  constexpr long kNoSuchProcess = -3;
  const auto* header = reinterpret_cast<const segment::ImageHeader*>(g_region[image]);
  const int32_t pid = __atomic_load_n(&header->pid, __ATOMIC_RELAXED);
  return pid != 0 && platform::Syscall(platform::Call::kKill, pid, 0) == kNoSuchProcess;
}

// Puts regions aside until `kRegionsAhead` are ready: forgotten ones first, then new ones.
void PrepareRegions() {
  uint32_t ready = 0;
  for (uint32_t i = 0; i < ImageCount(); ++i) {
    if (g_region[i] != nullptr && LoadState(i) == static_cast<uint32_t>(ImageState::kReady)) ++ready;
  }
  for (uint32_t i = 0; ready < kRegionsAhead && i < ImageCount(); ++i) {
    if (g_region[i] == nullptr || LoadState(i) != static_cast<uint32_t>(ImageState::kPromised) || !IsForgotten(i)) continue;
    reinterpret_cast<segment::ImageHeader*>(g_region[i])->pid = 0;
    if (ChangeState(i, ImageState::kPromised, ImageState::kReady)) ++ready;
  }
  Config config;
  config.mode = g_image.header->mode;
  config.period = g_image.header->period_bytes;
  const RegionPlan plan = ChildPlan(config.mode);
  for (; ready < kRegionsAhead && ImageCount() < segment::kMaxImages; ++ready) {
    const Extent extent = ExtendSegment(RegionBytes(config.mode, plan));
    if (extent.memory == nullptr) return;
    AddRegion(extent.memory, extent.offset, plan, config, ImageState::kReady);
  }
}

bool TakeReadyRegion(ImageState as, uint32_t* image) {
  for (uint32_t i = 0; i < ImageCount(); ++i) {
    if (g_region[i] == nullptr || !ChangeState(i, ImageState::kReady, as)) continue;
    *image = i;
    return true;
  }
  return false;
}

// Before a fork, in the parent: a region is promised to the child, so that any number of children that are made before the
// first of them records something find one each. The promise lies on the parent's stack of this call: in the thread's TLS.
void PrepareFork() {
  t_state.promised_image = kNoImage;
  if (g_ownership == nullptr || g_image.header == nullptr) return;
  PrepareRegions();
  uint32_t image;
  if (TakeReadyRegion(ImageState::kPromised, &image)) {
    reinterpret_cast<segment::ImageHeader*>(g_region[image])->pid = 0;
    t_state.promised_image = image;
    PrepareRegions();
  }
}

void AfterForkInParent() { t_state.promised_image = kNoImage; }

void AfterForkInChild() {
  if (g_image.header == nullptr) return;
  g_fork_pid = static_cast<int32_t>(platform::Syscall(platform::Call::kGetpid));
  if (g_ownership != nullptr) {
    g_ownership[kPromiseWord] = t_state.promised_image;
    if (t_state.promised_image != kNoImage) reinterpret_cast<segment::ImageHeader*>(g_region[t_state.promised_image])->pid = g_fork_pid;
  }
  t_state.promised_image = kNoImage;
  g_fork_unix_ns = UnixNanoseconds();
  BeginEpoch();
  t_state.guard_sp = 0;
  t_state.last_block = 0;
  // A child must not repeat its parent's draws. It claims a region at its first event that is recorded.
  t_state.generator = sampling::Generator(NewSeed() ^ static_cast<uint64_t>(g_fork_pid) << 32);
  t_state.countdown = 0;
  t_state.is_paused = 0;
  if (segment::IsSampled(g_image.header->mode)) BeginDraw();
}

void RegisterForkHandlers() {
  if (__register_atfork != nullptr) {
    __register_atfork(PrepareFork, AfterForkInParent, AfterForkInChild, &g_dso);
  } else if (pthread_atfork != nullptr) {
    pthread_atfork(PrepareFork, AfterForkInParent, AfterForkInChild);
  }
}

bool OpenFilter(Mode mode) {
  if (mode == Mode::kExact) {
    g_filter = {0, &g_never_zero};
    return true;
  }
  auto* counters = static_cast<uint8_t*>(MapPrivate(kFilterBytes));
  if (counters == nullptr) return false;
  g_filter = {kFilterBytes - 1, counters};
  return true;
}

bool OpenTally(Mode mode) { return mode == Mode::kExact ? exact::Open() : sampled::Open(); }

bool OpenFirstImage(const Config& config) {
  const RegionPlan plan = FirstPlan(config.mode);
  const RegionPlan child = ChildPlan(config.mode);
  const uint64_t own_bytes = RegionBytes(config.mode, plan);
  const uint64_t child_bytes = RegionBytes(config.mode, child);
  if (!CreateSegmentFile(config, segment::kPageBytes + own_bytes + child_bytes)) return false;
  auto* base = reinterpret_cast<uint8_t*>(g_file);
  AddRegion(base + segment::kPageBytes, segment::kPageBytes, plan, config, ImageState::kClaimed);
  AddRegion(base + segment::kPageBytes + own_bytes, segment::kPageBytes + own_bytes, child, config, ImageState::kReady);
  OpenRegion(g_region[0], segment::kPageBytes, 0);
  return true;
}

bool OpenEverything(const Config& config) {
  auto* ownership = static_cast<uint32_t*>(MapPrivate(platform::kPageBytes));
  if (ownership == nullptr) return false;
  const segment::ClockKind clock = ChooseClock();
  if (!OpenFirstImage(config)) return false;
  DescribeProcess(g_image.header, clock);
  if (g_definer.interposer_before) g_image.header->image_flags |= segment::kImageFlagInterposerBefore;
  const ArenaUse arena = GetArenaUse();
  g_image.header->unattributed_objects = arena.objects;
  g_image.header->unattributed_bytes = arena.bytes;
  if (arena.refused != 0) CountLoss(segment::Loss::kArenaExhausted, arena.refused);
  const bool open = unwind::Initialize() && OpenThreadTable() && OpenStacks(NewSeed()) && OpenTally(config.mode) && OpenFilter(config.mode) && mapped::Open();
  if (!open) {
    CountLoss(segment::Loss::kSegmentFull);
    g_image.header = nullptr;
    return false;
  }
  FindLoaderText();
  OpenDraws();
  // The first thread's room for its last walk: later it would be a system call, which the program may have forbidden itself.
  if (config.mode == Mode::kExact) TakeWalkMemo(FindThreadEntry());
  *ownership = static_cast<uint32_t>(Ownership::kOwner);
  g_ownership = ownership;
  return true;
}

// glibc hands its constructors the environment, and keeps its own pointer to it only later; musl hands them nothing.
char** EnvironmentAtStart(char** handed) {
  if (__register_atfork != nullptr) return handed;
  return &heaptally_environ != nullptr ? heaptally_environ : nullptr;
}

__attribute__((constructor)) void Start(int, char**, char** environment) {
  ResolveRealFunctions();
  if (g_definer.missing) return;  // nothing to forward to: the start-up arena serves for good
  Config config;
  ReadConfig(&config);
  g_seed_fixed = config.seed != 0;
  g_seed = config.seed != 0 ? config.seed : ReadKernelRandom();
  g_filter = {0, &g_zero_byte};
  BeginEpoch();
  const bool recording = OpenEverything(config);
  if (recording) {
    RegisterForkHandlers();
    if (HookOwnFamily().refused) g_image.header->image_flags |= segment::kImageFlagOwnNew;
  }
  PrepareExec(EnvironmentAtStart(environment), config.follow, config.hide);
  OpenHooks(GetArenaUse().objects != 0);
  if (recording) TakeDeepBinding();
}

// The agent has no end: it records until the process is gone. This only tells a return from main from a sudden death.
__attribute__((destructor)) void NoteOrderlyEnd() {
  if (OwnsImage()) g_image.header->ended_orderly = 1;
}

bool ClaimRegion(uint32_t* index) {
  const uint32_t promised = g_ownership[kPromiseWord];  // wiped in a child that was made without handlers: no promise
  if (promised != kNoImage && ChangeState(promised, ImageState::kPromised, ImageState::kClaimed)) {
    *index = promised;
    return true;
  }
  return TakeReadyRegion(ImageState::kClaimed, index);
}

void OpenChildImage(uint32_t index) {
  const segment::ImageHeader* parent = g_image.header;
  const uint32_t parent_index = g_image.index;
  const uint32_t parent_modules = parent->inherited_modules + parent->kinds[static_cast<uint32_t>(segment::Kind::kModules)].count;
  OpenRegion(g_region[index], RegionOffset(index), index);
  segment::ImageHeader* header = g_image.header;
  const bool by_handler = g_fork_pid != 0;
  header->origin = by_handler ? segment::Origin::kFork : segment::Origin::kRawClone;
  header->pid = g_fork_pid;
  header->parent_pid = parent->pid;
  header->parent_image = parent_index;
  header->inherited_modules = parent_modules;
  header->generation = parent->generation;
  // What was asked of the parent before holds for the child, too; from here on each is asked by itself.
  header->period_bytes = parent->period_bytes;
  header->control.order = parent->control.order;
  header->control.check = parent->control.check;
  header->control.paused_since_unix_ns = (parent->control.order & segment::kOrderPaused) != 0 ? g_fork_unix_ns : 0;
  header->started_unix_ns = g_fork_unix_ns;
  header->started_clock = Now();
  header->clock_kind = parent->clock_kind;
  header->argv_bytes = parent->argv_bytes;
  for (uint32_t i = 0; i < sizeof(header->exe); ++i) header->exe[i] = parent->exe[i];
  for (uint32_t i = 0; i < sizeof(header->argv); ++i) header->argv[i] = parent->argv[i];
  header->inherited_bytes = static_cast<uint64_t>(parent->mode == Mode::kExact ? parent->exact_peak.live_bytes : static_cast<int64_t>(parent->sampled_peak.whole.ScaledBytes() >> sampling::kFractionBits));
  header->inherited_mapped_bytes = static_cast<uint64_t>(parent->mapped_peak.live_bytes);
  header->image_flags = parent->image_flags & segment::kImageFlagCoarseTime;
  for (uint32_t i = 0; i < segment::kMaxThreadNames; ++i) header->thread_names[i] = parent->thread_names[i];
  g_fork_pid = 0;
  g_fork_unix_ns = 0;
  g_ownership[kPromiseWord] = kNoImage;
  ForgetInterruptedEvents();
  InheritModules();
  OpenDraws();
  ReopenThreadTable();
  ReopenStacks(NewSeed());
  mapped::Reopen();
  if (header->mode == Mode::kExact) {
    exact::Reopen();
  } else {
    sampled::Reopen();
  }
}

}  // namespace

uint64_t NewSeed() {
  const uint64_t number = __atomic_add_fetch(&g_seeds_given, 1, __ATOMIC_RELAXED);
  const uint64_t time = g_seed_fixed || !g_tsc_allowed ? 0 : platform::ReadTsc();
  return base::HashCombine(base::HashCombine(g_seed, number), time);
}

segment::ImageHeader* FirstImageHeader() { return g_file != nullptr ? reinterpret_cast<segment::ImageHeader*>(g_region[0]) : nullptr; }

HT_COLD bool ClaimImage() {
  if (g_ownership == nullptr || g_image.header == nullptr) return false;
  auto expected = static_cast<uint32_t>(Ownership::kWiped);
  if (!__atomic_compare_exchange_n(g_ownership, &expected, static_cast<uint32_t>(Ownership::kClaiming), false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    if (expected == static_cast<uint32_t>(Ownership::kOwner)) return true;
    if (expected == static_cast<uint32_t>(Ownership::kNone)) __atomic_fetch_add(&g_file->lost_child_events, 1, __ATOMIC_RELAXED);
    return false;
  }
  BeginEpoch();
  uint32_t index = 0;
  if (!ClaimRegion(&index)) {
    __atomic_fetch_add(&g_file->lost_children, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&g_file->lost_child_events, 1, __ATOMIC_RELAXED);
    __atomic_store_n(g_ownership, static_cast<uint32_t>(Ownership::kNone), __ATOMIC_RELEASE);
    return false;
  }
  OpenChildImage(index);
  __atomic_store_n(g_ownership, static_cast<uint32_t>(Ownership::kOwner), __ATOMIC_RELEASE);
  return true;
}

}  // namespace heaptally::agent
