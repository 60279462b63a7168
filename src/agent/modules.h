// Which loaded object an address belonged to, and when. An address belongs to a module *at a time*: libc unloads one
// library and maps another at the same place without telling anybody.
//
// Known modules live in a private array; each has a record in the segment. A module that is found changed (other extent,
// bias or build id) is closed, the image's generation goes up, the unwinder forgets its rules, and stacks seen from then on
// hash differently. When to look: bytes mode at every sample; exact mode before a new stack is interned, and after the
// loader called the malloc family (it allocates and frees for every dlopen and dlclose).
#pragma once

#include <cstdint>

#include "base/branch.h"
#include "segment/layout.h"

namespace heaptally::agent {

// Set by a hook that is called from the loader's own code.
extern uint32_t g_loader_was_here __attribute__((visibility("hidden")));

struct LoaderText {
  uint64_t start = 0;
  uint64_t end = 0;
};
extern LoaderText g_loader_text __attribute__((visibility("hidden")));

// Learns where ld.so's code is. Not known (or the loader is libc itself, as in musl): stays empty, nothing is unloaded there.
void FindLoaderText();

// The image's generation: part of every stack's hash.
uint64_t Generation();

// Looks whether every known module under these frames is still what it was. False: something changed and the generation
// went up; take the stack again.
bool VerifyModules(const uint64_t* frames, uint32_t count);

// The same for all known modules; clears g_loader_was_here.
void VerifyAllModules();

// Module id + 1 of the object that holds `pc`, and its bias; 0 if there is none or no room. REQUIRES: the interning lock.
uint32_t ModuleOf(uint64_t pc, uint64_t* bias);

// A forked child: modules known so far belong to its parent's image.
void InheritModules();

}  // namespace heaptally::agent
