#include "symbols/dwarf_index.h"

#include <dwarf.h>

namespace heaptally::symbols {

std::unique_ptr<DwarfIndex> DwarfIndex::Open(const ElfImage& image, const ElfImage* alternate, std::string* problem) {
  if (!image.HasContents(".debug_info")) return nullptr;
  if (image.IsCompressed(".debug_info")) {
    *problem = "debug information is compressed in an unknown way, or damaged";
    return nullptr;
  }
  Dwarf* dwarf = dwarf_begin_elf(image.elf(), DWARF_C_READ, nullptr);
  if (dwarf == nullptr) {
    *problem = std::string("debug information is unreadable: ") + dwarf_errmsg(-1);
    return nullptr;
  }
  Dwarf* common = alternate == nullptr ? nullptr : dwarf_begin_elf(alternate->elf(), DWARF_C_READ, nullptr);
  if (common != nullptr) {
    dwarf_setalt(dwarf, common);
  } else if (!image.debug_alternate().name.empty() && dwarf_getalt(dwarf) != nullptr) {
    // libdw looks for the file itself, but does not ask for its build id: wrong names.
    dwarf_end(dwarf);
    return nullptr;
  }
  return std::unique_ptr<DwarfIndex>(new DwarfIndex(image, dwarf, common));
}

DwarfIndex::DwarfIndex(const ElfImage& image, Dwarf* dwarf, Dwarf* alternate)
    : image_(image), dwarf_(dwarf), alternate_(alternate) {
  sections_.line = image.Bytes(".debug_line");
  sections_.line_str = image.Bytes(".debug_line_str");
  sections_.str = image.Bytes(".debug_str");
  ReadUnits();
}

DwarfIndex::~DwarfIndex() {
  dwarf_end(dwarf_);
  if (alternate_ != nullptr) dwarf_end(alternate_);
}

void DwarfIndex::ReadUnits() {
  Dwarf_CU* cu = nullptr;
  Dwarf_Die die;
  uint8_t type = 0;
  Dwarf_Half version = 0;
  int status = 0;
  std::unordered_map<Dwarf_Off, uint32_t> version2;  // offset of the unit's DIE -> index into units_
  while ((status = dwarf_get_units(dwarf_, cu, &cu, &version, &type, &die, nullptr)) == 0) {
    if (type == DW_UT_type || type == DW_UT_split_type || type == DW_UT_partial) continue;
    const auto index = static_cast<uint32_t>(units_.size());
    bool has_ranges = false;
    ForRanges(&die, [&](uint64_t low, uint64_t high) {
      has_ranges |= low < high;
      if (image_.CodeAround(low) != nullptr) map_.Add(low, high, index);
    });
    units_.emplace_back(image_, die);
    if (version == 2) version2[dwarf_dieoffset(&die)] = index;
    if (!has_ranges) units_.back().AddFunctionRanges(&map_, index);
  }
  if (status < 0) problem_ = std::string("debug information is damaged: ") + dwarf_errmsg(-1);
  if (!version2.empty()) AddAranges(version2);
  map_.Build();
}

void DwarfIndex::AddAranges(const std::unordered_map<Dwarf_Off, uint32_t>& units) {
  Dwarf_Aranges* aranges = nullptr;
  size_t count = 0;
  if (dwarf_getaranges(dwarf_, &aranges, &count) != 0) return;
  for (size_t i = 0; i < count; ++i) {
    Dwarf_Addr low = 0;
    Dwarf_Word length = 0;
    Dwarf_Off offset = 0;
    if (dwarf_getarangeinfo(dwarf_onearange(aranges, i), &low, &length, &offset) != 0) continue;
    auto unit = units.find(offset);
    if (unit != units.end() && image_.CodeAround(low) != nullptr) map_.Add(low, low + length, unit->second);
  }
}

const LineTable& DwarfIndex::LinesOf(Dwarf_Die unit) {
  Dwarf_Attribute attribute;
  Dwarf_Word offset = UINT64_MAX;
  if (dwarf_attr(&unit, DW_AT_stmt_list, &attribute) != nullptr) dwarf_formudata(&attribute, &offset);
  std::unique_ptr<LineTable>& lines = lines_[offset];
  if (lines == nullptr) {
    const char* directory = strings_.Of(&unit, DW_AT_comp_dir);
    lines = std::make_unique<LineTable>(sections_, offset, directory == nullptr ? "" : directory,
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
  const std::vector<Dwarf_Die> chain = unit.ChainAt(vaddr, &calls);
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
