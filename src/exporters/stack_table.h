// The stacks of one or more profiles, each distinct one once, with everything that a file format asks for: what folded
// stacks, pprof, speedscope and DHAT files are written from, so that they agree.
//
// All text in it is safe (safe_text.h). Whole numbers per column add up to the report's totals (whole_numbers.h), as
// long as no column passes 2^64. What a profile does not know (known_columns.h) is 0, and for writers to leave out.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "exporters/shown_stack.h"
#include "exporters/whole_numbers.h"

namespace heaptally::exporters {

inline constexpr uint32_t kNoMapping = UINT32_MAX;

enum class Column : uint8_t {
  kAllocatedObjects, kAllocatedBytes, kLiveObjects, kLiveBytes, kPeakObjects, kPeakBytes, kTemporary, kLifetimeNs
};
inline constexpr size_t kColumns = 8;
Column ColumnOf(analysis::By by);

struct TableFunction {
  std::string name;  // as reports show it in full; "libx.so+0x12" where there is none
  std::string full;  // as the debug information has it; "" where there is none
  std::string file;  // "" if not known
  auto operator<=>(const TableFunction&) const = default;
};

struct TableLine {
  uint32_t function = 0;
  uint32_t line = 0;  // 0: not known
  auto operator<=>(const TableLine&) const = default;
};

// A machine frame, as far as it is shown.
struct TableLocation {
  uint32_t mapping = kNoMapping;
  uint64_t address = 0;          // in the process, inside of the call (return address - 1); 0: a frame in words
  std::vector<TableLine> lines;  // innermost first, never empty
  auto operator<=>(const TableLocation&) const = default;
};

struct TableMapping {
  std::string path;
  std::string build_id;
  uint64_t start = 0, limit = 0;  // of the module's code where that is known, else of all of it
  uint64_t file_offset = 0;       // of `start`
  bool has_functions = false, has_files = false, has_lines = false;  // in any of its locations
};

inline constexpr uint32_t kAnyProfile = UINT32_MAX;

// Whose stack it is, and of what class of memory. A stack is there once for each group that has it.
struct TableGroup {
  uint32_t profile = 0;  // in the list that the table was made from; kAnyProfile: what is left of several
  std::string memory_class;
  std::string thread;  // name of the threads that allocated; "" if not known
  auto operator<=>(const TableGroup&) const = default;
};

struct TableStack {
  uint32_t group = 0;
  std::vector<uint32_t> locations;  // innermost first, never empty
  std::array<uint64_t, kColumns> values{};

  uint64_t value(Column column) const { return values[static_cast<size_t>(column)]; }
};

struct StackTable {
  std::vector<TableFunction> functions;
  std::vector<TableLocation> locations;
  std::vector<TableMapping> mappings;  // the first profile's program comes first
  std::vector<TableGroup> groups;
  std::vector<TableStack> stacks;      // those with nothing at all are left out
};

// Where the code of a module's file is: its executable segment.
struct CodeSegment {
  uint64_t virtual_address = 0, memory_bytes = 0, file_offset = 0;
};

struct StackChoice {
  Classes classes = Classes::kHeap;
  size_t most_stacks = 0;  // 0: all; else the largest by `by`, the rest being one stack in words for each class
  analysis::By by = analysis::By::kLive;
  // Readers that look into a module's file themselves (disassembly) need it; may be empty, and may not know.
  std::function<std::optional<CodeSegment>(const profile::Module&)> code_of;
};

StackTable BuildStackTable(const std::vector<profile::Profile>& profiles, const Wording& wording,
                           const StackChoice& choice);

// Frames that stand outside of a group's stacks, root first, in formats that know no labels: the image where there are
// several, and the class of memory where classes are mixed.
std::vector<std::string> RootFrames(const std::vector<profile::Profile>& profiles, const TableGroup& group,
                                    Classes classes);

// "server (4711)": the image, as a frame or a title.
std::string ImageName(const profile::Profile& profile);

}  // namespace heaptally::exporters
