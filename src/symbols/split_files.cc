#include "symbols/split_files.h"

#include <dwarf.h>

namespace heaptally::symbols {
namespace {

// The sections of a .dwo file; addresses and GNU's ranges are in the file of the skeleton.
DwarfSections SectionsOf(const ElfImage& image, const DwarfUnitHeader& skeleton) {
  const DwarfSections& own = skeleton.data->sections();
  return {.info = image.Bytes(".debug_info.dwo"),
          .types = image.Bytes(".debug_types.dwo"),
          .abbrev = image.Bytes(".debug_abbrev.dwo"),
          .str = image.Bytes(".debug_str.dwo"),
          .line_str = image.Bytes(".debug_line_str.dwo"),
          .str_offsets = image.Bytes(".debug_str_offsets.dwo"),
          .addr = own.addr,
          .ranges = own.ranges,
          .rnglists = image.Bytes(".debug_rnglists.dwo"),
          .line = image.Bytes(".debug_line.dwo"),
          .aranges = {}};
}

std::string_view PartOf(std::string_view section, const DwpPart& part) {
  if (part.offset > section.size() || part.size > section.size() - part.offset) return {};
  return section.substr(part.offset, part.size);
}

const DwarfUnitHeader* UnitOf(const DwarfData& data, uint64_t dwo_id) {
  for (const DwarfUnitHeader& unit : data.units()) {
    const bool compile = !unit.in_types && unit.type != DW_UT_split_type && unit.type != DW_UT_type;
    if (compile && unit.dwo_id == dwo_id) return &unit;
  }
  return nullptr;
}

std::string NameOf(const Die& die) {
  std::string_view name = TextOf(die, DW_AT_dwo_name);
  if (name.empty()) name = TextOf(die, DW_AT_GNU_dwo_name);
  return std::string(name);
}

}  // namespace

SplitUnit SplitFiles::Find(const DwarfUnitHeader& skeleton, std::string* problem) {
  OpenPackage();
  SplitUnit found = FromPackage(skeleton);
  if (found.unit != nullptr) return found;
  const Die die = skeleton.data->UnitDie(skeleton);
  const std::string name = NameOf(die);
  const std::string folder(TextOf(die, DW_AT_comp_dir));
  std::vector<std::string> candidates;
  if (!name.empty() && name[0] == '/') {
    candidates.push_back(root_prefix_ + name);
  } else if (!name.empty() && !folder.empty()) {
    candidates.push_back(root_prefix_ + folder + "/" + name);
  }
  for (const std::string& program : programs_) {  // moved together with the program
    candidates.push_back(program.substr(0, program.rfind('/') + 1) + name.substr(name.rfind('/') + 1));
  }
  for (const std::string& candidate : candidates) {
    found = FromFile(candidate, skeleton);
    if (found.unit != nullptr) return found;
  }
  *problem = "split debug file not found: " + (name.empty() ? "(no name)" : name);
  if (package_ != nullptr) *problem += ", nor in " + package_->path();
  return found;
}

void SplitFiles::OpenPackage() {
  if (looked_) return;
  looked_ = true;
  for (const std::string& program : programs_) {
    std::string ignored;
    package_ = ElfImage::Open(program + ".dwp", &ignored);
    if (package_ == nullptr) continue;
    index_ = std::make_unique<DwpIndex>(package_->Bytes(".debug_cu_index"));
    if (index_->readable()) return;
  }
}

SplitUnit SplitFiles::FromPackage(const DwarfUnitHeader& skeleton) const {
  SplitUnit found;
  if (index_ == nullptr) return found;
  const std::optional<DwpUnit> parts = index_->Find(skeleton.dwo_id);
  if (!parts) return found;
  DwarfSections sections = SectionsOf(*package_, skeleton);
  sections.info = PartOf(sections.info, parts->info);
  sections.types = {};
  sections.abbrev = PartOf(sections.abbrev, parts->abbrev);
  sections.line = PartOf(sections.line, parts->line);
  sections.str_offsets = PartOf(sections.str_offsets, parts->str_offsets);
  sections.rnglists = PartOf(sections.rnglists, parts->rnglists);
  found.data = std::make_unique<DwarfData>(sections, skeleton);
  found.unit = UnitOf(*found.data, skeleton.dwo_id);
  return found;
}

SplitUnit SplitFiles::FromFile(const std::string& path, const DwarfUnitHeader& skeleton) const {
  SplitUnit found;
  std::string ignored;
  found.image = ElfImage::Open(path, &ignored);
  if (found.image == nullptr) return found;
  found.image->ReadWhole();
  found.data = std::make_unique<DwarfData>(SectionsOf(*found.image, skeleton), skeleton);
  found.unit = UnitOf(*found.data, skeleton.dwo_id);
  return found;
}

}  // namespace heaptally::symbols
