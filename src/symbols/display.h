// How function names are shown: short enough to read, and with the frames that interest nobody marked so that views can
// fold them. All of this works on readable (demangled) names only, so it is equally true for imported profiles.
#pragma once

#include <string>
#include <string_view>

namespace heaptally::symbols {

// Replaces each template argument list by `<…>`, also in parameters and return types. Operators (`operator<<`) and
// Rust's qualified types (`<T as Trait>::f`, `<impl Trait for T>`) stay, shortened inside. A name whose brackets do not
// match comes back unchanged.
std::string ShortenTemplates(std::string_view name);

// The function alone: no return type, no parameters, no template arguments. For Rust's `<Type as Trait>::f` it is
// `Type::f`, or `Trait::f` where the type is a bare parameter.
std::string QualifiedName(std::string_view name);

// True for what belongs to an allocator: the malloc family, operator new and delete, Rust's entry points, and the
// insides of the common allocators. Reports hide these by default.
bool IsAllocatorFrame(std::string_view name);

// True for code that allocates on behalf of its caller: allocator frames, the standard libraries of C++ and Rust,
// wrappers like g_malloc, xmalloc and PyObject_Malloc, and what starts threads and programs. The frame shown for a site
// is the innermost one that is not plumbing. The table is in plumbing.cc.
bool IsPlumbing(std::string_view name);

}  // namespace heaptally::symbols
