// The model of the tool: what one image (one program in one process) was seen to do, at one moment. Readers of segments,
// captures and foreign files make it; reports, exporters and analyses consume it. No file format and no display here.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heaptally::profile {

// A number that may be an estimate: value = proven + inferred (sampling/estimate.h makes the interval). In exact mode
// inferred = variance = 0 and samples = 0.
struct Amount {
  uint64_t proven = 0;     // exact integer: what the samples themselves prove (exact mode: the number)
  double inferred = 0;     // what they stand for on top of it
  double variance = 0;     // of the error
  uint64_t samples = 0;

  Amount& operator+=(const Amount& other) {
    proven += other.proven;
    inferred += other.inferred;
    variance += other.variance;
    samples += other.samples;
    return *this;
  }
  double value() const { return static_cast<double>(proven) + inferred; }
  bool operator==(const Amount&) const = default;
};

struct Volume {
  Amount objects;
  Amount bytes;
  Volume& operator+=(const Volume& other) {
    objects += other.objects;
    bytes += other.bytes;
    return *this;
  }
  bool operator==(const Volume&) const = default;
};

// The measures of the report's contract. live = allocated - freed.
struct Measures {
  Volume allocated;
  Volume freed;
  Amount reallocs;
  Amount reallocs_in_place;
  Volume live;
  Volume peak;              // live at the moment of the image's peak; sampled: the mean over the two halves' moments
  Volume peak_whole;        // sampled only, totals only: the whole sample at its own maximum (for the upper end)
  uint64_t peak_most_proven = 0;  // sampled only: the largest proven live bytes ever
  Amount temporary;
  uint64_t floor_bytes = UINT64_MAX;  // smallest size ever sampled here: what object counts are relative to
  // The largest T under which something here may have been sampled; 0: exact. per-class: the most bytes that one sample can
  // have stood for beyond itself; count: 0.
  double period = 0;
  double objects_per_sample = 0;  // count, per-class: the most objects that one sample can have stood for; else 0
  bool bytes_known = true;        // false in mode count: no number of bytes means anything

  Measures& operator+=(const Measures& other);
  bool operator==(const Measures&) const = default;
};

struct Module {
  std::string path;         // as the process named it; "" if not known
  std::string build_id;     // hex; "" if it has none
  uint64_t map_start = 0;
  uint64_t map_end = 0;
  uint64_t bias = 0;
  bool unloaded = false;
  uint64_t loaded_unix_ns = 0;  // 0: not known; captures do not keep it
  bool operator==(const Module&) const = default;
};

inline constexpr uint32_t kNoModule = UINT32_MAX;

// One machine frame of a stack, and, once symbolised, the source frames that it stands for.
struct Frame {
  uint32_t module = kNoModule;  // index in Profile::modules
  uint64_t address = 0;         // ELF virtual address in the module; absolute where there is none
  bool exact_pc = false;        // interrupted by a signal: look up the address itself, not address - 1
  bool operator==(const Frame&) const = default;
};

struct SourceFrame {
  std::string function;     // demangled; "" if not known, then `why` says the reason
  std::string file;
  uint32_t line = 0;
  bool inlined = false;
  std::string why;
  bool operator==(const SourceFrame&) const = default;
};

struct Bucket {
  uint64_t from = 0;        // bytes, or ns
  uint64_t to = 0;
  Amount objects;
  bool operator==(const Bucket&) const = default;
};

// A sampled block that is live: known again in another snapshot of the same image, where it cancels out of a difference.
struct LiveSample {
  uint32_t id = 0;          // made of its address and birth; two of a site share one by chance in 1 of 2^32
  uint64_t bytes = 0;
  uint64_t period = 0;      // T of the draw that fired
  auto operator<=>(const LiveSample&) const = default;
};

struct Site {
  uint32_t id = 0;               // the same in all snapshots of an image
  std::string memory_class = "malloc";
  std::string thread;            // name of the threads that allocated, digits as '#'; "" if not known
  std::vector<uint32_t> frames;  // indices in Profile::frames, innermost first
  bool truncated = false;
  std::string truncated_why;
  bool other = false;            // stands for everything that could not be booked where it belongs
  bool torn = false;             // changed while it was read
  Measures measures;
  std::vector<Bucket> sizes;         // by requested size, of all allocations
  std::vector<Bucket> lifetimes_ns;  // of freed blocks
  std::optional<uint64_t> oldest_ns;
  std::vector<LiveSample> live_samples;  // sampled modes, in order; may be incomplete or empty
  bool mapped() const { return memory_class == "mapped"; }
  bool operator==(const Site&) const = default;
};

