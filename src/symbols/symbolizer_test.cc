// The whole way, on programs that print their own addresses: exact function, file and line at each of them.
#include "symbols/symbolizer.h"

#include <dwarf.h>
#include <gtest/gtest.h>
#include <lzma.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "symbols/dwarf_data.h"
#include "symbols/elf_image.h"
#include "symbols/range_lists.h"

namespace heaptally::symbols {
namespace {

namespace fs = std::filesystem;

const std::string kFixtures = HEAPTALLY_FIXTURES;
const std::string kTestdata = HEAPTALLY_TESTDATA;

// label -> return address, as the program prints them.
std::map<std::string, uint64_t> Addresses(const std::string& program) {
  std::map<std::string, uint64_t> out;
  FILE* pipe = popen(("'" + program + "'").c_str(), "r");
  char label[64];
  unsigned long address = 0;
  while (pipe != nullptr && fscanf(pipe, "%63s %lx", label, &address) == 2) out[label] = address;
  if (pipe != nullptr) pclose(pipe);
  return out;
}

// Number of the only line of a test source that contains `text`.
uint32_t LineOf(const std::string& source, const std::string& text) {
  std::ifstream in(kTestdata + "/" + source);
  std::string line;
  for (uint32_t n = 1; std::getline(in, line); ++n) {
    if (line.find(text) != std::string::npos) return n;
  }
  ADD_FAILURE() << text << " is not in " << source;
  return 0;
}

uint32_t ProbeLine(const std::string& source, const std::string& label) {
  return LineOf(source, "Probe(\"" + label + "\")");
}

// "function file:line", with ` [i]` for inlined frames; unnamed: "? (why)".
std::string Text(const Frame& frame) {
  std::string text = frame.function.empty() ? "? (" + frame.why + ")" : frame.function;
  if (frame.line != 0) text += " " + fs::path(frame.file).filename().string() + ":" + std::to_string(frame.line);
  return text + (frame.inlined ? " [i]" : "");
}

std::vector<std::string> Texts(const std::vector<Frame>& frames) {
  std::vector<std::string> out;
  for (const Frame& frame : frames) out.push_back(Text(frame));
  return out;
}

using Lines = std::vector<std::string>;

class FileTest : public testing::Test {
 protected:
  void Use(const std::string& program, SymbolizerOptions options = {{}}) {
    addresses_ = Addresses(program);
    ASSERT_FALSE(addresses_.empty()) << program << " printed nothing";
    symbolizer_ = std::make_unique<Symbolizer>(std::move(options));
    module_ = symbolizer_->AddModule({program, "", ""});
  }
  Lines At(const std::string& label) {
    EXPECT_EQ(addresses_.count(label), 1u) << label;
    return Texts(symbolizer_->Lookup(module_, addresses_[label], true));
  }
  std::string Problem() { return symbolizer_->ModuleProblem(module_); }

  std::map<std::string, uint64_t> addresses_;
  std::unique_ptr<Symbolizer> symbolizer_;
  uint32_t module_ = 0;
};

std::string Cxx(const std::string& function, const std::string& label) {
  return function + " calls.cc:" + std::to_string(ProbeLine("calls.cc", label));
}
std::string CxxCall(const std::string& function, const std::string& callee) {
  return function + " calls.cc:" + std::to_string(LineOf("calls.cc", "// call:" + callee));
}
std::string C(const std::string& function, const std::string& label) {
  return function + " calls.c:" + std::to_string(ProbeLine("calls.c", label));
}

// Inlined functions have parameters in their names only where the compiler gave them linkage names; the lambda's own
// name depends on it too. The tests on chains compare what comes before them.
void ExpectChain(const Lines& got, const Lines& expected_functions, const Lines& expected_lines) {
  ASSERT_EQ(got.size(), expected_functions.size()) << testing::PrintToString(got);
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i].substr(0, expected_functions[i].size()), expected_functions[i]);
    const std::string& line = expected_lines[i];
    EXPECT_TRUE(got[i].size() >= line.size() && got[i].substr(got[i].size() - line.size()) == line)
        << got[i] << " should end in " << line;
  }
}

class Calls : public FileTest, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    const std::string program = kFixtures + "/" + GetParam();
    if (!fs::exists(program)) GTEST_SKIP() << "the linker of this shape was not found when the tests were built";
    Use(program);
  }
};

