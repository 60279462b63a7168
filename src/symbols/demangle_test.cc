#include "symbols/demangle.h"

#include <gtest/gtest.h>

namespace heaptally::symbols {
namespace {

TEST(Demangle, LeavesPlainNamesAlone) {
  for (const char* name : {"f", "i", "Pc", "St", "main", "_", "__libc_malloc", "_init", "", "_Z", "_R", "_Zzz", "a.b",
                           "main.work", "f.1"}) {
    EXPECT_EQ(Demangle(name), name);
  }
}

TEST(Demangle, Cxx) {
  EXPECT_EQ(Demangle("_Z3fooi"), "foo(int)");
  EXPECT_EQ(Demangle("_ZN12_GLOBAL__N_13fooEv"), "(anonymous namespace)::foo()");
  EXPECT_EQ(Demangle("_ZNSt6vectorIiSaIiEE9push_backEOi"), "std::vector<int, std::allocator<int> >::push_back(int&&)");
  EXPECT_EQ(Demangle("_Znwm"), "operator new(unsigned long)");
  EXPECT_EQ(Demangle("_ZZ4mainENKUliE_clEi"), "main::{lambda(int)#1}::operator()(int) const");
}

TEST(Demangle, Rust) {
  EXPECT_EQ(Demangle("_ZN4core3ptr18real_drop_in_place17h0123456789abcdefE"), "core::ptr::real_drop_in_place");
  EXPECT_EQ(
      Demangle("_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar17h930b740aa94f1d3aE"),
      "<Test + 'static as foo::Bar<Test>>::bar");
  EXPECT_EQ(Demangle("_RNvC6_123foo3bar"), "123foo::bar");
  EXPECT_EQ(Demangle("_RNvCs4fqI2P2rA04_13const_generic3foo"), "const_generic::foo");
  EXPECT_EQ(
      Demangle("_RINbNbCskIICzLVDPPb_5alloc5alloc8box_freeDINbNiB4_5boxed5FnBoxuEp6OutputuEL_ECs1iopQbuBiw2_3std"),
      "alloc::alloc::box_free::<dyn alloc::boxed::FnBox<(), Output = ()>>");
  EXPECT_EQ(Demangle("_RNvNtNtCs1234_7mycrate5inner4deep4work"), "mycrate::inner::deep::work");
}

TEST(Demangle, DropsVersionsAndCloneSuffixes) {
  EXPECT_EQ(Demangle("memcpy@@GLIBC_2.14"), "memcpy");
  EXPECT_EQ(Demangle("_Z3fooi.cold"), "foo(int)");
  EXPECT_EQ(Demangle("work.constprop.0.isra.2"), "work");
  EXPECT_EQ(Demangle("work.part.0.cold"), "work");
  EXPECT_EQ(Demangle("_ZN3one3two17h0123456789abcdefE.llvm.1234567"), "one::two");
  EXPECT_EQ(Demangle(".cold"), ".cold");
}

// A short symbol whose substitutions double its output 35 times: must end at once, and stay as it is.
TEST(Demangle, BoundsExpansion) {
  std::string bomb = "_Z1fSt4pairIiiE";  // S_ is std::pair, S0_ the type itself
  std::string last = "S0_";
  for (const char digit : std::string("123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")) {
    bomb += "S_I" + last + last + "E";
    last = std::string("S") + digit + "_";
  }
  EXPECT_EQ(Demangle(bomb), bomb);
}

TEST(Demangle, BoundsRecursion) {
  const std::string deep = "_Z1f" + std::string(8000, 'P') + "i";
  EXPECT_FALSE(Demangle(deep).empty());
  const std::string longer = "_Z1f" + std::string(1 << 20, 'P') + "i";
  EXPECT_EQ(Demangle(longer), longer);
}

// Names longer than libiberty's default limit are ordinary in template-heavy code.
TEST(Demangle, LongNames) {
  std::string long_name = "_ZN";
  for (int i = 0; i < 300; ++i) long_name += "5scope";
  long_name += "1fEv";
  const std::string shown = Demangle(long_name);
  EXPECT_EQ(shown.substr(0, 14), "scope::scope::");
  EXPECT_EQ(shown.substr(shown.size() - 5), "::f()");
}

}  // namespace
}  // namespace heaptally::symbols
