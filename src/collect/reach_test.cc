#include "collect/reach.h"

#include <elf.h>
#include <unistd.h>

#include <cstring>

#include "collect/elf_file.h"
#include "collect/test_directory.h"

namespace heaptally::collect {
namespace {

class ReachTest : public ::testing::Test {
 protected:
  // Compiles `source` with `flags`; "" if the compiler cannot (a missing libc.a, say).
  std::string Compile(const std::string& name, const std::string& source, const std::string& flags) {
    const std::string file = directory_.Write(name + ".c", source);
    const std::string out = directory_.path() + "/" + name;
    const std::string command = std::string(TEST_CC) + " -O1 -o " + out + " " + file + " " + flags + " 2>/dev/null";
    return system(command.c_str()) == 0 ? out : "";
  }
  TestDirectory directory_;
};

constexpr const char* kPlain = "#include <stdlib.h>\nint main(void) { return malloc(1) == 0; }\n";
constexpr const char* kOwnMalloc =
    "#include <stddef.h>\nstatic char pool[4096]; static size_t used;\n"
    "void* malloc(size_t n) { used += n; return pool + used - n; }\nvoid free(void* p) { (void)p; }\n"
    "int mi_version(void) { return 1; }\nint main(void) { return malloc(1) == 0; }\n";

TEST_F(ReachTest, PlainProgramIsReached) {
  const std::string file = Compile("plain", kPlain, "");
  ASSERT_FALSE(file.empty());
  const Reach reach = CheckReach(file, {});
  EXPECT_EQ(reach.barrier, Barrier::kNone) << reach.why;
  EXPECT_FALSE(reach.records_nothing());
}

TEST_F(ReachTest, StaticIsNot) {
  for (const char* flags : {"-static", "-static-pie"}) {
    const std::string file = Compile("static", kPlain, flags);
    if (file.empty()) GTEST_SKIP() << "no static libc here";
    const Reach reach = CheckReach(file, {});
    EXPECT_EQ(reach.barrier, Barrier::kStatic) << flags;
    EXPECT_NE(reach.why.find("statically linked"), std::string::npos);
    EXPECT_TRUE(reach.preload) << "its dynamic children are still followed";
  }
}

TEST_F(ReachTest, OwnMallocIsToldByTable) {
  const std::string exported = Compile("exported", kOwnMalloc, "-rdynamic");
  ASSERT_FALSE(exported.empty());
  Reach reach = CheckReach(exported, {});
  EXPECT_EQ(reach.barrier, Barrier::kOwnMalloc);
  EXPECT_NE(reach.why.find("mimalloc"), std::string::npos) << reach.why;
  const std::string hidden = Compile("hidden", kOwnMalloc, "-fvisibility=hidden");
  ASSERT_FALSE(hidden.empty());
  EXPECT_EQ(CheckReach(hidden, {}).barrier, Barrier::kHiddenMalloc);
}

TEST_F(ReachTest, SanitizedProgramMustNotBePreloaded) {
  const std::string file = Compile("asan", kPlain, "-fsanitize=address");
  if (file.empty()) GTEST_SKIP() << "no libasan here";
  const Reach reach = CheckReach(file, {});
  EXPECT_EQ(reach.barrier, Barrier::kSanitizer);
  EXPECT_FALSE(reach.preload);
}

TEST_F(ReachTest, SetuidOfSomebodyElse) {
  const std::string file = Compile("setuid", kPlain, "");
  ASSERT_FALSE(file.empty());
  ASSERT_EQ(chmod(file.c_str(), 04755), 0);
  EXPECT_EQ(CheckReach(file, {}).barrier, Barrier::kNone) << "our own: nothing changes hands";
  if (getuid() != 0) GTEST_SKIP() << "needs root to give the file away";
  ASSERT_EQ(chown(file.c_str(), 65534, 65534), 0);
  ASSERT_EQ(chmod(file.c_str(), 04755), 0);
  const Reach reach = CheckReach(file, {});
  EXPECT_EQ(reach.barrier, Barrier::kSecure);
  EXPECT_NE(reach.why.find("setuid"), std::string::npos);
}

TEST_F(ReachTest, OtherMachines) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS32;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_EXEC;
  header.e_machine = EM_386;
  const std::string bytes(reinterpret_cast<const char*>(&header), sizeof(header));
  Reach reach = CheckReach(directory_.Write("x86", bytes, 0755), {});
  EXPECT_EQ(reach.barrier, Barrier::kMachine);
  EXPECT_NE(reach.why.find("32-bit"), std::string::npos);
  EXPECT_FALSE(reach.preload) << "the loader would complain into the program's stderr";
}

TEST_F(ReachTest, ScriptsAreJudgedByTheirInterpreter) {
  const std::string file = Compile("interp", kPlain, "-static");
  if (file.empty()) GTEST_SKIP() << "no static libc here";
  const std::string script = directory_.Write("script", "#!" + file + "\n", 0755);
  const Reach reach = CheckReach(script, {});
  EXPECT_EQ(reach.barrier, Barrier::kStatic);
  EXPECT_EQ(std::filesystem::path(reach.file).filename(), "interp");
}

TEST_F(ReachTest, DamagedFilesAreRefusedNotFollowed) {
  const std::string file = Compile("plain", kPlain, "");
  ASSERT_FALSE(file.empty());
  std::ifstream in(file, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  uint64_t random = 12345;
  for (int round = 0; round < 300; ++round) {
    std::string bytes = whole;
    for (int flip = 0; flip < 8; ++flip) {
      random = random * 6364136223846793005ull + 1442695040888963407ull;
      const size_t place = round % 2 == 0 ? (random >> 33) % 1024 : (random >> 33) % bytes.size();
      bytes[place] = static_cast<char>(random >> 20);
    }
    if (round % 3 == 0) bytes.resize((random >> 33) % bytes.size());
    CheckReach(directory_.Write("damaged", bytes, 0755), {});
  }
}

TEST(HeapNotesTest, HeapsBesideMallocAreNamed) {
  EXPECT_EQ(HeapNotes("/usr/bin/python3.11", {}).size(), 1u);
  EXPECT_TRUE(HeapNotes("/usr/bin/python3.11", {"PYTHONMALLOC=malloc"}).empty());
  EXPECT_TRUE(HeapNotes("/usr/bin/python3-config", {}).empty());
  EXPECT_EQ(HeapNotes("/usr/bin/node", {}).size(), 1u);
  EXPECT_EQ(HeapNotes("/usr/lib/gcc/cc1plus", {}).size(), 1u);
  EXPECT_TRUE(HeapNotes("/usr/bin/javac-like", {}).empty());
}

}  // namespace
}  // namespace heaptally::collect