TEST_P(Calls, RealFunctions) {
  EXPECT_EQ(At("template"), Lines{Cxx("double outer::Twice<double>(double)", "template")});
  EXPECT_EQ(At("anonymous_real"), Lines{Cxx("outer::(anonymous namespace)::AnonymousReal(int)", "anonymous_real")});
  EXPECT_EQ(At("local_class").size(), 1u);
  EXPECT_EQ(At("local_class")[0], Cxx("outer::InLocalClass(int)::Inner::Work(int)", "local_class"));
  EXPECT_EQ(At("main"), Lines{Cxx("main", "main")});
  EXPECT_EQ(Problem(), "");
}

TEST_P(Calls, CNamesStayAsTheyAre) {
  EXPECT_EQ(At("c"), Lines{C("f", "c")});
  EXPECT_EQ(At("c_static"), Lines{C("i", "c_static")});
  EXPECT_EQ(At("c_inlined"),
            (Lines{C("St", "c_inlined") + " [i]", "f calls.c:" + std::to_string(LineOf("calls.c", "call:c_inlined"))}));
}

TEST_P(Calls, AColdPartBelongsToItsFunction) { EXPECT_EQ(At("cold"), Lines{Cxx("outer::Hot(int)", "cold")}); }

TEST_P(Calls, ACallAtTheVeryEndOfAFunction) { EXPECT_EQ(At("noreturn"), Lines{Cxx("outer::Last()", "noreturn")}); }

TEST_P(Calls, InlinedChains) {
  const std::string area = "outer::Shape::Area(int)", lambda = "outer::Shape::Area(int)::";
  ExpectChain(At("lambda"), {lambda, area}, {Cxx("", "lambda") + " [i]", CxxCall("", "lambda")});
  const std::string method = "outer::(anonymous namespace)::Local::Method";
  ExpectChain(At("method"), {method, lambda, area},
              {Cxx("", "method") + " [i]", CxxCall("", "method") + " [i]", CxxCall("", "lambda")});
  ExpectChain(At("anonymous"), {"outer::(anonymous namespace)::AnonymousInlined", method, lambda, area},
              {Cxx("", "anonymous") + " [i]", CxxCall("", "anonymous") + " [i]", CxxCall("", "method") + " [i]",
               CxxCall("", "lambda")});
  EXPECT_NE(At("lambda")[0].find("operator()"), std::string::npos) << At("lambda")[0];
}

TEST_P(Calls, CodeWithoutDebugInformationHasItsSymbol) {
  // The function that prints, in probe.c, from its exact start: found from the program's own symbols.
  const std::vector<Frame>& frames = symbolizer_->Lookup(module_, addresses_["main"], true);
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_TRUE(frames[0].why.empty());
}

INSTANTIATE_TEST_SUITE_P(Shapes, Calls,
                         testing::Values("calls_dwarf2", "calls_dwarf3", "calls_dwarf4", "calls_dwarf5", "calls_nopie",
                                         "calls_zlib", "calls_split4", "calls_split5", "calls_types", "calls_noid",
                                         "calls_lto", "calls_base", "calls_strip", "calls_lld", "calls_lld_base",
                                         "calls_mold", "dwp4/calls", "dwp5/calls"),
                         [](const auto& shape) {
                           std::string name = shape.param;
                           return name.substr(0, name.find('/'));
                         });

// Strict DWARF 2 cannot say that a unit has more than one range, nor a namespace: .debug_aranges knows the former, the
// linkage names the latter.
TEST_F(FileTest, StrictDwarf2) {
  Use(kFixtures + "/calls_strict2");
  EXPECT_EQ(At("template"), Lines{Cxx("double outer::Twice<double>(double)", "template")});
  EXPECT_EQ(At("cold")[0], Cxx("outer::Hot(int)", "cold"));
  EXPECT_EQ(At("main"), Lines{Cxx("main", "main")});
  EXPECT_EQ(At("c"), Lines{C("f", "c")});
}

TEST_F(FileTest, WithoutDebugInformationThereAreNamesButNoLines) {
  Use(kFixtures + "/calls_nodebug");
  EXPECT_EQ(At("template"), Lines{"double outer::Twice<double>(double)"});
  EXPECT_EQ(At("c_inlined"), Lines{"f"});
  EXPECT_EQ(At("cold"), Lines{"outer::Hot(int)"});
  EXPECT_EQ(At("noreturn"), Lines{"outer::Last()"});
}

