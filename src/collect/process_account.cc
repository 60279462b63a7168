#include "collect/process_account.h"

#include <algorithm>
#include <set>

#include "collect/clock_scale.h"
#include "collect/image_profile.h"
#include "profile/estimates.h"

namespace heaptally::collect {
namespace {

// Mode count knows no bytes.
std::optional<profile::Amount> LiveBytes(const segment::ImageHeader& header) {
  if (header.mode == segment::Mode::kExact) {
    return profile::ExactAmount(static_cast<uint64_t>(std::max<int64_t>(header.exact_peak.live_bytes, 0)));
  }
  if (header.mode == segment::Mode::kCount) return std::nullopt;
  return profile::BytesAmount(header.sampled_peak.whole);
}

std::vector<LiveRange> RangesOf(const segment::Mappings& mappings) {
  std::vector<LiveRange> ranges;
  for (const segment::MappedRange& range : mappings.ranges) {
    const bool allocators = range.site == segment::kMappedAllocatorId;
    ranges.push_back({range.start, range.end, range.site, allocators});
  }
  return ranges;
}

// The image of the process in the segment files that it maps: the newest one with its pid.
std::optional<segment::Mappings> FindMappings(const std::vector<Mapping>& space, int32_t pid) {
  std::set<std::string> paths;
  for (const Mapping& mapping : space) {
    if (mapping.name.ends_with(".seg")) paths.insert(mapping.name);
  }
  std::optional<segment::Mappings> found;
  for (const std::string& path : paths) {
    std::string ignored;
    const auto segment = segment::Segment::Open(path, &ignored);
    if (!segment) continue;
    for (const uint32_t index : segment->ClaimedImages()) {
      const auto header = segment->ReadImageHeader(index, &ignored);
      if (!header || header->pid != pid) continue;
      if (found && found->header.started_unix_ns >= header->started_unix_ns) continue;
      if (auto mappings = segment->ReadMappings(index)) found = std::move(mappings);
    }
  }
  return found;
}

}  // namespace

ProcessAccount AccountOf(pid_t pid, const segment::Mappings& mappings, const std::vector<Mapping>& space,
                         ProcessPages* pages) {
  const MemoryAccount account = AccountFor(space, RangesOf(mappings), pages);
  ProcessAccount out = {.pid = pid,
                        .inner_pid = mappings.header.pid,
                        .started_unix_ns = mappings.header.started_unix_ns,
                        .looked_into = account.looked_into};
  profile::Coverage& coverage = out.coverage;
  coverage.rss_bytes = account.rss_bytes;
  coverage.heap_resident_bytes = account.heap_bytes;
  coverage.mapped_resident_bytes = account.mapped_bytes;
  coverage.stacks_bytes = account.stacks_bytes;
  coverage.files_bytes = account.files_bytes;
  coverage.own_bytes = account.own_bytes;
  coverage.unexplained_bytes = account.unexplained_bytes();
  coverage.as_of_unix_ns = UnixNow();
  coverage.heap_live = LiveBytes(mappings.header);
  if (coverage.heap_live) {
    const auto live = static_cast<uint64_t>(std::max(coverage.heap_live->value(), 0.0));
    coverage.allocator_kept_bytes = account.heap_bytes - std::min(account.heap_bytes, live);
  }
  for (const auto& [site, bytes] : account.mapped_by_site) coverage.resident_by_site[kFirstMappedSite + site] = bytes;
  return out;
}

std::optional<ProcessAccount> TakeAccount(pid_t pid, const segment::Mappings& mappings) {
  const auto space = ReadAddressSpace(pid);
  if (!space) return std::nullopt;
  LivingPages pages(pid);
  std::optional<ProcessAccount> account = AccountOf(pid, mappings, *space, &pages);
  if (pages.gone()) account.reset();
  return account;
}

void AddAccount(const ProcessAccount& account, profile::Profile* profile) {
  profile->coverage = account.coverage;
  if (account.looked_into) return;
  profile->notes.push_back(
      "The process could not be looked into (not ours, or ptrace is restricted): large blocks that malloc maps one by one "
      "may be among what is unexplained.");
}

void AccountWatch::Look(pid_t pid, uint64_t start_ticks, size_t processes) {
  constexpr uint32_t kFirstFew = 8;
  constexpr int kOften = 10, kSeldom = 100;
  constexpr std::chrono::milliseconds kLeast{10};
  const Clock::time_point begin = Clock::now();
  Seen& seen = seen_[pid];
  if (seen.start_ticks != start_ticks) seen = {.start_ticks = start_ticks};
  if (begin < seen.next) return;
  if (const auto space = ReadAddressSpace(pid)) {
    if (const auto mappings = FindMappings(*space, pid)) {
      LivingPages pages(pid);
      ProcessAccount account = AccountOf(pid, *mappings, *space, &pages);
      ++seen.taken;
      if (!pages.gone()) seen.by_image[account.started_unix_ns] = std::move(account);
    }
  }
  const auto cost = Clock::now() - begin;
  const auto pause = cost * (seen.taken < kFirstFew ? kOften : kSeldom) * std::max<size_t>(processes, 1);
  seen.next = Clock::now() + std::max<Clock::duration>(pause, kLeast);
}

std::vector<ProcessAccount> AccountWatch::Last() const {
  std::vector<ProcessAccount> last;
  for (const auto& [pid, seen] : seen_) {
    for (const auto& [started, account] : seen.by_image) last.push_back(account);
  }
  return last;
}

}  // namespace heaptally::collect
