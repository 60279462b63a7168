#include "agent/modules.h"

#include <initializer_list>

#include "agent/clock.h"
#include "agent/image.h"
#include "elf/objects.h"
#include "elf/symbols.h"
#include "unwind/unwinder.h"

extern "C" {
extern const char _DYNAMIC[] __attribute__((visibility("hidden")));
}

namespace heaptally::agent {

uint32_t g_loader_was_here;
LoaderText g_loader_text;

namespace {

constexpr uint32_t kMaxModules = 2048;

struct KnownModule {
  elf::LoadedObject object;
  elf::BuildId build_id;
  uint32_t id;      // module number in the image (inherited ones first)
  uint32_t active;  // 0 once it was found unloaded or replaced
};

// Appended under the interning lock, read without: count is published last.
// Raw storage: an array of objects this size would get a static constructor.
alignas(KnownModule) unsigned char g_known_storage[kMaxModules * sizeof(KnownModule)];
KnownModule* const g_known = reinterpret_cast<KnownModule*>(g_known_storage);
uint32_t g_known_count;
uint32_t g_inherited;  // modules of the parent's image

const KnownModule* FindKnown(uint64_t pc) {
  for (uint32_t i = __atomic_load_n(&g_known_count, __ATOMIC_ACQUIRE); i-- > 0;) {
    const KnownModule& module = g_known[i];
    if (pc >= module.object.map_start && pc < module.object.map_end && __atomic_load_n(&module.active, __ATOMIC_RELAXED)) return &module;
  }
  return nullptr;
}

void Close(const KnownModule* module) {
  auto* known = const_cast<KnownModule*>(module);
  if (__atomic_exchange_n(&known->active, 0u, __ATOMIC_ACQ_REL) == 0) return;
  if (g_image.header != nullptr) {
    if (known->id >= g_inherited) ModuleAt(known->id - g_inherited)->unloaded_clock = Now();
    __atomic_fetch_add(&g_image.header->generation, 1, __ATOMIC_RELEASE);
  }
  unwind::ForgetRules();
}

void CopyPath(const char* from, segment::Module* to) {
  if (from == nullptr) return;
  if (from[0] == 0) from = g_image.header->exe;  // the main program has no name in the link map
  uint32_t i = 0;
  for (; from[i] != 0 && i + 1 < sizeof(to->path); ++i) to->path[i] = from[i];
  to->path_cut = from[i] != 0;
}

uint32_t AddModule(const elf::LoadedObject& object) {
  const uint32_t at = g_known_count;
  if (at == kMaxModules) return 0;
  const uint32_t item = Append(segment::Kind::kModules);
  if (item == kNoItem) return 0;
  KnownModule& known = g_known[at];
  known.object = object;
  known.build_id = elf::ReadBuildId(object);
  known.id = g_inherited + item;
  segment::Module* record = ModuleAt(item);
  record->map_start = object.map_start;
  record->map_end = object.map_end;
  record->bias = object.bias;
  record->loaded_clock = Now();
  record->build_id_bytes = known.build_id.size;
  for (uint32_t i = 0; i < known.build_id.size; ++i) record->build_id[i] = known.build_id.bytes[i];
  CopyPath(object.path, record);
  __atomic_store_n(&known.active, 1u, __ATOMIC_RELAXED);
  __atomic_store_n(&g_known_count, at + 1, __ATOMIC_RELEASE);
  return known.id + 1;
}

}  // namespace

void FindLoaderText() {
  // The loader defines no malloc in glibc; where it does (musl: libc is the loader), every call of libc's would look like it.
  for (const char* name : {"_dl_allocate_tls", "__tls_get_addr"}) {
    const elf::Definition found = elf::FindNext(_DYNAMIC, name);
    if (found.address == nullptr || elf::FindInObject(found.object, "malloc").address != nullptr) continue;
    g_loader_text = {found.text_start, found.text_end};
    return;
  }
}

uint64_t Generation() { return __atomic_load_n(&g_image.header->generation, __ATOMIC_ACQUIRE); }

bool VerifyModules(const uint64_t* frames, uint32_t count) {
  const KnownModule* last = nullptr;
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t pc = frames[i] & ~unwind::kExactPcBit;
    if (last != nullptr && pc >= last->object.map_start && pc < last->object.map_end) continue;
    const KnownModule* module = FindKnown(pc);
    if (module == nullptr) continue;  // not interned yet: nothing could be confused with it
    if (!elf::StillLoaded(module->object, module->build_id)) {
      Close(module);
      return false;
    }
    last = module;
  }
  return true;
}

void VerifyAllModules() {
  __atomic_store_n(&g_loader_was_here, 0u, __ATOMIC_RELAXED);
  for (uint32_t i = 0; i < __atomic_load_n(&g_known_count, __ATOMIC_ACQUIRE); ++i) {
    const KnownModule& module = g_known[i];
    if (__atomic_load_n(&module.active, __ATOMIC_RELAXED) && !elf::StillLoaded(module.object, module.build_id)) Close(&module);
  }
}

uint32_t ModuleOf(uint64_t pc, uint64_t* bias) {
  if (const KnownModule* module = FindKnown(pc)) {
    *bias = module->object.bias;
    return module->id + 1;
  }
  elf::LoadedObject object;
  if (!elf::FindObject(pc, &object)) return 0;
  const uint32_t id = AddModule(object);
  if (id == 0) CountLoss(segment::Loss::kModuleTableFull);
  *bias = object.bias;
  return id;
}

void InheritModules() {
  g_inherited = g_image.header->inherited_modules;
}

}  // namespace heaptally::agent
