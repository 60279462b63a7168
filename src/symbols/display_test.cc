#include "symbols/display.h"

#include <gtest/gtest.h>

namespace heaptally::symbols {
namespace {

TEST(ShortenTemplates, ReplacesArgumentListsEverywhere) {
  EXPECT_EQ(ShortenTemplates("f"), "f");
  EXPECT_EQ(ShortenTemplates("std::vector<int, std::allocator<int> >::push_back(int const&)"),
            "std::vector<…>::push_back(int const&)");
  EXPECT_EQ(ShortenTemplates("void ns::f<int, 3>(std::map<int, char>*)"), "void ns::f<…>(std::map<…>*)");
  EXPECT_EQ(ShortenTemplates("a<(3)<(5), (b)>(2)>::c"), "a<…>::c");
  EXPECT_EQ(ShortenTemplates("call<void (*)(int)>()"), "call<…>()");
  EXPECT_EQ(ShortenTemplates("main::{lambda(std::vector<int>)#1}::operator()(std::vector<int>) const"),
            "main::{lambda(std::vector<…>)#1}::operator()(std::vector<…>) const");
}

TEST(ShortenTemplates, KeepsOperators) {
  EXPECT_EQ(ShortenTemplates("std::operator<< <char>(int)"), "std::operator<< <…>(int)");
  EXPECT_EQ(ShortenTemplates("A::operator<(A const&) const"), "A::operator<(A const&) const");
  EXPECT_EQ(ShortenTemplates("A<int>::operator->()"), "A<…>::operator->()");
  EXPECT_EQ(ShortenTemplates("A<int>::operator>>(int)"), "A<…>::operator>>(int)");
  EXPECT_EQ(ShortenTemplates("A<&B::operator< >::f()"), "A<…>::f()");
  EXPECT_EQ(ShortenTemplates("my_operator<int>()"), "my_operator<…>()");
}

TEST(ShortenTemplates, KeepsQualifiedRustTypes) {
  EXPECT_EQ(ShortenTemplates("<alloc::vec::Vec<T> as core::iter::FromIterator<T>>::from_iter"),
            "<alloc::vec::Vec<…> as core::iter::FromIterator<…>>::from_iter");
  EXPECT_EQ(ShortenTemplates("core::ptr::drop_in_place::<alloc::vec::Vec<u8>>"), "core::ptr::drop_in_place::<…>");
  EXPECT_EQ(ShortenTemplates("core::fmt::num::<impl core::fmt::Debug for u32>::fmt"),
            "core::fmt::num::<impl core::fmt::Debug for u32>::fmt");
}

TEST(ShortenTemplates, LeavesUnmatchedBracketsAlone) {
  for (const char* name : {"a<b", "a<(b>", "<", "a<b(c>)", ""}) EXPECT_EQ(ShortenTemplates(name), name);
}

TEST(QualifiedName, DropsReturnTypeParametersAndArguments) {
  EXPECT_EQ(QualifiedName("void std::f<int>(int)"), "std::f");
  EXPECT_EQ(QualifiedName("std::vector<int> my::make<int>(int) const"), "my::make");
  EXPECT_EQ(QualifiedName("(anonymous namespace)::f(int)"), "(anonymous namespace)::f");
  EXPECT_EQ(QualifiedName("operator new(unsigned long)"), "operator new");
  EXPECT_EQ(QualifiedName("A::operator bool() const"), "A::operator bool");
  EXPECT_EQ(QualifiedName("main::{lambda(int)#1}::operator()(int) const"), "main::{lambda(int)#1}::operator()");
  EXPECT_EQ(QualifiedName("ns::f(int)::Local::g(char)"), "ns::f(int)::Local::g");
  EXPECT_EQ(QualifiedName("<my::Type as core::clone::Clone>::clone"), "my::Type::clone");
  EXPECT_EQ(QualifiedName("<T as alloc::slice::hack::ConvertVec>::to_vec"), "alloc::slice::hack::ConvertVec::to_vec");
}

TEST(IsPlumbing, FoldsLibrariesAndWrappers) {
  for (const char* name :
       {"malloc", "operator new(unsigned long)", "operator new[](unsigned long, std::nothrow_t const&)",
        "std::vector<int, std::allocator<int> >::push_back(int const&)", "void std::f<int>(int)",
        "__gnu_cxx::new_allocator<int>::allocate(unsigned long, void const*)", "g_malloc0", "PyObject_Malloc",
        "_PyMem_RawMalloc", "alloc::raw_vec::RawVec<T,A>::grow_one", "alloc::alloc::alloc", "__libc_start_main",
        "xmalloc", "xrealloc", "<alloc::vec::Vec<T> as core::clone::Clone>::clone", "std::operator+<char>(int)"}) {
    EXPECT_TRUE(IsPlumbing(name)) << name;
  }
}

TEST(IsPlumbing, KeepsTheUsersCode) {
  for (const char* name :
       {"main", "grow", "std_like::f()", "std::vector<int> my::make<int>(int)", "core::Engine::Load()", "my::std::f()",
        "xmas", "<my::Type as core::clone::Clone>::clone", "malloc_stress", "",
        "main::{lambda(std::string)#1}::operator()(std::string) const", "freeze", "f", "std"}) {
    EXPECT_FALSE(IsPlumbing(name)) << name;
  }
}

TEST(IsAllocatorFrame, IsNarrowerThanPlumbing) {
  for (const char* name : {"malloc", "__libc_malloc", "operator new(unsigned long)", "operator delete(void*)", "calloc",
                           "__rust_alloc", "_int_malloc", "posix_memalign", "mi_malloc", "free"}) {
    EXPECT_TRUE(IsAllocatorFrame(name)) << name;
  }
  for (const char* name : {"std::vector<int>::push_back(int)", "g_malloc", "xmalloc", "__libc_start_main", "mallocate",
                           "PyObject_Malloc", "my::operator_new()"}) {
    EXPECT_FALSE(IsAllocatorFrame(name)) << name;
  }
}

}  // namespace
}  // namespace heaptally::symbols
