// How to get from one frame to its caller, at one pc: what is left of a row of call frame information when only the
// stack pointer, rbp and the return address matter.
//
// On x86-64 the return address lies at CFA-8 in every frame that a compiler or an assembler writer describes, so a rule
// says where the CFA is and what became of rbp. In compiled code sp+offset is 97 to 99 % of the code bytes.
//
// A rule packs into 26 bits, so that it fits beside its address in one 64-bit word. The offset of the two usual kinds
// stands so that one `and` gives it in bytes:
//   bits 0..2 kind, 3..20 value (in cells of 8 bytes, where it is an offset), 21..25 rbp
#pragma once

#include <cstdint>

namespace heaptally::unwind {

enum class RuleKind : uint8_t {
  kEmpty = 0,     // no rule known yet: never handed out
  kSpOffset = 1,  // CFA = sp + offset
  kBpOffset = 2,  // CFA = bp + offset
  kPlt = 3,       // CFA = sp + 8 + (pc % 16 >= offset ? 8 : 0): a lazy PLT entry that has or has not pushed its index
  kSpDeref = 4,   // CFA = *(sp + offset) + addend: hand-written code that keeps the old sp on the stack
  kBpDeref = 5,   // CFA = *(bp + offset) + addend: a realigned frame
  kSignal = 6,    // sp points to the kernel's ucontext: pc, sp and bp of the interrupted frame are in it
  kStop = 7,      // no caller: offset kStopOutermost or kStopNoRule
};

inline constexpr int32_t kStopOutermost = 0;  // the return address is undefined: the stack's end
inline constexpr int32_t kStopNoRule = 1;     // code without (usable) unwind information

enum class BpKind : uint8_t {
  kSame,   // not touched
  kLost,   // saved where we can't follow
  kAtCfa,  // *(CFA + bp_offset)
  kAtBp,   // *(bp + bp_offset)
};

struct Rule {
  RuleKind kind = RuleKind::kStop;
  BpKind bp_kind = BpKind::kSame;
  int32_t offset = kStopNoRule;
  int32_t addend = 0;
  int32_t bp_offset = 0;

  bool operator==(const Rule&) const = default;
};

// Where the kernel's signal frame holds the registers, in bytes from sp at the call of the restorer's return address:
// ucontext.uc_mcontext begins at 40; gregs 10, 15 and 16 are rbp, rsp and rip. Part of the kernel's ABI.
inline constexpr int32_t kSignalBpOffset = 40 + 10 * 8;
inline constexpr int32_t kSignalSpOffset = 40 + 15 * 8;
inline constexpr int32_t kSignalPcOffset = 40 + 16 * 8;

inline constexpr unsigned kPackedBits = 26;
inline constexpr uint32_t kPackedKindMask = 7;
inline constexpr unsigned kPackedValueShift = 3;
inline constexpr uint32_t kPackedValueMask = (1u << 18) - 1;
inline constexpr uint32_t kPackedOffsetMask = kPackedValueMask << kPackedValueShift;  // leaves kSpOffset's bytes
inline constexpr unsigned kPackedBpShift = 21;
inline constexpr uint32_t kPackedBpMask = 31;

// The packed rbp field: 0 same, 1 lost, 2..23 at CFA - 8 * field, 24..31 at bp + 8 * (field - 28).
inline constexpr uint32_t kPackedBpSame = 0;
inline constexpr uint32_t kPackedBpLost = 1;
inline constexpr uint32_t kPackedBpFirstAtBp = 24;
inline constexpr int32_t kPackedBpZeroAtBp = 28;

// Returns 0 if the rule has values too large to pack: it must then be found anew each time.
uint32_t Pack(const Rule& rule);
Rule Unpack(uint32_t packed);

}  // namespace heaptally::unwind
