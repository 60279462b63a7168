// Libraries that bind libc's malloc family past us: dlopen with RTLD_DEEPBIND looks in the library's own scope first, and
// dlsym in libc's handle finds libc's. What they take and give would be seen by half.
#pragma once

namespace heaptally::agent {

// Turns libc's own dynamic symbols of the malloc family over to the hooks, so that whatever is bound from now on reaches them. All
// or none. Only where libc defines the real malloc and no interposer stands before us.
// REQUIRES: OpenHooks() was called; one thread.
void TakeDeepBinding();

}  // namespace heaptally::agent
