// Code without unwind information (JIT compilers', assembly, musl's libc) mostly keeps frame pointers. A frame is believed to
// hang on rbp only where that is proven; else the walk ends there, since a wrong caller is worse than none. There is a call before
// the return address that is found at rbp; and either that call names a function that makes a frame, or the code before the pc
// made one, or no cell between sp and rbp holds a return address: a function without a frame would have its own there.
#pragma once

#include <cstdint>

namespace heaptally::unwind {

// Is there a call instruction before the address, in code that may be read?
bool IsBehindCall(uint64_t address);

// The same of any cell's value. Looked at is code of loaded objects, and what else is at most 128 MiB away from `pc`.
bool MayBeReturnAddress(uint64_t value, uint64_t pc);

// Is there a push %rbp; mov %rsp, %rbp at most kMostPrologueBytes before `pc`, and no byte of a ret in between, with which another
// function would have ended?
bool IsBehindPrologue(uint64_t pc);
inline constexpr uint64_t kMostPrologueBytes = 4096;

// Does the call before `return_address` name its target, and does that begin with push %rbp; mov %rsp, %rbp at most 64 KiB
// before `pc`?
bool CallsFramedFunction(uint64_t return_address, uint64_t pc);

}  // namespace heaptally::unwind
