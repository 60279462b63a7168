// Names as people write them. Only what is certainly mangled is touched: C functions called `f`, `i` or `St` are valid
// encodings of types, and stay what they are.
//
// The work is done by libiberty's callback demanglers: they cover C++ (Itanium), Rust v0 and legacy Rust, and the
// callback lets us bound the output, which abi::__cxa_demangle does not: a symbol of 200 bytes can expand to gigabytes
// through substitutions. Its own limit, which refuses any name longer than 1,024 bytes, is lifted in favour of ours.
#pragma once

#include <string>
#include <string_view>

namespace heaptally::symbols {

// True if `name` begins with _Z (C++, legacy Rust) or _R (Rust v0).
bool IsMangled(std::string_view name);

// Demangles C++ and Rust names; any other name, and any that cannot be demangled, comes back as it is. Symbol
// versions (`@@GLIBC_2.14`), Rust's hash, and the suffixes of compiler-made clones (`.cold`, `.part.0`, `.constprop.0`,
// `.isra.0`, `.lto_priv.0`, `.llvm.123`, `.localalias`) are dropped: a part of a function is that function's code.
std::string Demangle(std::string_view name);

}  // namespace heaptally::symbols
