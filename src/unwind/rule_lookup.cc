#include "unwind/rule_lookup.h"

#include "base/branch.h"
#include "elf/objects.h"
#include "platform/syscalls.h"
#include "unwind/call_frame.h"
#include "unwind/fde_search.h"

namespace heaptally::unwind {
namespace {

// mov $15, %rax; syscall: rt_sigreturn, as libc's signal restorer has it.
constexpr uint8_t kSigreturnCode[] = {0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05};

bool SegmentAround(const elf::LoadedObject& object, const uint8_t* address, Bytes* segment) {
  uint64_t start = 0;
  uint64_t end = 0;
  if (!elf::FindSegment(object, reinterpret_cast<uint64_t>(address), &start, &end)) return false;
  *segment = {reinterpret_cast<const uint8_t*>(start), reinterpret_cast<const uint8_t*>(end)};
  return true;
}

// musl describes its signal restorer by no call frame information, and pc - 1 would lie in whatever stands before it. So
// the code bytes decide, as in libgcc's fallback.
HT_NOINLINE bool IsSignalRestorer(const elf::LoadedObject& object, uint64_t pc) {
  const auto* code = reinterpret_cast<const uint8_t*>(pc);
  Bytes segment;
  if (!SegmentAround(object, code, &segment)) return false;
  if (static_cast<uint64_t>(segment.end - code) < sizeof(kSigreturnCode)) return false;
  for (uint64_t i = 0; i < sizeof(kSigreturnCode); ++i) {
    if (code[i] != kSigreturnCode[i]) return false;
  }
  return true;
}

HT_NOINLINE bool RuleFromObject(const elf::LoadedObject& object, uint64_t lookup, Rule* rule) {
  Bytes segment;
  EhFrameHeader header;
  if (object.eh_frame_hdr == nullptr || !SegmentAround(object, object.eh_frame_hdr, &segment)) return false;
  if (!ReadEhFrameHeader(segment, object.eh_frame_hdr, &header)) return false;
  if (header.table != nullptr) {
    const uint8_t* fde = SearchTable(header, lookup);
    if (fde == nullptr) return false;
    if (!segment.Contains(fde) && !SegmentAround(object, fde, &segment)) return false;
    return RuleFromFde(segment, fde, lookup, rule) == FdeResult::kRule;
  }
  return SegmentAround(object, header.eh_frame, &segment) && ScanForRule(segment, header.eh_frame, lookup, rule);
}

}  // namespace

FoundRule FindRule(uint64_t pc, uint64_t lookup) {
  FoundRule found;
  elf::LoadedObject object;
  if (!elf::FindObject(lookup, &object)) return found;
  found.in_object = true;
  if (!platform::IsReadable(object.map_start)) return found;
  if (IsSignalRestorer(object, pc)) {
    found.rule = {RuleKind::kSignal, BpKind::kSame, 0, 0, 0};
  } else if (!RuleFromObject(object, lookup, &found.rule)) {
    found.rule = Rule{};
  }
  return found;
}

}  // namespace heaptally::unwind
