#include "elf/objects.h"
#include "elf/program_headers.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>

#include <cstring>
#include <string>
#include <vector>

#include "elf/link_map.h"
#include "elf/symbols.h"

namespace heaptally::elf {
namespace {

uint64_t AddressOf(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

void FunctionOfTheMainProgram() {}

struct IteratedObject {
  std::string path;
  uint64_t bias = 0;
  uint64_t text = 0;
  uint64_t eh_frame_hdr = 0;
  uint64_t map_start = ~uint64_t{0};
};

// The truth from libc: dl_iterate_phdr.
std::vector<IteratedObject> IterateObjects() {
  std::vector<IteratedObject> objects;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* out) {
        IteratedObject object{info->dlpi_name, info->dlpi_addr};
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr)& segment = info->dlpi_phdr[i];
          const uint64_t start = info->dlpi_addr + segment.p_vaddr;
          if (segment.p_type == PT_LOAD && start < object.map_start) object.map_start = start & ~uint64_t{4095};
          if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0) object.text = start + segment.p_memsz / 2;
          if (segment.p_type == PT_GNU_EH_FRAME) object.eh_frame_hdr = start;
        }
        static_cast<std::vector<IteratedObject>*>(out)->push_back(object);
        return 0;
      },
      &objects);
  return objects;
}

void ExpectSame(const IteratedObject& truth, const LoadedObject& object) {
  EXPECT_EQ(object.bias, truth.bias) << truth.path;
  EXPECT_EQ(object.map_start, truth.map_start) << truth.path;
  EXPECT_GT(object.map_end, truth.text) << truth.path;
  EXPECT_EQ(AddressOf(object.eh_frame_hdr), truth.eh_frame_hdr) << truth.path;
  EXPECT_EQ(object.path, truth.path);
}

TEST(FindObject, AgreesWithDlIteratePhdr) {
  const std::vector<IteratedObject> objects = IterateObjects();
  ASSERT_GE(objects.size(), 4u);
  for (const IteratedObject& truth : objects) {
    LoadedObject object;
    ASSERT_TRUE(FindObject(truth.text, &object)) << truth.path;
    ExpectSame(truth, object);
  }
}

TEST(FindObjectByLinkMap, AgreesWithDlIteratePhdr) {
  for (const IteratedObject& truth : IterateObjects()) {
    LoadedObject object;
    ASSERT_TRUE(FindObjectByLinkMap(truth.text, &object)) << truth.path;
    ExpectSame(truth, object);
  }
}

TEST(FindObject, KnowsTheMainProgramByItsEmptyPath) {
  LoadedObject object;
  ASSERT_TRUE(FindObject(AddressOf(reinterpret_cast<void*>(&FunctionOfTheMainProgram)), &object));
  EXPECT_STREQ(object.path, "");
}

TEST(FindObject, SaysNoForWhatIsNotAnObject) {
  LoadedObject object;
  int on_stack = 0;
  std::vector<char> on_heap(1 << 20);
  for (uint64_t address :
       {uint64_t{0}, uint64_t{8}, AddressOf(&on_stack), AddressOf(on_heap.data()), uint64_t{1} << 46, ~uint64_t{0}}) {
    EXPECT_FALSE(FindObject(address, &object)) << std::hex << address;
    EXPECT_FALSE(FindObjectByLinkMap(address, &object)) << std::hex << address;
  }
}

TEST(FindSegment, GivesTheSegmentAndNotTheHolesAroundIt) {
  LoadedObject object;
  const uint64_t function = AddressOf(reinterpret_cast<void*>(&FunctionOfTheMainProgram));
  ASSERT_TRUE(FindObject(function, &object));
  uint64_t start = 0;
  uint64_t end = 0;
  ASSERT_TRUE(FindSegment(object, function, &start, &end));
  EXPECT_LE(start, function);
  EXPECT_GT(end, function);
  ASSERT_TRUE(FindSegment(object, AddressOf(object.eh_frame_hdr), &start, &end));
  EXPECT_FALSE(FindSegment(object, object.map_end + 4096, &start, &end));
}

TEST(ReadBuildId, IsTheLinkersSha1) {
  void* handle = dlopen(LOADED_A, RTLD_NOW);
  ASSERT_NE(handle, nullptr) << dlerror();
  LoadedObject object;
  ASSERT_TRUE(FindObject(AddressOf(dlsym(handle, "loaded_answer")), &object));
  EXPECT_EQ(ReadBuildId(object).size, 20);
  dlclose(handle);
}

TEST(StillLoaded, IsTrueUntilTheObjectIsReplacedAtTheSameAddress) {
  void* handle = dlopen(LOADED_A, RTLD_NOW);
  ASSERT_NE(handle, nullptr) << dlerror();
  LoadedObject a;
  ASSERT_TRUE(FindObject(AddressOf(dlsym(handle, "loaded_answer")), &a));
  const BuildId build_id = ReadBuildId(a);
  EXPECT_TRUE(StillLoaded(a, build_id));
  dlclose(handle);
  EXPECT_FALSE(StillLoaded(a, build_id));

  handle = dlopen(LOADED_B, RTLD_NOW);
  ASSERT_NE(handle, nullptr) << dlerror();
  LoadedObject b;
  ASSERT_TRUE(FindObject(AddressOf(dlsym(handle, "loaded_answer")), &b));
  EXPECT_EQ(a.map_start, b.map_start) << "the kernel gave another address: the case under test did not happen";
  EXPECT_FALSE(StillLoaded(a, build_id));
  EXPECT_TRUE(StillLoaded(b, ReadBuildId(b)));
  dlclose(handle);
}

TEST(ProbeProgramHeaders, TheBiasOfAProgramAtAFixedAddressHasNone) { EXPECT_EQ(ProbeProgramHeaders(0).count, 0u); }

}  // namespace
}  // namespace heaptally::elf
