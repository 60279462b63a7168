#include "agent/deep_binding.h"

#include "agent/real_functions.h"
#include "elf/rebind.h"
#include "elf/symbols.h"

extern "C" {
extern const char _DYNAMIC[] __attribute__((visibility("hidden")));
}

namespace heaptally::agent {
namespace {

constexpr const char* kNames[] = {
#define HT_ACQUIRE(name, ...) #name,
#define HT_MOVE(name, ...) #name,
#define HT_RELEASE(name, ...) #name,
#define HT_OTHER(name, ...) #name,
#include "agent/malloc_family.def"
};
constexpr size_t kFunctions = sizeof(kNames) / sizeof(kNames[0]);

const link_map* OwnObject() {
  const link_map* own = nullptr;
  elf::VisitObjects([&](const link_map* object) {
    if (elf::DynamicSectionOf(object) == _DYNAMIC) own = object;
  });
  return own;
}

}  // namespace

void TakeDeepBinding() {
  if (g_definer.missing || g_definer.interposer_before) return;
  const link_map* libc = elf::FindNext(_DYNAMIC, "gnu_get_libc_version").object;  // musl has no deep binding, and is its own loader
  const link_map* own = OwnObject();
  if (libc == nullptr || own == nullptr || libc != elf::FindNext(_DYNAMIC, "malloc").object) return;
  elf::Rebinding there[kFunctions], back[kFunctions];
  for (size_t i = 0; i < kFunctions; ++i) {
    void* real = elf::FindInObject(libc, kNames[i]).address;
    void* hook = elf::FindInObject(own, kNames[i]).address;
    const bool both = real != nullptr && hook != nullptr;
    there[i] = {kNames[i], both ? real : nullptr, hook};
    back[i] = {kNames[i], both ? hook : nullptr, real};
  }
  if (elf::RebindSymbols(libc, there, kFunctions).refused != 0) elf::RebindSymbols(libc, back, kFunctions);
}

}  // namespace heaptally::agent
