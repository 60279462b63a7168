#include "cli/text_table.h"

#include <gtest/gtest.h>

#include "cli/text.h"

namespace heaptally::cli {
namespace {

TextTable Places() {
  return TextTable({{.title = "", .right = true},
                    {.title = "live", .cut = Cut::kFunction},
                    {.title = "", .cut = Cut::kBeginning},
                    {.title = "bytes", .right = true},
                    {.title = "objects", .right = true}});
}

TEST(TextTableTest, ACallerRunsOverTheColumnsThatItDoesNotFill) {
  TextTable table = Places();
  table.Add({"1", "insert", "cache.cc:88", "188 MiB", "12"});
  table.Add({"", "  < a_caller_with_a_long_name", "server.cc:410"});
  EXPECT_EQ(table.Render(50),
            "     live                           bytes  objects\n"
            "  1  insert          cache.cc:88  188 MiB       12\n"
            "       < a_caller_with_a_long_name  server.cc:410\n");
}

TEST(TextTableTest, ACallerThatIsTooLongForTheLineIsCutWithinIt) {
  TextTable table = Places();
  table.Add({"1", "insert", "cache.cc:88", "188 MiB", "12"});
  table.Add({"", "  < a_caller_with_a_name_that_is_longer_than_the_line_is", "and_so_is_the_file_that_it_is_in.cc:410"});
  const std::string text = table.Render(50);
  EXPECT_NE(text.find("…"), std::string::npos) << text;
  EXPECT_NE(text.find(".cc:410\n"), std::string::npos) << text;
  EXPECT_EQ(Width(text.substr(text.find("       <"))), 51u) << text;  // with the line's end
}

TEST(TextTableTest, ANameTakesTheRoomOfAPlaceThatIsNotThere) {
  TextTable table = Places();
  table.Add({"1", "libsqlite3.so.0+0xa7504", "", "10.4 MiB", "2721"});
  table.Add({"2", "short", "a_file_of_some_length.c:1", "1 MiB", "2"});
  EXPECT_NE(table.Render(50).find("  1  libsqlite3.so.0+0xa7504 "), std::string::npos) << table.Render(50);
}

TEST(TextTableTest, ATitleDoesNotTakeRoomFromThePlacesWhereItMayRunOver) {
  TextTable table({{.title = "change of bytes live at the peak", .cut = Cut::kFunction},
                   {.title = "", .cut = Cut::kBeginning},
                   {.title = "change", .right = true}});
  table.Add({"type_new_alloc", "typeobject.c:2753", "-311 KiB"});
  EXPECT_EQ(table.Render(46),
            "  change of bytes live at the peak     change\n"
            "  type_new_alloc  typeobject.c:2753  -311 KiB\n");
}

}  // namespace
}  // namespace heaptally::cli
