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
constexpr uint64_t kLongestPrologue = 8;                // with its mark
constexpr uint64_t kMostFunctionBytes = 1u << 16;  // from a call's target to pc
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

// What can be read before `address`, if it is code. Of an object: its executable segment, but for the first cell. Of no object: the
// page, if the kernel says that it can be read; a call or prologue that begins on the page before is not seen.
HT_NOINLINE CodeBytes CodeBefore(uint64_t address) {
  CodeBytes code;
  elf::LoadedObject object;
  if (elf::FindObject(address - 1, &object)) {
    return elf::HasReadableHeader(object.map_start) ? SegmentOf(object, address - 1) : code;
  }
  const uint64_t page = (address - 1) & kPageMask;
  if (!platform::IsReadable(page)) return {};
  return {page + 8, page + platform::kPageBytes};
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

// Has one of the eight bytes of `cell` this value?
bool HasByte(uint64_t cell, uint64_t byte) {
  constexpr uint64_t kOnes = 0x0101010101010101;
  const uint64_t zero_where_found = cell ^ kOnes * byte;
  return ((zero_where_found - kOnes) & ~zero_where_found & kOnes << 7) != 0;
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

constexpr uint64_t kFarthestGenerated = 128u << 20;  // what generated code can call without a detour, nearly always

constexpr uint64_t kRet = 0xc3;

}  // namespace

HT_NOINLINE bool IsBehindPrologue(uint64_t pc) {
  if (pc < 2 * platform::kPageBytes) return false;
  const CodeBytes code = CodeBefore(pc);
  if (code.high == 0 || pc < code.low) return false;
  const uint64_t low = pc - code.low > kMostPrologueBytes ? pc - kMostPrologueBytes : code.low;
  for (uint64_t end = pc; end >= low + 8; end -= 8) {  // cell by cell: most have neither
    const uint64_t cell = LoadCell(end - 8);
    if (HT_LIKELY(!HasByte(cell, kPushBp) && !HasByte(cell, kRet))) continue;
    for (uint64_t at = end - 1; at >= end - 8; --at) {
      if (code.At(at) == kRet) return false;
      if (at + 4 <= pc && IsPrologue(code, at)) return true;
    }
  }
  return false;
}

HT_NOINLINE bool IsBehindCall(uint64_t address) {
  if (address < platform::kPageBytes) return false;
  const CodeBytes code = CodeBefore(address);
  return code.high != 0 && CallBefore(code, address).is_call;
}

HT_NOINLINE bool MayBeReturnAddress(uint64_t value, uint64_t pc) {
  if (value < platform::kPageBytes || value >> 47 != 0) return false;
  elf::LoadedObject object;
  const bool near = value - pc + kFarthestGenerated < 2 * kFarthestGenerated;
  if (!near && !elf::FindObject(value - 1, &object)) return false;
  return IsBehindCall(value);
}

HT_NOINLINE bool CallsFramedFunction(uint64_t return_address, uint64_t pc) {
  if (return_address < platform::kPageBytes) return false;
  const CodeBytes caller = CodeBefore(return_address);
  const Call call = caller.high != 0 ? CallBefore(caller, return_address) : Call{};
  if (call.target == 0 || call.target > pc || pc - call.target > kMostFunctionBytes) return false;
  const CodeBytes code = CodeBefore(call.target + kLongestPrologue);
  return code.high != 0 && IsPrologueBehindMark(code, call.target);
}

}  // namespace heaptally::unwind