TEST_F(FileTest, ZstdSections) {
  const std::string program = kFixtures + "/calls_zstd";
  if (!fs::exists(program)) GTEST_SKIP() << "objcopy knows no zstd";
  Use(program);
  EXPECT_EQ(At("template"), Lines{Cxx("double outer::Twice<double>(double)", "template")});
  EXPECT_EQ(At("anonymous").size(), 4u);
  EXPECT_EQ(Problem(), "");
}

TEST_F(FileTest, ExactAddressesAreNotMovedBack) {
  Use(kFixtures + "/calls_dwarf5");
  // The address behind the last call of a noreturn function is the next function's, or padding.
  const std::vector<Frame>& exact = symbolizer_->Lookup(module_, addresses_["noreturn"], false);
  EXPECT_NE(exact.back().function, "outer::Last()");
}

// True if debug information has a function of that name that lies outside of the code.
bool HasDroppedFunction(const std::string& path, const char* name) {
  std::string problem;
  auto image = ElfImage::Open(path, &problem);
  if (image == nullptr) return false;
  const DwarfData data({.info = image->Bytes(".debug_info"),
                        .types = {},
                        .abbrev = image->Bytes(".debug_abbrev"),
                        .str = image->Bytes(".debug_str"),
                        .line_str = {},
                        .str_offsets = {},
                        .addr = {},
                        .ranges = image->Bytes(".debug_ranges"),
                        .rnglists = image->Bytes(".debug_rnglists"),
                        .line = {},
                        .aranges = {}});
  bool found = false;
  for (const DwarfUnitHeader& unit : data.units()) {
    WalkDies(data.UnitDie(unit), [&](const Die& die, const Die&) {
      if (TextOf(die, DW_AT_name) != name) return false;
      ForRanges(die, [&](uint64_t low, uint64_t) { found |= image->CodeAround(low) == nullptr; });
      return false;
    });
  }
  return found;
}

TEST_F(FileTest, DroppedFunctionsNameNothing) {
  ASSERT_TRUE(HasDroppedFunction(kFixtures + "/dead", "Dead")) << "the linker kept no trace: this test tests nothing";
  Use(kFixtures + "/dead");
  EXPECT_LT(addresses_["living"], 0x4000u) << "living code is not where dropped code seems to be";
  EXPECT_EQ(At("living"), Lines{"Living(int) dead.cc:" + std::to_string(ProbeLine("dead.cc", "living"))});
  EXPECT_EQ(At("main"), Lines{"main dead.cc:" + std::to_string(ProbeLine("dead.cc", "main"))});
}

TEST_F(FileTest, TombstonesOfEveryKindNameNothing) {
  for (const std::string tombstone : {"0", "0xffffffffffffffff", "0xfffffffffffffffe"}) {
    const std::string program = kFixtures + "/dead_lld_" + tombstone;
    if (!fs::exists(program)) GTEST_SKIP() << "no lld was found when the tests were built";
    ASSERT_TRUE(HasDroppedFunction(program, "Dead")) << "the linker kept no trace: this test tests nothing";
    Use(program);
    EXPECT_EQ(At("living"), Lines{"Living(int) dead.cc:" + std::to_string(ProbeLine("dead.cc", "living"))}) << tombstone;
    EXPECT_EQ(At("main"), Lines{"main dead.cc:" + std::to_string(ProbeLine("dead.cc", "main"))}) << tombstone;
    for (uint64_t address = 0; address < 0x3000; address += 0x40) {  // below the code, where the dead would be
      for (const Frame& frame : symbolizer_->Lookup(module_, address, false)) EXPECT_NE(frame.function, "Dead(int)");
    }
  }
}

// Which of two folded functions was called cannot be known; but name and line must be of one and the same.
TEST_F(FileTest, FoldedFunctionsHaveTheNameAndLineOfOneOfThem) {
  if (!fs::exists(kFixtures + "/icf")) GTEST_SKIP() << "no lld was found when the tests were built";
  Use(kFixtures + "/icf");
  const uint32_t one = LineOf("icf.cc", "int FoldedOne"), two = LineOf("icf.cc", "int FoldedTwo");
  const Lines got = At("folded");
  const Lines first = {"FoldedOne(int) icf.cc:" + std::to_string(one + 1)};
  const Lines second = {"FoldedTwo(int) icf.cc:" + std::to_string(two + 1)};
  EXPECT_TRUE(got == first || got == second) << testing::PrintToString(got);
  Use(kFixtures + "/icf_nodebug");
  EXPECT_EQ(At("folded"), Lines{"FoldedOne(int)"}) << "the same one each time: the lexically smaller";
}

