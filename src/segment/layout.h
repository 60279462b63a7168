// The segment: the shared file in which a profiled process keeps its tally, byte by byte. docs/segment.md has the grammar
// and the reasons; this header is the only definition. Writer: the agent (src/agent). Reader: src/segment/reader.h, which
// treats every byte as hostile and uses pread, never a mapping.
//
//   file    := FileHeader(4 KiB) { region | slab | sample piece }...      all starts are multiples of 4 KiB
//   region  := ImageHeader(20 KiB) first-items-of-each-kind...            one per image (process from exec to its end)
//   slab    := kSlabBytes of items of one kind, owned by one image
//
// The file has its full (sparse) length from the start; space is handed out by an atomic bump of FileHeader::next_free, to
// the first image and to its forked children alike. An image numbers the items of each kind from 0; item i lies in the
// region while i < Kind::root_capacity, else in slab (i - root_capacity) / (kSlabBytes / item_bytes).
//
// Plain integers only: the writer accesses shared fields through __atomic builtins. What needs no lock to be read whole
// (a pair of counters) is 16-byte aligned and written by one cmpxchg16b.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sampling/charges.h"
#include "sampling/peak_halves.h"
#include "sampling/terms.h"

namespace heaptally::segment {

inline constexpr uint64_t kFileMagic = 0x31'59'4c'4c'41'54'50'48ull;   // "HPTALLY1"
inline constexpr uint32_t kImageMagic = 0x474d4948;                    // "HIMG"
inline constexpr uint32_t kLayoutVersion = 2;
inline constexpr uint32_t kPageBytes = 4096;
inline constexpr uint32_t kSlabBytes = 256u << 10;
inline constexpr uint32_t kMaxImages = 384;

enum class Mode : uint32_t {
  kBytes = 1,     // sampled by requested bytes
  kExact = 2,     // every allocation
  kCount = 3,     // sampled by calls, all alike (sampling/charges.h)
  kPerClass = 4,  // sampled by calls, classes of size alike
};
constexpr bool IsKnown(Mode mode) { return mode >= Mode::kBytes && mode <= Mode::kPerClass; }
constexpr bool IsSampled(Mode mode) { return mode != Mode::kExact; }
constexpr bool IsCharged(Mode mode) { return mode == Mode::kCount || mode == Mode::kPerClass; }

enum class ImageState : uint32_t {
  kUnused = 0,
  kReady = 1,    // committed and empty: a forked child may claim it without a system call
  kClaimed = 2,  // belongs to a process
  kPromised = 3, // kept for one forked child (ImageHeader::pid, 0 while it is being made) that has recorded nothing yet
};

enum class Origin : uint32_t {
  kStart = 0,     // the program that was started (or exec'd) with the agent
  kFork = 1,      // a child whose fork handler ran
  kRawClone = 2,  // a child made without fork handlers; told by its wiped memory at its first recorded event
};

enum class ClockKind : uint32_t {
  kTsc = 0,     // time stamp counter ticks
  kCoarse = 1,  // CLOCK_MONOTONIC_COARSE in ns: lifetimes below ~10 ms are not told apart
};

// Everything that happened and is not in the numbers (or not where it belongs). Indexes ImageHeader::loss.
enum class Loss : uint32_t {
  kSiteTableFull = 0,      // stacks without room: their events are booked at a known caller or at site 0 ("other"), totals right
  kStackReentry,           // events of a signal handler that interrupted its own thread's interning of a stack: at site 0
  kSampleTableFull,        // samples that had no room: missing from every number
  kLockTimeout,            // sampled events given up because another thread held the tally too long
  kLockReentry,            // sampled events of a signal handler that interrupted the tally's owner
  kLiveTableFull,          // exact mode: blocks whose release can't be recognised (they count as live for ever)
  kHistogramFull,          // events missing from a histogram only
  kModuleTableFull,        // frames whose module could not be noted: shown as bare addresses
  kSegmentFull,            // growth refused: disk or directory full, RLIMIT_AS, RLIMIT_FSIZE, or the size cap
  kChildNotRecorded,       // forked children that found no prepared region
  kChildEvents,            // events in such children
  kStackTruncatedDepth,    // stacks cut at 512 frames (they count; only their callers are missing)
  kStackTruncatedNoRule,   // stacks cut at code without unwind information
  kStackTruncatedMemory,   // stacks cut at memory that could not be proven readable
  kLostRelease,            // a live record whose address came back in a new allocation: its release was never seen
  kArenaExhausted,         // start-up arena exhausted: the program got NULL
  kMappingMissed,          // mappings made or ended while the table of ranges could not be had: missing from every number
  kRangeTableFull,         // mappings without room in the table of ranges: they count, and as live for ever
  kCount,
};
inline constexpr uint32_t kLossSlots = 32;
static_assert(static_cast<uint32_t>(Loss::kCount) <= kLossSlots);

// ---------------------------------------------------------------------------------------------------------------- file

struct ImageEntry {
  uint32_t state;      // ImageState; kReady or kPromised -> kClaimed by CAS
  uint32_t page;       // region's file offset / kPageBytes
};

struct FileHeader {
  uint64_t magic;
  uint32_t layout_version;
  uint32_t header_bytes;         // kPageBytes
  uint64_t file_bytes;           // the (sparse) length
  uint64_t next_free;            // atomic bump, bytes
  char boot_id[40];              // text of /proc/sys/kernel/random/boot_id
  uint64_t pid_namespace;        // inode of /proc/self/ns/pid, 0 if not known
  uint64_t random;
  char run_id[32];               // set by `heaptally run`, "" otherwise
  uint32_t image_count;          // entries of images[] in use (ready or claimed)
  uint32_t lost_children;        // children that found no region
  uint64_t lost_child_events;
  uint8_t reserved[512 - 136];
  ImageEntry images[kMaxImages];
  uint8_t reserved_end[kPageBytes - 512 - 8 * kMaxImages];
};
static_assert(sizeof(FileHeader) == kPageBytes);

// --------------------------------------------------------------------------------------------------------------- image

enum class Kind : uint32_t { kSites = 0, kNodes = 1, kHistograms = 2, kModules = 3, kMappedSites = 4, kRanges = 5, kCount = 6 };
inline constexpr uint32_t kKinds = 6;
inline constexpr uint32_t kMaxSlabs[kKinds] = {1024, 1024, 1024, 64, 16, 64};
inline constexpr uint32_t kMaxSlabsInAll = 1024 * 3 + 64 + 16 + 64;
inline constexpr uint32_t kFirstSlab[kKinds] = {0, 1024, 2048, 3072, 3136, 3152};  // where a kind's entries begin in slab_page[]

struct KindDirectory {
  uint32_t item_bytes;
  uint32_t root_capacity;
  uint64_t root_offset;   // file offset of item 0
  uint32_t count;         // items published; a reader looks at [0, count)
  uint32_t slabs;         // entries of slab_page[] in use
};

// Sample pieces (bytes mode): arrays of SampleBucket, each piece larger than the one before.
inline constexpr uint32_t kMaxPieces = 16;
struct PieceEntry {
  uint64_t offset;        // file offset
  uint64_t buckets;       // a power of two
};

// Exact mode: the process's live bytes (class malloc) and their maximum; in every mode, its mapped bytes. `peak_epoch` counts the falls from a maximum. A
// site whose peak_epoch equals the image's holds its value at the last peak in peak_*; any other site has not changed
// since that peak, so its live value is its value at the peak. While `at_peak` is 1 the peak is now.
struct ExactPeak {
  int64_t live_bytes;
  int64_t peak_bytes;
  uint64_t peak_epoch;
  uint64_t peak_time;     // clock units
  uint32_t at_peak;
  uint32_t threads;       // threads seen; the counter may lag by up to `batch_bytes` for each when there is more than one
  uint64_t batch_bytes;
};

inline constexpr uint32_t kImageHeaderBytes = 20u << 10;
inline constexpr uint32_t kMaxPathBytes = 416;
inline constexpr uint32_t kMaxArgvBytes = 1024;

// Names of threads, each once, runs of digits as '#' ("worker-7" and "worker-12" are "worker-#"). An entry is written
// whole, by one 16-byte compare-and-swap, and never changes; the first one that is all zeros ends the list.
inline constexpr uint32_t kMaxThreadNames = 127;
inline constexpr uint16_t kThreadNameNotKnown = 0;
inline constexpr uint16_t kThreadNameOther = kMaxThreadNames + 1;  // there was no room for its name
struct alignas(16) ThreadName {
  char text[16];                 // as the kernel has it, NUL-terminated
};

// A program that a process of this file executed, and that is not profiled: in image 0 for all of them. The first kNone
// ends the list; entries are never taken back, but their count may be.
enum class NotFollowed : uint32_t {
  kNone = 0,
  kMachine,     // 32-bit, or for another processor: the loader would complain about the agent
  kStatic,      // statically linked
  kSecure,      // setuid or setgid: the loader ignores LD_PRELOAD
  kSanitizer,   // built with a sanitizer that refuses to come second
  kNoAgent,     // the agent's file is not there, in the root directory of that process
  kTakenOut,    // the program took the agent out of LD_PRELOAD
  kCount,
};
struct UnfollowedProgram {
  uint32_t reason;             // NotFollowed; stored last
  uint32_t claimed;            // 1: being written, or written
  uint32_t times;
  int32_t pid;                 // of the first; 0: not known
  char path[80];               // as it was executed, its end where it is longer; NUL-terminated
};
inline constexpr uint32_t kMaxUnfollowed = 12;

// What the tool asks of a running image (`heaptally set`): written by pwrite by whoever may write the file, read by the agent
// on slow paths, which takes nothing of it on trust. Bit 63: paused; the rest: the period, 0: as it is.
inline constexpr uint64_t kOrderPaused = uint64_t{1} << 63;
struct Control {
  uint64_t order;
  uint64_t check;                // ~order; else nothing was ever asked, or a write is half way: all stays as it is
  uint64_t paused_since_unix_ns; // the tool's own notes: when the present pause began,
  uint64_t paused_ns;            // and how long earlier ones lasted in all
};

struct ImageHeader {
  uint32_t magic;
  uint32_t header_bytes;
  Mode mode;
  Origin origin;
  uint64_t period_bytes;         // T now, mean bytes between samples (count, per-class: mean calls); 0 in exact mode
  uint64_t generation;           // bumped when a known module was unloaded or replaced
  int32_t pid;                   // 0: not known (Origin::kRawClone, which may make no system call)
  int32_t parent_pid;
  uint32_t parent_image;         // index in FileHeader::images; own index for Origin::kStart
  uint32_t inherited_modules;    // module ids below this are the parent image's
  uint64_t start_ticks;          // field 22 of /proc/PID/stat, 0: not known
  uint64_t started_unix_ns;      // CLOCK_REALTIME
  uint64_t started_clock;        // the image's clock at that moment, clock units
  ClockKind clock_kind;
  uint32_t ended_orderly;        // 1 once the agent's destructor ran: exit() or return from main
  uint64_t inherited_bytes;      // parent's live bytes at the fork (sampled: its estimate), in none of the numbers here
  uint64_t inherited_objects;
  uint64_t unknown_frees;        // releases of blocks that were never recorded (older than the agent, or inherited)
  uint64_t unattributed_objects; // served by the start-up arena, before stacks can be taken
  uint64_t unattributed_bytes;
  uint64_t loss[kLossSlots];
  ExactPeak exact_peak;          // Mode::kExact
  sampling::PeakHalves sampled_peak;  // Mode::kBytes; its moment_ns fields hold the image's clock units
  sampling::PeakHalves undo_peak;     // its state before the change that is under way, while tally_sequence is odd
  uint64_t tally_lock;           // bytes mode: 0 free, else owner's thread pointer
  uint64_t tally_owner_sp;       // stack pointer at which the owner took it: stale when the owner is seen above it
  uint64_t tally_sequence;       // odd while sums are being changed; a reader retries, then says "torn"
  uint32_t undo_site;            // site id + 1 whose copy is in site item 1 and in undo_peak, while tally_sequence is odd
  uint32_t image_flags;          // kImageFlag*
  uint32_t undo_second_site;     // a realloc changes two sites at once: the other one's id + 1
  uint32_t reserved_undo;
  KindDirectory kinds[kKinds];
  uint32_t pieces;               // entries of piece[] in use
  uint32_t agent_version;
  PieceEntry piece[kMaxPieces];
  ExactPeak mapped_peak;         // the same of class mapped (reserved bytes, the allocator's own left out); threads, batch_bytes: 0
  uint64_t inherited_mapped_bytes;  // the parent's mapped bytes at the fork, in none of the numbers here
  uint64_t reserved[8];
  char exe[kMaxPathBytes];       // resolved path of the program's own object, NUL-terminated
  char argv[kMaxArgvBytes];      // as in /proc/PID/cmdline (NUL-separated), cut
  uint32_t argv_bytes;
  uint32_t reserved_argv;
  uint32_t slab_page[kMaxSlabsInAll];  // file offset / kPageBytes of each slab
  ThreadName thread_names[kMaxThreadNames];
  uint64_t unfollowed_others;    // executions of programs that found no room in the list
  UnfollowedProgram unfollowed[kMaxUnfollowed];
  Control control;
  uint64_t unseen_while_paused;  // bytes, one more for each call (count: calls; per-class: not known); threads lag
  uint64_t least_charge[sampling::kSizeClasses];  // count, per-class: the smallest that a class of size was ever debited
};
static_assert(sizeof(ImageHeader) <= kImageHeaderBytes);
static_assert(offsetof(ImageHeader, loss) % 8 == 0);

inline constexpr uint32_t kImageFlagCoarseTime = 1;        // the program may not read the time stamp counter
inline constexpr uint32_t kImageFlagInterposerBefore = 2;  // another malloc stands before the agent's: it sees nothing
inline constexpr uint32_t kImageFlagGrowthRefused = 4;     // at least one growth step failed
inline constexpr uint32_t kImageFlagOwnNew = 16;           // the allocator's own operator new (or mallocx) could not be hooked: calls of it are not seen
inline constexpr uint32_t kImageFlagFewThreads = 8;        // thread table overflowed: the exact peak counts without batches

// --------------------------------------------------------------------------------------------------- stacks and modules

// A tree of frames, root at node 0; a stack is named by its innermost frame's node. `address` is the ELF virtual address
// in `module` (module 0: none known, then the absolute address). Bit 63 (kExactPcBit): the frame was interrupted by a
// signal, so look up the address itself; other frames are return addresses, so look up address - 1.
inline constexpr uint64_t kExactPcBit = 1ull << 63;
struct Node {
  uint32_t parent;   // the caller's node; nodes are numbered so that parent < own id
  uint32_t module;   // module id + 1; 0: none
  uint64_t address;
};
static_assert(sizeof(Node) == 16);

// One loading of one object: a file that is unloaded and loaded again is two.
struct Module {
  uint64_t map_start;
  uint64_t map_end;
  uint64_t bias;
  uint64_t loaded_clock;
  uint64_t unloaded_clock;     // 0: still there when last looked at
  uint8_t build_id_bytes;      // 0: none
  uint8_t path_cut;            // 1: the path was longer than fits
  uint8_t reserved[6];
  uint8_t build_id[20];
  uint8_t reserved_id[4];
  char path[kMaxPathBytes];
  uint8_t reserved_end[24];
};
static_assert(sizeof(Module) == 512);

// --------------------------------------------------------------------------------------------------------------- sites

inline constexpr uint16_t kSiteCutDepth = 1;   // stack cut at 512 frames
inline constexpr uint16_t kSiteCutNoRule = 2;  // stack cut at code without unwind information
inline constexpr uint16_t kSiteCutMemory = 4;  // stack cut at memory that could not be proven readable
inline constexpr uint16_t kSiteOther = 8;      // site 0: what could not be booked where it belongs

// Items of Kind::kSites that are no sites of stacks: 0 is "other"; 1 and 2 hold the copies of undo_site and
// undo_second_site (bytes mode; unused in exact mode).
inline constexpr uint32_t kSiteOtherId = 0;
inline constexpr uint32_t kSiteUndoId = 1;
inline constexpr uint32_t kSiteSecondUndoId = 2;
inline constexpr uint32_t kFirstSiteId = 3;

// A site is a stack together with the name of the thread that it was taken in.
struct SiteHead {
  uint32_t node;               // 0 only at site 0
  uint16_t flags;              // kSite*
  uint8_t memory_class;        // 0: malloc, 1: mapped
  uint8_t reserved;
  // Histograms: most sites see one class only, so the first class's count is not stored: it is the total (allocations for
  // sizes, frees for lifetimes) minus the counts in the chain.
  uint8_t first_size_class;    // class + 1; 0: no event yet
  uint8_t first_life_class;
  uint16_t thread_name;        // thread_names[n - 1]; kThreadNameNotKnown, kThreadNameOther
  uint32_t size_histogram;     // histogram item id + 1 of the chain's head; 0: none
  uint32_t life_histogram;
  uint32_t same_stack;         // id of an earlier site of the same stack under another thread name; 0: none
};
static_assert(sizeof(SiteHead) == 24);

struct Counts {                // written whole by one cmpxchg16b
  uint64_t objects;
  uint64_t bytes;
};

struct alignas(64) ExactSite {
  Counts allocated;            // a realloc counts once here with its full new size ...
  Counts freed;                // ... and once here with its full old size
  uint64_t peak_epoch;
  SiteHead head;               // what every event looks at ends here, with the first cache line
  Counts peak;                 // live at the last peak; valid iff peak_epoch equals the image's
  uint64_t temporary;          // freed by its own thread before that thread's next allocation
  uint64_t reallocs;
  uint64_t reallocs_in_place;
  uint8_t reserved[24];
};
static_assert(sizeof(ExactSite) == 128 && offsetof(ExactSite, peak) == 64);

// ---------------------------------------------------------------------------------------------------- mapped memory

// Memory that the program had from the kernel itself (mmap, mremap, brk, sbrk). Rare, so recorded exactly in every mode:
// items of Kind::kMappedSites are ExactSite, without histograms, and `peak` belongs to ImageHeader::mapped_peak. An object
// is what one call mapped; it is freed when the last piece of it goes. Item 0 is "other"; item 1 is what the program's own
// allocator maps to serve malloc from, which is none of the program's sites.
inline constexpr uint8_t kClassMapped = 1;
inline constexpr uint32_t kMappedOtherId = 0;
inline constexpr uint32_t kMappedAllocatorId = 1;
inline constexpr uint32_t kFirstMappedId = 2;

// Items of Kind::kRanges: a piece of address space that is mapped now. Live ranges do not overlap. `end` is stored last and
// goes to 0 first; a shrinking range changes one of its two ends. One writer at a time.
struct MappedRange {
  uint64_t start;
  uint64_t end;                // 0: free, then `stamp` is the next free item + 1
  uint64_t birth;              // clock units; kept by mremap and by the pieces of a split
  uint64_t stamp;              // the number of the event that made it: later events have higher ones
  uint32_t site;               // item of Kind::kMappedSites
  uint32_t mapping;            // the item whose `pieces` counts the pieces of what one call mapped
  uint32_t pieces;             // belongs to the mapping of this number, not to this range
  uint32_t reserved;
};
static_assert(sizeof(MappedRange) == 48);

struct alignas(64) SampledSite {
  SiteHead head;
  uint32_t reserved;
  uint64_t smallest_sampled;   // the floor of object counts, bytes; UINT64_MAX: nothing sampled yet
  uint64_t largest_period;     // the largest T under which a sample was drawn here
  sampling::Sums allocated;
  sampling::Sums freed;
  sampling::ObjectSums reallocs;
  sampling::ObjectSums reallocs_in_place;
  sampling::ObjectSums temporary;
  sampling::SitePeak peak;
};
static_assert(sizeof(SampledSite) % 64 == 0 && sizeof(SampledSite) <= 1024);

// ---------------------------------------------------------------------------------------------------------- histograms

// Classes of size: bit width of the requested size (0 -> 0, 1 -> 1, 2..3 -> 2, 4..7 -> 3, ... ): class c > 0 covers
// [2^(c-1), 2^c - 1]. Classes of lifetime: the same of the lifetime in clock units.
inline constexpr uint32_t kClasses = sampling::kSizeClasses;

struct ExactHistogram {
  uint64_t entry[7];           // (class + 1) << 56 | count; 0: free
  uint32_t next;               // item id + 1; 0: end of the chain
  uint32_t reserved;
};
static_assert(sizeof(ExactHistogram) == 64);

struct SampledHistogram {
  struct Entry {
    uint64_t size_class;       // class + 1; 0: free
    sampling::ObjectSums sums;
  } entry[5];
  uint32_t next;
  uint32_t reserved;
  uint64_t reserved_end;
};
static_assert(sizeof(SampledHistogram) == 256);

// ------------------------------------------------------------------------------------------------ live samples (bytes)

// key := address << 4 | SlotState. The whole bucket is looked at; a dead slot is a free slot; no chains.
enum class SlotState : uint64_t {
  kEmpty = 0,
  kBusy = 1,      // claimed, being written: readers skip it
  kLive = 2,
  kDead = 3,
  kTransit = 4,   // its block is inside a real realloc: no address, counted live unless its successor is live
};
inline constexpr uint32_t kSlotsPerBucket = 8;

struct Sample {
  uint64_t size;               // requested bytes
  uint64_t period;             // T of the draw that fired; count, per-class: what was debited
  uint64_t clock;              // birth, clock units (kept across realloc)
  uint32_t site;
  uint32_t thread;
  uint64_t successor;          // kTransit: global slot number + 1 of the record that will replace this one; else 0
  uint32_t halves;             // sampling::HalfMembership
  uint32_t reserved;
};
static_assert(sizeof(Sample) == 48);

struct alignas(64) SampleBucket {
  uint64_t key[kSlotsPerBucket];
  Sample sample[kSlotsPerBucket];
};
static_assert(sizeof(SampleBucket) == 448);
// Global slot number: slots of all earlier pieces + bucket * kSlotsPerBucket + slot.

}  // namespace heaptally::segment
