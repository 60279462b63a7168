// The name under which a thread's sites are booked.
//
// The kernel has a name for each thread (a new thread has its creator's), and says it only when it is asked, by a system
// call. So it is asked once, at a thread's first recorded event, and afterwards the agent listens: to prctl(PR_SET_NAME) and
// to pthread_setname_np, which are hooked. From the moment at which the program announces a sandbox nothing is asked any
// more, since a filter might kill for it: a thread that is first seen then and does not name itself stays without a name.
//
// Not noticed: a name that is set past libc, by a system call of the program's own or through /proc, after the thread's
// first event.
#pragma once

#include <cstdint>

namespace heaptally::agent {

// Before a sandbox is entered: from here on no system call is made for names.
void StopAskingForNames();

// First event of the calling thread, which has its entry in the thread table.
void LearnThreadName();

// Another thread may have named the calling one since: takes that over.
void TakeNewThreadName();

// The calling thread was named, or the one with this thread pointer. `name`: NUL-terminated, cut to what the kernel keeps.
void NoteOwnName(const char* name);
void NoteNameOf(uint64_t thread_pointer, const char* name);

}  // namespace heaptally::agent