TEST_F(FileTest, DroppedFunctionsDoNotNameCodeWithoutDebugInformation) {
  Use(kFixtures + "/dead");
  std::string problem;
  GElf_Ehdr header;
  auto image = ElfImage::Open(kFixtures + "/dead", &problem);
  ASSERT_NE(gelf_getehdr(image->elf(), &header), nullptr);
  EXPECT_EQ(Texts(symbolizer_->Lookup(module_, header.e_entry + 4, false)), Lines{"_start"});
}

TEST_F(FileTest, FunctionsInsideOfFunctions) {
  const std::string program = kFixtures + "/nested";
  if (!fs::exists(program)) GTEST_SKIP() << "the compiler has no nested functions";
  Use(program);
  EXPECT_EQ(At("nested"), Lines{"work nested.c:" + std::to_string(ProbeLine("nested.c", "nested"))});
  EXPECT_EQ(At("nested_inlined"),
            (Lines{"Inlined nested.c:" + std::to_string(ProbeLine("nested.c", "nested_inlined")) + " [i]",
                   "work nested.c:" + std::to_string(LineOf("nested.c", "call:nested_inlined"))}));
}

TEST_F(FileTest, StrippedNamesOnlyWhatExportsCover) {
  Use(kFixtures + "/few_stripped");
  EXPECT_EQ(At("exported"), Lines{"exported_low"});
  EXPECT_EQ(At("hidden").size(), 1u);
  EXPECT_EQ(At("hidden")[0].substr(0, 3), "? (");
  EXPECT_NE(At("hidden")[0].find("stripped: "), std::string::npos) << At("hidden")[0];
  EXPECT_EQ(At("sizeless")[0].substr(0, 3), "? (") << "a symbol without a size proves nothing in a stripped file";
  EXPECT_EQ(Problem().find("stripped: "), 0u) << Problem();
}

TEST_F(FileTest, SizelessSymbolsOfAFullTableReachToTheNext) {
  Use(kFixtures + "/few");
  EXPECT_EQ(At("sizeless"), Lines{"sizeless"});
  EXPECT_EQ(At("hidden"), Lines{"hidden"});
  EXPECT_EQ(Problem(), "");
}

TEST_F(FileTest, DataIsNeverNamed) {
  Use(kFixtures + "/few");
  for (uint64_t address : {uint64_t{0}, uint64_t{UINT64_MAX}, uint64_t{0x40}}) {
    for (bool is_call : {false, true}) {
      const std::vector<Frame>& frames = symbolizer_->Lookup(module_, address, is_call);
      ASSERT_EQ(frames.size(), 1u);
      EXPECT_EQ(frames[0].function, "");
      EXPECT_EQ(frames[0].why, "address is not in the file's code");
    }
  }
}

TEST(ModuleProblem, FilesThatAreNotThere) {
  Symbolizer symbolizer;
  const std::map<std::string, std::string> expected = {
      {"/no/such/file", "no such file"}, {"/", "not a regular file"}, {"/dev/null", "not a regular file"},
      {"[vdso]", "not a file"},          {"", "not a file"},          {kTestdata + "/calls.cc", "not an ELF file"}};
  for (const auto& [path, problem] : expected) {
    const uint32_t module = symbolizer.AddModule({path, "", ""});
    EXPECT_EQ(symbolizer.ModuleProblem(module), problem) << path;
    ASSERT_EQ(symbolizer.Lookup(module, 0x1000, true).size(), 1u);
    EXPECT_EQ(symbolizer.Lookup(module, 0x1000, true)[0].why, problem);
  }
}

