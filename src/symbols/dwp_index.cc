#include "symbols/dwp_index.h"

#include <bit>

#include "symbols/byte_reader.h"

namespace heaptally::symbols {
namespace {

constexpr uint64_t kHeaderBytes = 16;
constexpr uint32_t kMostColumns = 64;  // eight are known

// Numbers of columns (DW_SECT_*).
enum Column : uint32_t { kInfo = 1, kAbbrev = 3, kLine = 4, kStrOffsets = 6, kRnglists = 8 };

}  // namespace

DwpIndex::DwpIndex(std::string_view section) : section_(section) {
  ByteReader in(section);
  version_ = static_cast<uint32_t>(in.Fixed(2));  // version 2 has 4 bytes of it, version 5 two and padding
  const uint64_t padding = in.Fixed(2);
  columns_ = static_cast<uint32_t>(in.Fixed(4));
  units_ = static_cast<uint32_t>(in.Fixed(4));
  slots_ = static_cast<uint32_t>(in.Fixed(4));
  const uint64_t bytes = kHeaderBytes + uint64_t{slots_} * 12 + uint64_t{columns_} * 4 * (1 + 2 * uint64_t{units_});
  readable_ = in.ok() && (version_ == 2 || version_ == 5) && padding == 0 && columns_ > 0 &&
              columns_ <= kMostColumns && std::has_single_bit(slots_) && units_ <= slots_ && bytes <= section.size();
}

uint64_t DwpIndex::Number(uint64_t offset, size_t bytes) const {
  ByteReader in(section_);
  in.Seek(offset);
  return in.Fixed(bytes);
}

std::optional<DwpUnit> DwpIndex::Find(uint64_t dwo_id) const {
  if (!readable_) return std::nullopt;
  const uint32_t mask = slots_ - 1;
  const uint32_t step = (static_cast<uint32_t>(dwo_id >> 32) & mask) | 1;
  uint32_t slot = static_cast<uint32_t>(dwo_id) & mask;
  for (uint32_t tries = 0; tries < slots_; ++tries, slot = (slot + step) & mask) {
    const auto row = static_cast<uint32_t>(Number(kHeaderBytes + uint64_t{slots_} * 8 + uint64_t{slot} * 4, 4));
    if (row == 0) return std::nullopt;
    if (Number(kHeaderBytes + uint64_t{slot} * 8, 8) != dwo_id) continue;
    if (row > units_) return std::nullopt;
    return Row(row - 1);
  }
  return std::nullopt;
}

DwpUnit DwpIndex::Row(uint32_t row) const {
  const uint64_t columns = kHeaderBytes + uint64_t{slots_} * 12;
  const uint64_t offsets = columns + uint64_t{columns_} * 4, sizes = offsets + uint64_t{columns_} * 4 * units_;
  DwpUnit unit;
  for (uint32_t i = 0; i < columns_; ++i) {
    const uint64_t cell = (uint64_t{row} * columns_ + i) * 4;
    const DwpPart part = {Number(offsets + cell, 4), Number(sizes + cell, 4)};
    switch (Number(columns + uint64_t{i} * 4, 4)) {
      case kInfo:
        unit.info = part;
        break;
      case kAbbrev:
        unit.abbrev = part;
        break;
      case kLine:
        unit.line = part;
        break;
      case kStrOffsets:
        unit.str_offsets = part;
        break;
      case kRnglists:
        if (version_ == 5) unit.rnglists = part;  // GNU's eighth is .debug_macro
        break;
      default:
        break;
    }
  }
  return unit;
}

}  // namespace heaptally::symbols
