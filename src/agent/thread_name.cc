#include "agent/thread_name.h"

#include "agent/image.h"
#include "agent/process.h"
#include "agent/thread_state.h"
#include "agent/thread_table.h"
#include "platform/atomic_words.h"
#include "platform/syscalls.h"
#include "platform/thread.h"

namespace heaptally::agent {
namespace {

constexpr long kPrGetName = 16;
constexpr uint32_t kNameBytes = sizeof(segment::ThreadName);

uint32_t g_may_not_ask;

union Name {
  char text[kNameBytes] = {};
  uint64_t words[2];
};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// "worker-12" -> "worker-#".
Name Folded(const char* name) {
  Name folded;
  uint32_t length = 0;
  for (uint32_t i = 0; i + 1 < kNameBytes && name[i] != 0; ++i) {
    if (!IsDigit(name[i])) folded.text[length++] = name[i];
    if (IsDigit(name[i]) && (i == 0 || !IsDigit(name[i - 1]))) folded.text[length++] = '#';
  }
  return folded;
}

// The number of the name in this image's list, added if it is new.
uint16_t NumberOf(const char* name) {
  const Name wanted = Folded(name);
  if (wanted.words[0] == 0) return segment::kThreadNameNotKnown;
  for (uint32_t i = 0; i < segment::kMaxThreadNames; ++i) {
    auto* words = reinterpret_cast<uint64_t*>(g_image.header->thread_names[i].text);
    uint64_t first = __atomic_load_n(&words[0], __ATOMIC_ACQUIRE);
    if (first == 0 && platform::SetZeroPair(words, wanted.words[0], wanted.words[1])) return static_cast<uint16_t>(i + 1);
    first = __atomic_load_n(&words[0], __ATOMIC_ACQUIRE);
    if (first == wanted.words[0] && words[1] == wanted.words[1]) return static_cast<uint16_t>(i + 1);
  }
  return segment::kThreadNameOther;
}

}  // namespace

void StopAskingForNames() { __atomic_store_n(&g_may_not_ask, 1u, __ATOMIC_RELAXED); }

void LearnThreadName() {
  if (t_state.name_is_known != 0) return;  // a forked child goes on with its parent's list of names
  t_state.thread_name = segment::kThreadNameNotKnown;
  t_state.name_is_known = 1;
  Name name;
  if (__atomic_load_n(&g_may_not_ask, __ATOMIC_RELAXED) != 0) return TakeNewThreadName();
  if (t_state.slot != kNoThreadEntry) g_threads[t_state.slot].new_name = 0;  // an earlier thread's, or what the kernel says too
  if (platform::Syscall(platform::Call::kPrctl, kPrGetName, platform::AsLong(name.text)) == 0) t_state.thread_name = NumberOf(name.text);
}

void TakeNewThreadName() {
  if (t_state.slot == kNoThreadEntry) return;
  const uint32_t named = __atomic_exchange_n(&g_threads[t_state.slot].new_name, 0u, __ATOMIC_ACQUIRE);
  if (named != 0) t_state.thread_name = static_cast<uint16_t>(named - 1);
}

void NoteOwnName(const char* name) {
  t_state.name_is_known = 0;
  if (!OwnsImage()) return;  // a child that has recorded nothing yet: asked for at its first event
  t_state.thread_name = NumberOf(name);
  t_state.name_is_known = 1;
}

void NoteNameOf(uint64_t thread_pointer, const char* name) {
  if (!OwnsImage()) return;
  const uint32_t entry = EntryOfThread(thread_pointer);
  if (entry == kNoThreadEntry) return;  // it has recorded nothing yet: asked for at its first event
  __atomic_store_n(&g_threads[entry].new_name, NumberOf(name) + 1u, __ATOMIC_RELEASE);
  __atomic_fetch_add(&g_exact_epoch, 1, __ATOMIC_RELEASE);
}

}  // namespace heaptally::agent
