// The table of names that a reader of a heap profile does not want to see first. One entry a name; a trailing `*` makes
// it a prefix. C++ and Rust entries are compared with the qualified name (display.h).
//
// An entry must be so well known that it cannot be the user's own code: C++ programs have namespaces called `core`, so
// Rust's crates are listed by module.
#include <algorithm>
#include <string_view>

#include "symbols/display.h"

namespace heaptally::symbols {
namespace {

constexpr std::string_view kAllocators[] = {
    // C
    "malloc", "calloc", "realloc", "reallocarray", "reallocf", "memalign", "aligned_alloc", "posix_memalign", "valloc",
    "pvalloc", "free", "cfree", "free_sized", "free_aligned_sized", "malloc_usable_size", "malloc_trim",
    // C++
    "operator new*", "operator delete*",
    // glibc's insides
    "__libc_malloc*", "__libc_calloc*", "__libc_realloc*", "__libc_memalign*", "__libc_valloc*", "__libc_pvalloc*",
    "__libc_free*", "__libc_reallocarray*", "__libc_alloc_buffer*", "_int_malloc", "_int_free*", "_int_realloc",
    "_int_memalign", "_mid_memalign", "sysmalloc*", "systrim*", "ptmalloc_init*", "tcache_init*", "tcache_*",
    "arena_get2*", "malloc_consolidate", "malloc_hook_ini", "__posix_memalign", "aligned_alloc_check", "malloc_check",
    // Rust
    "__rust_alloc*", "__rust_realloc*", "__rust_dealloc*", "__rdl_alloc*", "__rdl_realloc*", "__rdl_dealloc*",
    "__rg_alloc*", "__rg_realloc*", "__rg_dealloc*", "__rustc::__rust_*", "__rustc::__rdl_*", "__rustc::__rg_*",
    // other allocators
    "mallocx", "rallocx", "xallocx", "sdallocx", "dallocx", "nallocx", "je_*", "jemalloc_*", "tc_malloc*", "tc_calloc*",
    "tc_realloc*", "tc_new*", "tc_free*", "tc_delete*", "tc_memalign*", "tc_posix_memalign*", "tcmalloc::*",
    "tcmalloc_*", "mi_*", "_mi_*", "snmalloc::*", "sn_malloc*", "sn_calloc*", "sn_realloc*", "sn_rust_*", "rpmalloc*",
    "rpcalloc*", "rprealloc*", "scalable_malloc*", "scalable_calloc*", "scalable_realloc*"};

constexpr std::string_view kPlumbing[] = {
    // C++ standard libraries
    "std::*", "__gnu_cxx::*", "__cxxabiv1::*", "__cxa_*",
    // allocator adaptors
    "boost::container::*allocator*", "boost::allocate_shared*", "boost::make_shared*", "boost::fast_pool_allocator*",
    "absl::container_internal::*", "absl::inlined_vector_internal::*",
    // glib
    "g_malloc*", "g_try_malloc*", "g_realloc*", "g_try_realloc*", "g_slice_*", "g_strdup*", "g_strndup", "g_memdup*",
    "g_aligned_alloc*", "g_free*",
    // CPython's object and memory layer
    "PyObject_*", "_PyObject_*", "PyMem_*", "_PyMem*", "PyDataMem_*", "pymalloc_alloc", "address_in_range", "new_arena",
    "gc_alloc", "PyType_GenericAlloc", "_PyType_AllocNoTrack",
    // Rust: alloc, and the parts of core and std that act for a caller
    "alloc::alloc::*", "alloc::raw_vec::*", "alloc::vec::*", "alloc::string::*", "alloc::boxed::*", "alloc::rc::*",
    "alloc::sync::*", "alloc::collections::*", "alloc::slice::*", "alloc::str::*", "alloc::fmt::*", "alloc::borrow::*",
    "alloc::ffi::*", "hashbrown::*", "core::alloc::*", "core::array::*", "core::cell::*", "core::clone::*",
    "core::convert::*", "core::default::*", "core::fmt::*", "core::hint::*", "core::intrinsics::*", "core::iter::*",
    "core::mem::*", "core::num::*", "core::ops::*", "core::option::*", "core::panic*", "core::ptr::*",
    "core::result::*", "core::slice::*", "core::str::*", "core::any::*", "core::future::*", "core::ffi::*",
    // C library functions that allocate for their caller
    "strdup", "__strdup", "strndup", "__strndup", "wcsdup", "asprintf", "__asprintf*", "vasprintf", "__vasprintf*",
    "getline", "getdelim", "__getdelim", "_IO_getdelim", "__libc_*",
    // wrappers that many projects have under these names
    "xmalloc*", "xcalloc*", "xrealloc*", "x2realloc*", "x2nrealloc*", "xnmalloc*", "xnrealloc*", "xzalloc*", "xstrdup*",
    "xstrndup*", "xmemdup*", "xvasprintf*", "xasprintf*", "xalloc*", "xpalloc*", "safe_malloc*", "safe_calloc*",
    "safe_realloc*", "emalloc", "ecalloc", "erealloc", "zmalloc*", "zcalloc*", "zrealloc*", "ztrymalloc*",
    "CRYPTO_malloc*", "CRYPTO_zalloc*", "CRYPTO_realloc*", "CRYPTO_strdup*", "OPENSSL_malloc*", "sqlite3Malloc*",
    "sqlite3MemMalloc*", "sqlite3MemRealloc*", "sqlite3DbMalloc*", "sqlite3DbRealloc*", "sqlite3Realloc*",
    "sqlite3_malloc*", "sqlite3_realloc*", "Perl_safesys*", "ggc_internal_*alloc*", "av_malloc*", "av_calloc*", "av_realloc*",
    // the start of programs and threads
    "_start", "start_thread", "clone", "clone3", "__clone*", "_dl_start_user", "__rust_begin_short_backtrace"};

// `*` matches any text; at most two in a pattern.
bool Matches(std::string_view name, std::string_view pattern) {
  const size_t star = pattern.find('*');
  if (star == std::string_view::npos) return name == pattern;
  if (name.substr(0, star) != pattern.substr(0, star)) return false;
  const std::string_view rest = pattern.substr(star + 1);
  if (rest.empty()) return true;
  for (size_t at = star; at <= name.size(); ++at) {
    if (Matches(name.substr(at), rest)) return true;
  }
  return false;
}

template <size_t kCount>
bool InTable(const std::string& name, const std::string_view (&table)[kCount]) {
  return std::any_of(std::begin(table), std::end(table), [&](std::string_view entry) { return Matches(name, entry); });
}

}  // namespace

bool IsAllocatorFrame(std::string_view name) { return InTable(QualifiedName(name), kAllocators); }

bool IsPlumbing(std::string_view name) {
  const std::string qualified = QualifiedName(name);
  return InTable(qualified, kAllocators) || InTable(qualified, kPlumbing);
}

}  // namespace heaptally::symbols
