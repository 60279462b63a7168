// The index of a .dwp package: where in its sections the parts of one split unit lie (DWARF 5, section 7.3.5; version 2 is
// GNU's, of DWARF 4).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace heaptally::symbols {

struct DwpPart {
  uint64_t offset = 0, size = 0;
};

struct DwpUnit {
  DwpPart info, abbrev, line, str_offsets, rnglists;
};

class DwpIndex {
 public:
  // `section`: .debug_cu_index; it must outlive the index. An index that cannot be read finds nothing.
  explicit DwpIndex(std::string_view section);

  bool readable() const { return readable_; }
  uint32_t units() const { return units_; }
  // The unit of that dwo id. At most as many steps as the index has slots.
  std::optional<DwpUnit> Find(uint64_t dwo_id) const;

 private:
  uint64_t Number(uint64_t offset, size_t bytes) const;
  DwpUnit Row(uint32_t row) const;

  std::string_view section_;
  bool readable_ = false;
  uint32_t version_ = 0, columns_ = 0, units_ = 0, slots_ = 0;
};

}  // namespace heaptally::symbols