// Where the process's resident memory is, as far as it was measured, all at one moment. Each part is measured by itself;
// rss = heap_resident + mapped_resident + stacks + files + own + unexplained. What the allocator keeps is what is resident
// of the heap beyond what is live.
struct Coverage {
  std::optional<uint64_t> rss_bytes, allocator_kept_bytes, mapped_resident_bytes, stacks_bytes, files_bytes, own_bytes, unexplained_bytes;
  std::optional<uint64_t> as_of_unix_ns;  // when it was measured
  std::optional<uint64_t> heap_resident_bytes;
  std::optional<Amount> heap_live;        // bytes
  std::map<uint32_t, uint64_t> resident_by_site;  // of class mapped, by the sites' ids; those with no range are not there

  std::optional<uint64_t> ResidentOf(uint32_t site) const {
    const auto at = resident_by_site.find(site);
    return at != resident_by_site.end() ? std::optional<uint64_t>(at->second) : std::nullopt;
  }
  bool operator==(const Coverage&) const = default;
};

enum class State { kRunning, kExited, kKilled, kExecd, kUnknown };
// "running", "exited", "killed", "exec'd", "unknown": as docs/report-json.md has it.
const char* StateName(State state);

struct ExitStatus {
  std::optional<int> status;
  std::optional<int> signal;
  std::optional<bool> oom;
  bool operator==(const ExitStatus&) const = default;
};

// A program that a process of this one's file executed without the agent. A note says the same.
struct UnfollowedProgram {
  std::string path;
  std::string why;       // a few words: "statically linked"
  uint64_t times = 0;
  int32_t pid = 0;       // of the first; 0: not known
  bool operator==(const UnfollowedProgram&) const = default;
};

// "tool (3 times, first pid 4711), statically linked"
std::string Words(const UnfollowedProgram& program);

struct Profile {
  // Identity.
  int32_t pid = 0;               // 0: not known
  int32_t parent_pid = 0;
  uint32_t image = 0;            // which image of that pid (exec begins a new one), in order of start
  std::string exe;
  std::vector<std::string> argv;
  std::string host;
  std::string layer = "preload";
  std::string mode = "exact";    // bytes | exact | count | per-class | imported
  uint64_t period_bytes = 0;     // 0: not sampled by bytes
  uint64_t period_calls = 0;     // count, per-class: mean number of calls for a sample; else 0
  std::string origin = "start";  // start | fork | raw-clone
  uint64_t started_unix_ns = 0;
  uint64_t taken_unix_ns = 0;
  State state = State::kUnknown;
  ExitStatus exit;

  std::vector<UnfollowedProgram> unfollowed;  // not in a capture, whose notes say it

  // Content.
  std::vector<Module> modules;
  std::vector<Frame> frames;     // distinct machine frames
  std::vector<std::vector<SourceFrame>> sources;  // parallel to frames: innermost inlined first; empty if not symbolised
  std::vector<Site> sites;
  Measures totals;               // sums over sites (class malloc)
  std::vector<uint64_t> peak_moments_unix_ns;
  uint64_t peak_batch_bytes = 0; // exact mode with threads: the peak may be off by threads x this
  uint32_t threads = 0;
  Coverage coverage;
  uint64_t unattributed_objects = 0;
  uint64_t unattributed_bytes = 0;
  uint64_t unknown_frees = 0;
  uint64_t inherited_bytes = 0;
  std::map<std::string, uint64_t> loss;  // reason -> events; only reasons that happened
  std::vector<std::string> notes;        // plain sentences for people
  uint64_t own_bytes = 0;        // of the segment

  bool operator==(const Profile&) const = default;
};

// Sums over the sites of class mapped, which are in no other totals: reserved address space, exact in every mode.
Measures MappedTotals(const Profile& profile);

// Recomputes totals from the sites.
void SumTotals(Profile* profile);

}  // namespace heaptally::profile
