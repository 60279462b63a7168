// One entry per thread pointer: what must outlive a thread, since a thread's end can't be seen. A later thread with the
// same thread pointer goes on with the entry. Private, wiped in forked children.
#pragma once

#include <cstdint>

namespace heaptally::agent {

struct alignas(64) ThreadEntry {
  uint64_t thread_pointer;  // 0: free
  int64_t pending_bytes;    // exact mode: changes of the live total that are not in the image's counter yet
  void* walk_memo;          // exact mode: memory for the thread's last walk; nullptr until it has walked a while
  uint32_t new_name;        // another thread has named this one: its name as in segment::SiteHead, + 1; 0: none
};

inline constexpr uint32_t kMaxThreads = 4096;
inline constexpr uint32_t kNoThreadEntry = 0;  // entry 0 is shared by threads that found no other: no batching there

extern ThreadEntry* g_threads __attribute__((visibility("hidden")));
extern uint32_t g_thread_count __attribute__((visibility("hidden")));  // entries in use

bool OpenThreadTable();
void ReopenThreadTable();

// Zeroed memory for the calling thread's unwind::WalkMemo, from its entry or new; nullptr if there is none to be had.
void* TakeWalkMemo(uint32_t entry);

// The calling thread's entry number, 1 .. kMaxThreads - 1, or kNoThreadEntry.
uint32_t FindThreadEntry();

// The entry of the thread with this thread pointer, or kNoThreadEntry: a thread gets one at its first recorded event.
uint32_t EntryOfThread(uint64_t thread_pointer);

}  // namespace heaptally::agent
