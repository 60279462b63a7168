#include "symbols/dwarf_index.h"

#include <dwarf.h>

#include "symbols/range_lists.h"

namespace heaptally::symbols {
namespace {

DwarfSections SectionsOf(const ElfImage& image) {
  return {.info = image.Bytes(".debug_info"),
          .types = image.Bytes(".debug_types"),
          .abbrev = image.Bytes(".debug_abbrev"),
          .str = image.Bytes(".debug_str"),
          .line_str = image.Bytes(".debug_line_str"),
          .str_offsets = image.Bytes(".debug_str_offsets"),
          .addr = image.Bytes(".debug_addr"),
          .ranges = image.Bytes(".debug_ranges"),
          .rnglists = image.Bytes(".debug_rnglists"),
          .line = image.Bytes(".debug_line"),
          .aranges = image.Bytes(".debug_aranges")};
}

bool HasCode(const DwarfUnitHeader& unit) {
  return !unit.in_types && (unit.type == DW_UT_compile || unit.type == DW_UT_skeleton);
}

// Sections that were not decompressed, which readers take for empty.
std::string PackedSections(const ElfImage& image) {
  std::string names;
  for (const char* name : {".debug_info", ".debug_types", ".debug_abbrev", ".debug_str", ".debug_line_str", ".debug_str_offsets",
                           ".debug_addr", ".debug_ranges", ".debug_rnglists", ".debug_line", ".debug_aranges"}) {
    if (image.IsCompressed(name)) names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return names;
}

}  // namespace

std::unique_ptr<DwarfIndex> DwarfIndex::Open(const ElfImage& image, const ElfImage* alternate, SplitFiles* splits,
                                             std::string* problem) {
  if (!image.HasContents(".debug_info")) return nullptr;
  if (const std::string packed = PackedSections(image); !packed.empty()) {
    if (!problem->empty()) *problem += "; ";
    *problem += "debug information is compressed in an unknown way, or damaged: " + packed;
  }
  if (image.IsCompressed(".debug_info")) return nullptr;
  return std::unique_ptr<DwarfIndex>(new DwarfIndex(image, alternate, splits));
}

DwarfIndex::DwarfIndex(const ElfImage& image, const ElfImage* alternate, SplitFiles* splits)
    : image_(image), splits_(splits) {
  if (alternate != nullptr) alternate_ = std::make_unique<DwarfData>(SectionsOf(*alternate));
  data_ = std::make_unique<DwarfData>(SectionsOf(image), alternate_.get());
  const DwarfSections& sections = data_->sections();
  sections_ = {sections.line, sections.line_str, sections.str, sections.str_offsets};
  ReadUnits();
}

void DwarfIndex::ReadUnits() {
  std::unordered_map<uint64_t, uint32_t> version2;  // offset of the unit -> index into units_
  for (const DwarfUnitHeader& header : data_->units()) {
    if (!HasCode(header)) continue;
    const Die die = data_->UnitDie(header);
    const auto index = static_cast<uint32_t>(units_.size());
    bool has_ranges = false;
    ForRanges(die, [&](uint64_t low, uint64_t high) {
      has_ranges |= low < high;
      if (image_.CodeAround(low) != nullptr) map_.Add(low, high, index);
    });
    units_.emplace_back(image_, header, splits_);
    if (header.version == 2) version2[header.start] = index;
    if (!has_ranges) units_.back().AddFunctionRanges(&map_, index);
  }
  if (!data_->whole()) problem_ = "debug information is damaged";
  if (!version2.empty()) AddAranges(version2);
  map_.Build();
}

void DwarfIndex::AddAranges(const std::unordered_map<uint64_t, uint32_t>& units) {
  for (std::string_view left = data_->sections().aranges; left.size() > 12;) {
    ByteReader in(left);
    const uint64_t length = in.Fixed(4);  // DWARF 2 has no 64-bit form
    if (length > in.left()) return;
    in = ByteReader(left.substr(0, 4 + length));
    left.remove_prefix(4 + length);
    in.Skip(6);  // the length again, and the version
    const auto unit = units.find(in.Fixed(4));
    const uint8_t bytes = in.U8();
    if (unit == units.end() || (bytes != 4 && bytes != 8)) continue;
    in.Seek(16);  // pairs are aligned to their size, which 12 bytes of header are not
    while (!in.AtEnd()) {
      const uint64_t low = in.Fixed(bytes), size = in.Fixed(bytes);
      if (!in.ok() || (low == 0 && size == 0)) break;
      if (image_.CodeAround(low) != nullptr) map_.Add(low, low + size, unit->second);
    }
  }
}

const LineTable& DwarfIndex::LinesOf(const Die& unit) {
  const DieValue where = AttributeOf(unit, DW_AT_stmt_list);
  const uint64_t offset = where.kind == DieValue::Kind::kNumber ? where.number : UINT64_MAX;
  std::unique_ptr<LineTable>& lines = lines_[offset];
  if (lines == nullptr) {
    lines = std::make_unique<LineTable>(sections_, offset, std::string(TextOf(unit, DW_AT_comp_dir)),
                                        [this](uint64_t vaddr) { return image_.CodeAround(vaddr) != nullptr; });
  }
  return *lines;
}

DwarfIndex::Answer DwarfIndex::Find(uint64_t vaddr) {
  const uint32_t index = map_.Find(vaddr);
  if (index == RangeMap::kNone) return {};
  DwarfUnit& unit = units_[index];
  const LineTable& lines = LinesOf(unit.die());
  const LineTable::Position here = lines.Find(vaddr);
  std::vector<const DwarfUnit::InlinedCall*> calls;
  const std::vector<Die> chain = unit.ChainAt(vaddr, &calls);
  if (problem_.empty()) problem_ = unit.problem();

  Answer answer;
  if (chain.empty() && here.line == 0) return answer;
  Frame frame;
  frame.file = here.line == 0 ? "" : lines.FileName(here.file);
  frame.line = here.line;
  for (size_t i = chain.size(); i-- > 0;) {
    const DieName& name = names_.Function(chain[i]);
    frame.function = name.text;
    frame.inlined = i > 0;
    answer.linkage_known = name.is_linkage;
    answer.frames.push_back(frame);
    if (i == 0) break;
    frame.file = calls[i - 1]->call_line == 0 ? "" : unit.CallFile(calls[i - 1]->call_file, lines);
    frame.line = calls[i - 1]->call_line;
  }
  if (chain.empty()) answer.frames.push_back(frame);
  return answer;
}

}  // namespace heaptally::symbols
