#include "unwind/frame_pointer.h"

#include "base/branch.h"
#include "elf/objects.h"
#include "elf/program_headers.h"
#include "platform/syscalls.h"
#include "platform/thread.h"
#include "unwind/stack_memory.h"

namespace heaptally::unwind {
namespace {

constexpr uint64_t kPageMask = ~(platform::kPageBytes - 1);
constexpr uint64_t kLongestCall = 8;                    // reached by a prefix and a 32-bit displacement
constexpr uint64_t kMostFunctionBytes = 1u << 16;       // from a call's target to pc
constexpr uint32_t kPushBp = 0x55;
constexpr uint32_t kMovSpBp = 0xe58948;                 // mov %rsp, %rbp in its two encodings
constexpr uint32_t kMovSpBpOther = 0xec8b48;
constexpr uint32_t kEndbr64 = 0xfa1e0ff3;

// Code that may be read.
struct CodeBytes {
  uint64_t low = 0;
  uint64_t high = 0;

  bool Holds(uint64_t from, uint64_t to) const { return from >= low && to <= high && from <= to; }
  uint8_t At(uint64_t address) const { return static_cast<uint8_t>(LoadCell(address - 7) >> 56); }
};

CodeBytes SegmentOf(const elf::LoadedObject& object, uint64_t address) {
  for (const Elf64_Phdr& segment : elf::ReadProgramHeaders(object.map_start)) {
    constexpr uint32_t kReadAndExecute = PF_R | PF_X;
    const uint64_t start = object.bias + segment.p_vaddr;
    if (segment.p_type != PT_LOAD || (segment.p_flags & kReadAndExecute) != kReadAndExecute) continue;
    if (address - start < segment.p_memsz) return {start + 8, start + segment.p_memsz};
  }
  return {};
}

// At least `before` bytes before `address`, if they are code. Of an object: its executable segment, but for the first cell. Of no
// object: whole pages, as far as the kernel says that they can be read.
HT_NOINLINE CodeBytes CodeBefore(uint64_t address, uint64_t before) {
  CodeBytes code;
  elf::LoadedObject object;
  if (elf::FindObject(address - 1, &object)) {
    return elf::HasReadableHeader(object.map_start) ? SegmentOf(object, address - 1) : code;
  }
  const uint64_t page = (address - 1) & kPageMask;
  if (!platform::IsReadable(page)) return {};
  code = {page + 8, page + platform::kPageBytes};
  while (address - code.low < before && page >= platform::kPageBytes && platform::IsReadable(code.low - 8 - platform::kPageBytes)) {
    code.low -= platform::kPageBytes;
  }
  return code;
}

bool IsPrologue(const CodeBytes& code, uint64_t address) {
  if (!code.Holds(address, address + 4) || code.At(address) != kPushBp) return false;
  const uint32_t next = code.At(address + 1) | code.At(address + 2) << 8 | code.At(address + 3) << 16;
  return next == kMovSpBp || next == kMovSpBpOther;
}

bool IsPrologueBehindMark(const CodeBytes& code, uint64_t address) {
  const bool marked = code.Holds(address, address + 4) && code.At(address) == (kEndbr64 & 255) && code.At(address + 1) == (kEndbr64 >> 8 & 255) &&
                      code.At(address + 2) == (kEndbr64 >> 16 & 255) && code.At(address + 3) == kEndbr64 >> 24;
  return IsPrologue(code, marked ? address + 4 : address);
}

// Is one of the eight bytes of `cell` a push %rbp?
bool HasPushBp(uint64_t cell) {
  constexpr uint64_t kOnes = 0x0101010101010101;
  const uint64_t zero_where_push = cell ^ kOnes * kPushBp;
  return ((zero_where_push - kOnes) & ~zero_where_push & kOnes << 7) != 0;
}

// Cell by cell: most hold none.
bool HasPrologueBefore(const CodeBytes& code, uint64_t pc) {
  const uint64_t low = pc - code.low > kMostPrologueBytes ? pc - kMostPrologueBytes : code.low;
  for (uint64_t end = pc - 3; end >= low + 8; end -= 8) {
    if (HT_LIKELY(!HasPushBp(LoadCell(end - 8)))) continue;
    for (uint64_t at = end - 1; at >= end - 8; --at) {
      if (IsPrologue(code, at)) return true;
    }
  }
  return false;
}

struct Call {
  bool is_call = false;
  uint64_t target = 0;  // 0: by a register or through memory
};

// call *reg, call *disp(reg), with and without a scaled index: ff /2 of 2 to 7 bytes.
bool IsIndirectCall(const CodeBytes& code, uint64_t end) {
  for (uint64_t bytes = 2; bytes <= 7; ++bytes) {
    const uint64_t at = end - bytes;
    if (!code.Holds(at, end) || code.At(at) != 0xff || (code.At(at + 1) >> 3 & 7) != 2) continue;
    const uint32_t mode = code.At(at + 1) >> 6;
    const uint32_t memory = code.At(at + 1) & 7;
    if (mode == 3) {
      if (bytes == 2) return true;
      continue;
    }
    const bool indexed = memory == 4;
    const bool absolute = mode == 0 && (memory == 5 || (indexed && (code.At(at + 2) & 7) == 5));
    const uint64_t displacement = mode == 1 ? 1 : mode == 2 || absolute ? 4 : 0;
    if (bytes == 2 + (indexed ? 1 : 0) + displacement) return true;
  }
  return false;
}

Call CallBefore(const CodeBytes& code, uint64_t end) {
  Call call;
  if (code.Holds(end - 5, end) && code.At(end - 5) == 0xe8) {
    call.is_call = true;
    call.target = end + static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(LoadCell(end - 8) >> 32)));
  } else {
    call.is_call = IsIndirectCall(code, end);
  }
  return call;
}

}  // namespace

HT_NOINLINE bool HangsOnFramePointer(uint64_t pc, uint64_t return_address) {
  if (pc < platform::kPageBytes || return_address < platform::kPageBytes) return false;
  const CodeBytes caller = CodeBefore(return_address, kLongestCall);
  if (caller.high == 0) return false;
  const Call call = CallBefore(caller, return_address);
  if (!call.is_call) return false;
  const CodeBytes code = CodeBefore(pc, kMostPrologueBytes);
  if (code.high == 0 || code.low > pc - 3) return false;
  if (call.target != 0 && call.target <= pc && pc - call.target <= kMostFunctionBytes && IsPrologueBehindMark(code, call.target)) return true;
  return HasPrologueBefore(code, pc);
}

}  // namespace heaptally::unwind