TEST(Identity, AFileWithAnotherBuildIdIsNotBelieved) {
  const std::string program = kFixtures + "/calls_dwarf5";
  std::string problem;
  const std::string own = ElfImage::Open(program, &problem)->build_id_hex();
  ASSERT_EQ(own.size(), 40u);
  Symbolizer symbolizer;
  const uint64_t address = Addresses(program)["main"];
  const uint32_t same = symbolizer.AddModule({program, own, ""});
  EXPECT_EQ(symbolizer.Lookup(same, address, true)[0].function, "main");
  const uint32_t other = symbolizer.AddModule({program, "00112233", ""});
  ASSERT_NE(same, other);
  EXPECT_EQ(symbolizer.Lookup(other, address, true)[0].function, "");
  EXPECT_EQ(symbolizer.ModuleProblem(other), "file on disk has build id " + own + ", mapped was 00112233");
  const uint32_t none = symbolizer.AddModule({kFixtures + "/calls_noid", own, ""});
  EXPECT_EQ(symbolizer.Lookup(none, address, true)[0].function, "");
  EXPECT_EQ(symbolizer.ModuleProblem(none), "file on disk has no build id, mapped was " + own);
  EXPECT_EQ(symbolizer.AddModule({program, own, ""}), same);
}

TEST(Identity, TheRootPrefixComesFirst) {
  Symbolizer symbolizer;
  const uint32_t module = symbolizer.AddModule({"/calls_dwarf5", "", kFixtures});
  EXPECT_EQ(symbolizer.ModuleProblem(module), "");
}

// A folder of its own for a test; removed at the end.
class SeparateDebugFiles : public FileTest {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "heaptally_symbols_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }
  // Copies the stripped `name` into the folder.
  std::string Stripped(const std::string& name) {
    fs::copy_file(kFixtures + "/separate/" + name, folder_ / name);
    return folder_ / name;
  }
  void DebugFile(const std::string& from, const fs::path& to) {
    fs::create_directories((folder_ / to).parent_path());
    fs::copy_file(kFixtures + "/" + from, folder_ / to, fs::copy_options::overwrite_existing);
  }
  void ExpectLines() {
    EXPECT_EQ(At("template"), Lines{Cxx("double outer::Twice<double>(double)", "template")});
    EXPECT_EQ(At("c_inlined").size(), 2u);
    EXPECT_EQ(Problem(), "");
  }
  void ExpectNothing(const std::string& problem) {
    EXPECT_EQ(At("template").size(), 1u);
    EXPECT_EQ(At("template")[0].substr(0, 3), "? (");
    EXPECT_NE(Problem().find(problem), std::string::npos) << Problem();
  }

  fs::path folder_;
};

TEST_F(SeparateDebugFiles, ByBuildId) {
  const std::string program = Stripped("calls_dwarf5");
  std::string problem;
  const std::string id = ElfImage::Open(program, &problem)->build_id_hex();
  DebugFile("calls_dwarf5.debug", "debug/.build-id/" + id.substr(0, 2) + "/" + id.substr(2) + ".debug");
  Use(program, {{folder_ / "debug"}});
  ExpectLines();
}

TEST_F(SeparateDebugFiles, ByLinkBesideTheProgram) {
  const std::string program = Stripped("calls_noid");
  DebugFile("calls_noid.debug", "calls_noid.debug");
  Use(program);
  ExpectLines();
}

TEST_F(SeparateDebugFiles, ByLinkInDotDebug) {
  const std::string program = Stripped("calls_noid");
  DebugFile("calls_noid.debug", ".debug/calls_noid.debug");
  Use(program);
  ExpectLines();
}

TEST_F(SeparateDebugFiles, ByLinkBelowADebugRoot) {
  const std::string program = Stripped("calls_noid");
  DebugFile("calls_noid.debug", "root" + folder_.string() + "/calls_noid.debug");
  Use(program, {{folder_ / "root"}});
  ExpectLines();
}

TEST_F(SeparateDebugFiles, AWrongCrcIsRejectedAndTheNextCandidateTried) {
  const std::string program = Stripped("calls_noid");
  DebugFile("calls_dwarf4", "calls_noid.debug");
  Use(program);
  ExpectNothing("calls_noid.debug has another CRC than .gnu_debuglink says");
  DebugFile("calls_noid.debug", ".debug/calls_noid.debug");
  Use(program);
  ExpectLines();
}

TEST_F(SeparateDebugFiles, AWrongBuildIdIsRejected) {
  const std::string program = Stripped("calls_dwarf5");
  DebugFile("calls_dwarf4", "calls_dwarf5.debug");
  Use(program);
  ExpectNothing("has build id");
}

