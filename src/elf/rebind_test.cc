#include "elf/rebind.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>

#include <fstream>
#include <string>

namespace heaptally::elf {
namespace {

using Answer = int (*)();

int Ours() { return 4711; }

const link_map* MapOf(void* handle) {
  link_map* map = nullptr;
  dlinfo(handle, RTLD_DI_LINKMAP, &map);
  return map;
}

Answer Find(void* handle, const char* name) { return reinterpret_cast<Answer>(dlsym(handle, name)); }

// "r--p" of the page that holds `address`.
std::string ProtectionOf(const void* address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    char* end = nullptr;
    const uint64_t low = std::strtoull(line.c_str(), &end, 16);
    const uint64_t high = std::strtoull(end + 1, &end, 16);
    if (reinterpret_cast<uint64_t>(address) - low < high - low) return std::string(end + 1, 4);
  }
  return "";
}

// The definer, opened for all, and a caller in one of its linkages.
class Rebind : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    definer_ = dlopen(LOADED_A, RTLD_NOW | RTLD_GLOBAL);
    ASSERT_NE(definer_, nullptr) << dlerror();
    real_ = Find(definer_, "loaded_answer");
    wanted_ = {"loaded_answer", reinterpret_cast<void*>(real_), reinterpret_cast<void*>(&Ours)};
    back_ = {"loaded_answer", wanted_.to, wanted_.from};
  }
  void* OpenCaller() {
    void* caller = dlopen(GetParam(), RTLD_LAZY);
    EXPECT_NE(caller, nullptr) << dlerror();
    return caller;
  }
  void TearDown() override {
    RebindSymbols(MapOf(definer_), &back_, 1);
    dlclose(definer_);
  }
  void* definer_ = nullptr;
  Answer real_ = nullptr;
  Rebinding wanted_{};
  Rebinding back_{};
};

TEST_P(Rebind, BoundSlotsHoldTheNewFunctionAndTheirPagesStayAsTheyWere) {
  void* caller = OpenCaller();
  ASSERT_EQ(Find(caller, "caller_by_slot")(), 'a');  // a lazy slot is bound now
  ASSERT_EQ(Find(caller, "caller_by_pointer")(), 'a');
  const RebindResult result = RebindSlots(MapOf(caller), &wanted_, 1);
  EXPECT_EQ(result.refused, 0u);
  EXPECT_EQ(result.stored, 2u);
  EXPECT_EQ(Find(caller, "caller_by_slot")(), 4711);
  EXPECT_EQ(Find(caller, "caller_by_pointer")(), 4711);
  EXPECT_EQ(ProtectionOf(MapOf(caller)->l_ld), "r--p");  // in RELRO, beside the slots
  EXPECT_EQ(RebindSlots(MapOf(caller), &back_, 1).stored, 2u);
  EXPECT_EQ(Find(caller, "caller_by_slot")(), 'a');
  dlclose(caller);
}

TEST_P(Rebind, LaterBindingsReachTheNewFunction) {
  const RebindResult result = RebindSymbols(MapOf(definer_), &wanted_, 1);
  EXPECT_EQ(result.refused, 0u);
  EXPECT_EQ(result.stored, 1u);
  EXPECT_EQ(ProtectionOf(MapOf(definer_)->l_ld), "r--p");
  EXPECT_EQ(Find(RTLD_DEFAULT, "loaded_answer"), &Ours);
  void* caller = OpenCaller();
  EXPECT_EQ(Find(caller, "caller_by_slot")(), 4711);
  EXPECT_EQ(Find(caller, "caller_by_pointer")(), 4711);
  dlclose(caller);
  RebindSymbols(MapOf(definer_), &back_, 1);
  EXPECT_EQ(Find(RTLD_DEFAULT, "loaded_answer"), real_);
}

TEST_P(Rebind, WhatIsNotWantedOrElsewhereIsLeftAlone) {
  void* caller = OpenCaller();
  Rebinding none{"loaded_answer", nullptr, wanted_.to};
  Rebinding elsewhere{"loaded_answer", reinterpret_cast<void*>(&Ours), wanted_.to};
  EXPECT_EQ(RebindSlots(MapOf(caller), &none, 1).stored, 0u);
  EXPECT_EQ(RebindSlots(MapOf(caller), &elsewhere, 1).stored, 0u);
  Rebinding chosen{"loaded_chosen", dlsym(definer_, "loaded_chosen"), wanted_.to};
  EXPECT_EQ(RebindSymbols(MapOf(definer_), &chosen, 1).refused, 1u) << "an IFUNC's symbol is its resolver";
  EXPECT_EQ(Find(caller, "caller_by_slot")(), 'a');
  dlclose(caller);
}

INSTANTIATE_TEST_SUITE_P(Linkages, Rebind, testing::Values(CALLER_LAZY, CALLER_NOW));

}  // namespace
}  // namespace heaptally::elf
