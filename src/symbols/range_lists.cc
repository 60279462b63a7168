#include "symbols/range_lists.h"

#include <dwarf.h>

namespace heaptally::symbols {
namespace {

constexpr size_t kMaxRanges = 1 << 16;

uint64_t IndexedAddress(uint64_t index, const DwarfUnitHeader& unit) {
  const std::string_view addresses = unit.data->sections().addr;
  if (index > addresses.size()) return 0;
  ByteReader in(addresses);
  in.Seek(unit.addr_base + index * unit.address_bytes);
  return in.Fixed(unit.address_bytes);
}

// DWARF 2 to 4.
std::vector<AddressRange> OldList(uint64_t offset, const DwarfUnitHeader& unit) {
  std::vector<AddressRange> ranges;
  const uint64_t largest = unit.address_bytes >= 8 ? UINT64_MAX : (uint64_t{1} << (8 * unit.address_bytes)) - 1;
  uint64_t base = unit.low_pc;
  ByteReader in(unit.data->sections().ranges);
  in.Seek(offset);
  for (size_t i = 0; i < kMaxRanges; ++i) {
    const uint64_t begin = in.Fixed(unit.address_bytes), end = in.Fixed(unit.address_bytes);
    if (!in.ok() || (begin == 0 && end == 0)) break;
    if (begin == largest) {
      base = end;
    } else {
      ranges.push_back({base + begin, base + end});
    }
  }
  return ranges;
}

// DWARF 5.
std::vector<AddressRange> NewList(uint64_t offset, const DwarfUnitHeader& unit) {
  std::vector<AddressRange> ranges;
  uint64_t base = unit.low_pc, low = 0;
  ByteReader in(unit.data->sections().rnglists);
  in.Seek(offset);
  for (size_t i = 0; i < kMaxRanges && in.ok(); ++i) {
    AddressRange range{};
    switch (in.U8()) {
      case DW_RLE_base_addressx:
        base = IndexedAddress(in.Uleb(), unit);
        continue;
      case DW_RLE_base_address:
        base = in.Fixed(unit.address_bytes);
        continue;
      case DW_RLE_startx_endx:
        range.low = IndexedAddress(in.Uleb(), unit);
        range.high = IndexedAddress(in.Uleb(), unit);
        break;
      case DW_RLE_startx_length:
        range.low = IndexedAddress(in.Uleb(), unit);
        range.high = range.low + in.Uleb();
        break;
      case DW_RLE_offset_pair:
        low = in.Uleb();
        range = {base + low, base + in.Uleb()};
        break;
      case DW_RLE_start_end:
        range.low = in.Fixed(unit.address_bytes);
        range.high = in.Fixed(unit.address_bytes);
        break;
      case DW_RLE_start_length:
        range.low = in.Fixed(unit.address_bytes);
        range.high = range.low + in.Uleb();
        break;
      default:  // DW_RLE_end_of_list, and what is not known
        return ranges;
    }
    if (in.ok()) ranges.push_back(range);
  }
  return ranges;
}

}  // namespace

std::vector<AddressRange> RangesOf(const Die& die) {
  using Kind = DieValue::Kind;
  const DieValue low = AttributeOf(die, DW_AT_low_pc);
  if (low.kind == Kind::kAddress) {
    const DieValue high = AttributeOf(die, DW_AT_high_pc);
    if (high.kind == Kind::kAddress) return {{low.number, high.number}};
    if (high.kind == Kind::kNumber) return {{low.number, low.number + high.number}};
  }
  const DieValue list = AttributeOf(die, DW_AT_ranges);
  const DwarfUnitHeader& unit = *die.unit;
  if (list.kind == Kind::kNone) return {};
  if (unit.version < 5) return OldList(list.number + (unit.is_split ? unit.ranges_base : 0), unit);
  if (list.kind == Kind::kNumber) return NewList(list.number, unit);
  ByteReader in(unit.data->sections().rnglists);
  if (list.kind != Kind::kIndex || list.number > in.left()) return {};
  in.Seek(unit.rnglists_base + list.number * unit.offset_bytes());
  const uint64_t offset = in.Fixed(unit.offset_bytes());
  return in.ok() ? NewList(unit.rnglists_base + offset, unit) : std::vector<AddressRange>{};
}

}  // namespace heaptally::symbols
