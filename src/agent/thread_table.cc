#include "agent/thread_table.h"

#include "agent/image.h"
#include "agent/private_memory.h"
#include "base/hash.h"
#include "platform/thread.h"
#include "unwind/unwinder.h"

namespace heaptally::agent {

ThreadEntry* g_threads;
uint32_t g_thread_count;

bool OpenThreadTable() {
  g_threads = static_cast<ThreadEntry*>(MapPrivate(kMaxThreads * sizeof(ThreadEntry)));
  return g_threads != nullptr;
}

void ReopenThreadTable() { g_thread_count = 0; }

void* TakeWalkMemo(uint32_t entry) {
  if (entry == kNoThreadEntry) return nullptr;
  void*& memory = g_threads[entry].walk_memo;
  if (memory == nullptr) {
    memory = MapPrivate(unwind::kWalkMemoBytes);
  } else {  // an earlier thread with the same thread pointer has used it
    auto* words = static_cast<uint64_t*>(memory);
    for (uint64_t i = 0; i < unwind::kWalkMemoBytes / sizeof(uint64_t); ++i) words[i] = 0;
  }
  return memory;
}

uint32_t FindThreadEntry() {
  const uint64_t self = platform::ThreadPointer();
  uint32_t at = static_cast<uint32_t>(base::Mix64(self)) % kMaxThreads;
  for (uint32_t tries = 0; tries < 64; ++tries, at = (at + 1) % kMaxThreads) {
    if (at == kNoThreadEntry) continue;
    uint64_t owner = __atomic_load_n(&g_threads[at].thread_pointer, __ATOMIC_RELAXED);
    if (owner == self) return at;
    if (owner == 0 && __atomic_compare_exchange_n(&g_threads[at].thread_pointer, &owner, self, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
      const uint32_t count = __atomic_add_fetch(&g_thread_count, 1, __ATOMIC_RELAXED);
      if (g_image.header != nullptr) g_image.header->exact_peak.threads = count;
      return at;
    }
  }
  if (g_image.header != nullptr) __atomic_fetch_or(&g_image.header->image_flags, segment::kImageFlagFewThreads, __ATOMIC_RELAXED);
  return kNoThreadEntry;
}

uint32_t EntryOfThread(uint64_t thread_pointer) {
  uint32_t at = static_cast<uint32_t>(base::Mix64(thread_pointer)) % kMaxThreads;
  for (uint32_t tries = 0; tries < 64; ++tries, at = (at + 1) % kMaxThreads) {
    if (at == kNoThreadEntry) continue;
    const uint64_t owner = __atomic_load_n(&g_threads[at].thread_pointer, __ATOMIC_RELAXED);
    if (owner == thread_pointer) return at;
    if (owner == 0) break;
  }
  return kNoThreadEntry;
}

}  // namespace heaptally::agent