TEST_F(SeparateDebugFiles, NoneIsSaid) {
  Use(Stripped("calls_noid"));
  ExpectNothing("debug file calls_noid.debug not found");
}

TEST_F(SeparateDebugFiles, MiniDebugInfo) {
  std::ifstream in(kFixtures + "/few", std::ios::binary);
  const std::string plain(std::istreambuf_iterator<char>(in), {});
  std::vector<uint8_t> packed(lzma_stream_buffer_bound(plain.size()));
  size_t size = 0;
  ASSERT_EQ(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const uint8_t*>(plain.data()),
                                    plain.size(), packed.data(), &size, packed.size()),
            LZMA_OK);
  std::ofstream(folder_ / "packed", std::ios::binary).write(reinterpret_cast<const char*>(packed.data()), size);
  const std::string program = folder_ / "few";
  const std::string command = std::string(HEAPTALLY_OBJCOPY) +
                              " --add-section .gnu_debugdata=" + (folder_ / "packed").string() + " " + kFixtures +
                              "/few_stripped " + program;
  ASSERT_EQ(system(command.c_str()), 0);
  Use(program);
  EXPECT_EQ(At("hidden"), Lines{"hidden"});
  EXPECT_EQ(At("exported"), Lines{"exported_low"});
}

TEST_F(SeparateDebugFiles, ADamagedMiniDebugInfoIsSaid) {
  std::ofstream(folder_ / "packed", std::ios::binary) << "\xfd" "7zXZ, but no more of it";
  const std::string program = folder_ / "few";
  const std::string command = std::string(HEAPTALLY_OBJCOPY) +
                              " --add-section .gnu_debugdata=" + (folder_ / "packed").string() + " " + kFixtures +
                              "/few_stripped " + program;
  ASSERT_EQ(system(command.c_str()), 0);
  Use(program);
  EXPECT_EQ(At("exported"), Lines{"exported_low"});
  EXPECT_NE(Problem().find(".gnu_debugdata cannot be read"), std::string::npos) << Problem();
}

// Makes the header of a compressed section name a way of compression that nobody knows. False: there is no such section.
bool SpoilCompression(const std::string& path, const std::string& section) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(bytes.data());
  const auto* sections = reinterpret_cast<const Elf64_Shdr*>(bytes.data() + header->e_shoff);
  for (uint32_t i = 0; i < header->e_shnum; ++i) {
    if (bytes.c_str() + sections[header->e_shstrndx].sh_offset + sections[i].sh_name != section) continue;
    if ((sections[i].sh_flags & SHF_COMPRESSED) == 0) return false;
    const Elf64_Word unknown = 0x5a5a5a5a;
    file.clear();
    file.seekp(static_cast<std::streamoff>(sections[i].sh_offset));
    file.write(reinterpret_cast<const char*>(&unknown), sizeof unknown);
    return static_cast<bool>(file);
  }
  return false;
}

TEST_F(SeparateDebugFiles, ASectionThatCannotBeDecompressedIsSaid) {
  for (const std::string section : {".debug_info", ".debug_line", ".debug_str"}) {
    const std::string program = folder_ / ("calls" + section);
    fs::copy_file(kFixtures + "/calls_zlib", program);
    if (!SpoilCompression(program, section)) GTEST_SKIP() << section << " is not compressed here";
    Use(program);
    EXPECT_NE(Problem().find("compressed in an unknown way, or damaged: " + section), std::string::npos) << Problem();
    EXPECT_EQ(At("template")[0].find("double outer::Twice<double>(double)"), 0u) << At("template")[0];
    EXPECT_EQ(At("noreturn")[0].find("outer::Last()"), 0u) << At("noreturn")[0];
  }
}

