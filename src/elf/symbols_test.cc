#include "elf/symbols.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>

#include <cstring>

namespace heaptally::elf {
namespace {

const link_map* MapOf(void* handle) {
  link_map* map = nullptr;
  dlinfo(handle, RTLD_DI_LINKMAP, &map);
  return map;
}

const link_map* Vdso() {
  for (const link_map* map = LinkMapHead(); map != nullptr; map = map->l_next) {
    if (std::strstr(map->l_name, "vdso") != nullptr) return map;
  }
  return nullptr;
}

TEST(LinkMapHead, IsTheLoadersList) { EXPECT_EQ(LinkMapHead(), _r_debug.r_map); }

// The names cover: a plain function, an IFUNC (memcpy), and one whose old version is still exported, hidden.
TEST(FindNext, AgreesWithDlsym) {
  for (const char* name : {"malloc", "free", "strtol", "memcpy", "strlen", "pthread_cond_wait", "_Znwm"}) {
    const Definition definition = FindNext(_DYNAMIC, name);
    EXPECT_EQ(definition.address, dlsym(RTLD_NEXT, name)) << name;
    const auto address = reinterpret_cast<uint64_t>(definition.address);
    EXPECT_LE(definition.text_start, address) << name;
    EXPECT_GT(definition.text_end, address) << name;
    EXPECT_NE(definition.object, nullptr) << name;
  }
}

TEST(FindNext, FindsNothingForUnknownNamesAndUnknownSelves) {
  EXPECT_EQ(FindNext(_DYNAMIC, "heaptally_no_such_function").address, nullptr);
  int not_a_dynamic_section = 0;
  EXPECT_EQ(FindNext(&not_a_dynamic_section, "malloc").address, nullptr);
  EXPECT_EQ(FindBefore(&not_a_dynamic_section, "malloc").address, nullptr);
}

TEST(FindBefore, SeesOnlyWhatPrecedesSelf) {
  const Definition free_function = FindNext(_DYNAMIC, "strtol");
  ASSERT_NE(free_function.object, nullptr);
  EXPECT_EQ(FindBefore(_DYNAMIC, "strtol").address, nullptr);
  const link_map* after = free_function.object->l_next;
  ASSERT_NE(after, nullptr);
  EXPECT_EQ(FindBefore(after->l_ld, "strtol").address, free_function.address);
}

TEST(FindInObject, ReadsBothKindsOfHashTable) {
  for (const char* path : {LOADED_A, LOADED_B}) {
    void* handle = dlopen(path, RTLD_NOW);
    ASSERT_NE(handle, nullptr) << dlerror();
    EXPECT_EQ(FindInObject(MapOf(handle), "loaded_answer").address, dlsym(handle, "loaded_answer")) << path;
    EXPECT_EQ(FindInObject(MapOf(handle), "loaded_chosen").address, dlsym(handle, "loaded_chosen")) << path;
    EXPECT_EQ(FindInObject(MapOf(handle), "loaded_hidden").address, nullptr) << path;
    EXPECT_EQ(FindInObject(MapOf(handle), "malloc").address, nullptr) << path;
    dlclose(handle);
  }
}

TEST(FindInObject, ReadsTheVdsoWhosePointersNobodyRelocates) {
  const link_map* vdso = Vdso();
  if (vdso == nullptr) GTEST_SKIP() << "no vdso in this process";
  const Definition definition = FindInObject(vdso, "__vdso_clock_gettime");
  ASSERT_NE(definition.address, nullptr);
  auto clock_gettime_function = reinterpret_cast<int (*)(int, timespec*)>(definition.address);
  timespec now{};
  EXPECT_EQ(clock_gettime_function(CLOCK_MONOTONIC, &now), 0);
  EXPECT_GT(now.tv_sec, 0);
}

}  // namespace
}  // namespace heaptally::elf
