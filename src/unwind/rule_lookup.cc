#include "unwind/rule_lookup.h"

#include <link.h>

#include "base/branch.h"
#include "elf/objects.h"
#include "elf/program_headers.h"
#include "elf/symbols.h"
#include "unwind/call_frame.h"
#include "unwind/fde_search.h"
#include "unwind/stack_memory.h"

namespace heaptally::unwind {
namespace {

// mov $15, %rax; syscall: rt_sigreturn, as libc's signal restorer has it.
// Nine bytes: 48 c7 c0 0f 00 00 00 0f 05.
constexpr uint64_t kSigreturnFirstBytes = 0x0f0000000fc0c748;
constexpr uint64_t kSigreturnLastByte = 0x05;

bool SegmentAround(const elf::LoadedObject& object, const uint8_t* address, Bytes* segment) {
  uint64_t start = 0;
  uint64_t end = 0;
  if (!elf::FindSegment(object, reinterpret_cast<uint64_t>(address), &start, &end)) return false;
  *segment = {reinterpret_cast<const uint8_t*>(start), reinterpret_cast<const uint8_t*>(end)};
  return true;
}

// musl describes its signal restorer by no call frame information, and pc - 1 would lie in whatever stands before it.
// So the code bytes decide, as in libgcc's fallback.
HT_NOINLINE bool IsSignalRestorer(const elf::LoadedObject& object, uint64_t pc) {
  Bytes segment;
  if (!SegmentAround(object, reinterpret_cast<const uint8_t*>(pc), &segment)) return false;
  if (reinterpret_cast<uint64_t>(segment.end) - pc < 9) return false;
  return LoadCell(pc) == kSigreturnFirstBytes && LoadCell(pc + 1) >> 56 == kSigreturnLastByte;
}

// Where the description of some code is.
struct Place {
  Bytes segment;                      // readable memory around it
  const uint8_t* fde = nullptr;       // nullptr: not known, go through the records from `eh_frame` on
  const uint8_t* eh_frame = nullptr;  // nullptr: there is no description
  bool in_object = false;
  bool is_signal_restorer = false;
};

HT_NOINLINE bool FindFde(const elf::LoadedObject& object, uint64_t lookup, Place* place) {
  EhFrameHeader header;
  if (object.eh_frame_hdr == nullptr || !SegmentAround(object, object.eh_frame_hdr, &place->segment)) return false;
  if (!ReadEhFrameHeader(place->segment, object.eh_frame_hdr, &header)) return false;
  place->eh_frame = header.eh_frame;
  if (header.table != nullptr) {
    place->fde = SearchTable(header, lookup);
    if (place->fde == nullptr) return false;
  }
  const uint8_t* first = place->fde != nullptr ? place->fde : place->eh_frame;
  return place->segment.Contains(first) || SegmentAround(object, first, &place->segment);
}

// Out of line, and before the description is read: so both use the same part of the stack.
HT_NOINLINE bool FindPlace(uint64_t pc, uint64_t lookup, Place* place) {
  elf::LoadedObject object;
  if (!elf::FindObject(lookup, &object)) return false;
  place->in_object = true;
  if (!elf::HasReadableHeader(object.map_start)) return false;
  place->is_signal_restorer = IsSignalRestorer(object, pc);
  return place->is_signal_restorer || FindFde(object, lookup, place);
}

bool ReadRule(Place* place, uint64_t lookup, Rule* rule) {
  if (place->fde == nullptr) place->fde = ScanForFde(place->segment, place->eh_frame, lookup);
  return place->fde != nullptr && RuleFromFde(place->segment, place->fde, lookup, rule);
}

// No call comes back to the first byte of a function. Where nothing describes the byte before it, somebody wrote the
// address there to begin a stack (makecontext does): the frames are complete.
HT_NOINLINE bool IsBeginningOfStack(uint64_t pc) {
  Place place;
  Rule rule;
  return FindPlace(pc, pc, &place) && !place.is_signal_restorer && ReadRule(&place, pc, &rule);
}

}  // namespace

void LearnObjects() {
  elf::LearnMainProgram();
  for (const link_map* object = elf::LinkMapHead(); object != nullptr; object = object->l_next) {
    elf::LoadedObject found;
    if (elf::FindObject(reinterpret_cast<uint64_t>(object->l_ld), &found)) elf::HasReadableHeader(found.map_start);
  }
}

bool FindRule(uint64_t pc, bool pc_is_exact, Rule* rule) {
  const uint64_t lookup = pc_is_exact ? pc : pc - 1;
  Place place;
  const bool found = FindPlace(pc, lookup, &place);
  *rule = Rule{};
  if (place.is_signal_restorer) {
    *rule = {RuleKind::kSignal, BpKind::kSame, 0, 0, 0};
  } else if (!found || !ReadRule(&place, lookup, rule)) {
    *rule = Rule{};
    if (place.in_object && !pc_is_exact && IsBeginningOfStack(pc)) rule->offset = kStopOutermost;
  }
  return place.in_object;
}

}  // namespace heaptally::unwind
