// Code without unwind information (JIT compilers', assembly, musl's libc) mostly keeps frame pointers. A frame is believed to
// hang on rbp only where both ends of it are proven; else the walk ends there, since a wrong caller is worse than none.
#pragma once

#include <cstdint>

namespace heaptally::unwind {

// Does the function that `pc`, a return address, lies in keep a frame pointer, and is `return_address` behind a call that may
// have led to it? Proven are: the bytes before return_address are a call instruction; and either that call names its
// target, which is not far before pc and begins with push %rbp; mov %rsp, %rbp; or, where the call does not tell, these two are found
// at most kMostPrologueBytes before pc. Bytes are read in loaded objects and on pages that were asked for.
bool HangsOnFramePointer(uint64_t pc, uint64_t return_address);

// How far before pc a prologue is looked for.
inline constexpr uint64_t kMostPrologueBytes = 4096;

}  // namespace heaptally::unwind