TEST_F(SeparateDebugFiles, DwzAlternateFiles) {
  if (!fs::exists(kFixtures + "/dwz/common")) GTEST_SKIP() << "no dwz was found when the tests were built";
  const std::string program = folder_ / "calls";
  fs::copy_file(kFixtures + "/dwz/calls", program);
  DebugFile("dwz/common", "common");
  Use(program);
  ExpectLines();
  EXPECT_EQ(At("c_inlined")[0], C("St", "c_inlined") + " [i]");
  EXPECT_EQ(At("anonymous").size(), 4u);

  fs::remove(folder_ / "common");
  Use(program);
  EXPECT_EQ(At("template"), Lines{Cxx("double outer::Twice<double>(double)", "template")});
  EXPECT_EQ(Problem().find("alternate debug file not found: common"), 0u) << Problem();

  DebugFile("calls_dwarf5", "common");  // the right name, another build id
  Use(program);
  EXPECT_EQ(At("template"), Lines{Cxx("double outer::Twice<double>(double)", "template")}) << "the file's own line table";
  EXPECT_EQ(At("c_inlined")[0].substr(0, 3), "? (") << "a name from a file that is not proven";
  EXPECT_EQ(Problem().find("alternate debug file not found: common"), 0u) << Problem();
}

TEST_F(SeparateDebugFiles, AMissingSplitFileIsSaid) {
  // A split file is found by the path in the skeleton; a copy that cannot find it has names from symbols, and says so.
  const std::string program = folder_ / "calls_split5";
  fs::copy_file(kFixtures + "/calls_split5", program);
  std::string bytes;
  {
    std::ifstream in(program, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  for (size_t at = 0; (at = bytes.find(".dwo\0", at, 5)) != std::string::npos; ++at) bytes[at + 1] = 'x';
  std::ofstream(program, std::ios::binary) << bytes;
  fs::permissions(program, fs::perms::owner_all);
  Use(program);
  EXPECT_EQ(At("template"), Lines{Cxx("double outer::Twice<double>(double)", "template")});
  EXPECT_NE(Problem().find("split debug file not found: "), std::string::npos) << Problem();
}

TEST_F(SeparateDebugFiles, APackageOfAnotherBuildIsNotBelieved) {
  if (!fs::exists(kFixtures + "/dwp5/calls.dwp")) GTEST_SKIP() << "no python3 was found when the tests were built";
  const std::string program = folder_ / "calls";
  fs::copy_file(kFixtures + "/dwp5/calls", program);
  Use(program);
  EXPECT_EQ(At("template"), Lines{Cxx("double outer::Twice<double>(double)", "template")});
  EXPECT_NE(Problem().find("split debug file not found: "), std::string::npos) << Problem();
  DebugFile("dwp5/calls.dwp", "calls.dwp");
  Use(program);
  EXPECT_EQ(At("c_inlined").size(), 2u);
  EXPECT_EQ(Problem(), "");
  if (!fs::exists(kFixtures + "/dwp4/calls.dwp")) GTEST_SKIP() << "no dwp was found when the tests were built";
  DebugFile("dwp4/calls.dwp", "calls.dwp");
  Use(program);
  EXPECT_EQ(At("c_inlined").size(), 1u);
  EXPECT_NE(Problem().find("nor in " + program + ".dwp"), std::string::npos) << Problem();
}

std::string Rust(const std::string& function, const std::string& line) {
  return function + " calls.rs:" + std::to_string(LineOf("calls.rs", line));
}

class Rusts : public FileTest, public testing::WithParamInterface<const char*> {};

TEST_P(Rusts, NamesAndInlinedChains) {
  const std::string program = kFixtures + "/calls_rust_" + GetParam();
  if (!fs::exists(program)) GTEST_SKIP() << "no rustc was found when the tests were built";
  Use(program);
  const std::string generic = std::string(GetParam()) == "v0" ? "calls::inner::generic::<u32>" : "calls::inner::generic";
  EXPECT_EQ(At("trait"), Lines{Rust("<calls::inner::Shape as calls::inner::Area>::area", "b\"trait")});
  EXPECT_EQ(At("inlined"), (Lines{Rust("calls::inner::inlined", "b\"inlined") + " [i]",
                                  Rust("<calls::inner::Shape as calls::inner::Area>::area", "call:inlined")}));
  EXPECT_EQ(At("generic"), Lines{Rust(generic, "b\"generic")});
  Use(program + "_nodebug");
  EXPECT_EQ(At("trait"), Lines{"<calls::inner::Shape as calls::inner::Area>::area"}) << "the hash is dropped";
  EXPECT_EQ(At("generic"), Lines{generic});
}

INSTANTIATE_TEST_SUITE_P(Mangling, Rusts, testing::Values("v0", "legacy"),
                         [](const auto& mangling) { return std::string(mangling.param); });

}  // namespace
}  // namespace heaptally::symbols
