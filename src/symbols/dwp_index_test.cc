#include "symbols/dwp_index.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace heaptally::symbols {
namespace {

void Put(std::string* out, uint64_t number, size_t bytes) { out->append(reinterpret_cast<const char*>(&number), bytes); }

// One unit of id 7 in slot 3 of 4; columns info and (number 8).
std::string Index(uint16_t version, uint32_t columns = 2, uint32_t units = 1, uint32_t slots = 4) {
  std::string out;
  for (const uint32_t number : {uint32_t{version}, columns, units, slots}) Put(&out, number, 4);
  for (const uint64_t id : {0, 0, 0, 7}) Put(&out, id, 8);
  for (const uint32_t row : {0, 0, 0, 1}) Put(&out, row, 4);
  for (const uint32_t cell : {1, 8, 100, 200, 10, 20}) Put(&out, cell, 4);
  return out;
}

TEST(DwpIndexTest, BothVersions) {
  const std::string five = Index(5), two = Index(2);
  const DwpIndex index(five), old(two);
  ASSERT_TRUE(index.readable());
  const auto unit = index.Find(7);
  ASSERT_TRUE(unit.has_value());
  EXPECT_EQ(unit->info.offset, 100u);
  EXPECT_EQ(unit->info.size, 10u);
  EXPECT_EQ(unit->rnglists.offset, 200u);
  EXPECT_EQ(unit->abbrev.size, 0u);
  ASSERT_TRUE(old.Find(7).has_value());
  EXPECT_EQ(old.Find(7)->rnglists.size, 0u) << "GNU's column 8 is another section";
  EXPECT_FALSE(index.Find(3).has_value()) << "the same slot, another id";
  EXPECT_FALSE(index.Find(0).has_value());
}

TEST(DwpIndexTest, WhatLiesFindsNothing) {
  for (const std::string& bytes :
       {std::string(), Index(3), Index(5, 0), Index(5, 65), Index(5, 2, 5), Index(5, 2, 1, 3), Index(5, 2, 1, 1u << 31),
        Index(5, 2, 1u << 30, 1u << 30), Index(5).substr(0, 70), Index(5).substr(0, 10)}) {
    const DwpIndex index(bytes);
    EXPECT_FALSE(index.readable());
    EXPECT_FALSE(index.Find(7).has_value());
  }
  std::string full = Index(5);  // no slot is free, and none has the id: the search ends
  for (size_t slot = 0; slot < 4; ++slot) full[16 + 32 + slot * 4] = 1;
  EXPECT_FALSE(DwpIndex(full).Find(5).has_value());
  std::string beyond = Index(5);
  beyond[16 + 32 + 12] = 9;
  EXPECT_FALSE(DwpIndex(beyond).Find(7).has_value()) << "a row that is not there";
}

}  // namespace
}  // namespace heaptally::symbols
