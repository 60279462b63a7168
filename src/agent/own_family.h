// Hooks for what an allocator in a library brings beside the malloc family: operator new and delete, the mallocx family.
#pragma once

namespace heaptally::agent {

struct OwnFamily {
  bool brought = false;  // the definer of malloc defines some of it, and comes first with it
  bool refused = false;  // some of that is out of reach: a page could not be made writable
};

// Turns the definer's functions over to the hooks, except for those that call the malloc family through its hooks: these
// count anyway. The definer of malloc is asked, and only where its `operator new` is the one that the program would get.
// REQUIRES: ResolveRealFunctions() was called, OpenHooks() was not; one thread.
OwnFamily HookOwnFamily();

}  // namespace heaptally::agent
