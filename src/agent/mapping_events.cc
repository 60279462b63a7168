#include "agent/mapping_events.h"

#include "agent/events.h"
#include "agent/guard.h"
#include "agent/image.h"
#include "agent/mapped_tally.h"
#include "agent/process.h"
#include "agent/real_functions.h"
#include "platform/syscalls.h"

namespace heaptally::agent {
namespace {

constexpr int kRemapDontUnmap = 4;

uint64_t WholePages(uint64_t bytes) { return (bytes + platform::kPageBytes - 1) & ~(platform::kPageBytes - 1); }

bool IsInnerCall(uint64_t pc) { return pc - 1 >= g_mappings.text_start && pc - 1 < g_mappings.text_end && !InDefiner(pc); }

uint32_t SiteOfCaller(const platform::Registers& caller) {
  if (!g_definer.is_libc && InDefiner(caller.pc)) return segment::kMappedAllocatorId;
  // A new image: what this thread remembers of its last walk is void.
  if (t_state.image_epoch != g_epoch) t_state.bounds.memo = nullptr;
  return TakeSite(caller, segment::Kind::kMappedSites);
}

}  // namespace

HT_NOINLINE void RecordBreak(const platform::Registers& caller, uint64_t before, uint64_t after) {
  if (g_image.header == nullptr || IsInnerCall(caller.pc)) return;
  if (!OwnsImage() && !ClaimImage()) return;
  mapped::Mapped(before, after - before, SiteOfCaller(caller));
}

HT_NOINLINE void RecordMapping(const platform::Registers& caller, uint64_t start, uint64_t bytes) {
  RecordBreak(caller, start, start + WholePages(bytes));
}

HT_NOINLINE void RecordUnmapping(const platform::Registers& caller, uint64_t start, uint64_t end, uint64_t newest) {
  // A child that has recorded nothing yet has nothing to end: what it unmaps is its parent's.
  if (g_image.header == nullptr || IsInnerCall(caller.pc) || !OwnsImage()) return;
  mapped::Unmapped(start, end - start, newest);
}

HT_NOINLINE void RecordRemapping(const platform::Registers& caller, const Remapping& remapping) {
  if (g_image.header == nullptr || IsInnerCall(caller.pc)) return;
  if (!OwnsImage() && !ClaimImage()) return;
  const bool old_stays = (remapping.flags & kRemapDontUnmap) != 0 || remapping.old_bytes == 0;
  mapped::Moved({remapping.old_start, WholePages(remapping.old_bytes), remapping.new_start, WholePages(remapping.new_bytes),
                 old_stays, remapping.newest},
                SiteOfCaller(caller));
}

}  // namespace heaptally::agent
