// Where the split debug information of a unit (gcc and clang -gsplit-dwarf) lies: in a .dwp package beside the program,
// or in the .dwo file that the compiler wrote. Believed only if its dwo id is the one that the skeleton names.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "symbols/dwarf_data.h"
#include "symbols/dwp_index.h"
#include "symbols/elf_image.h"

namespace heaptally::symbols {

// One unit's split debug information.
struct SplitUnit {
  std::unique_ptr<ElfImage> image;  // null: the package's, which SplitFiles keeps
  std::unique_ptr<DwarfData> data;
  const DwarfUnitHeader* unit = nullptr;  // null: not found
};

class SplitFiles {
 public:
  // `programs`: paths of the file that has the skeletons, as it may be named; packages are looked for beside each.
  // `root_prefix` stands before the paths that the skeletons name.
  SplitFiles(std::vector<std::string> programs, std::string root_prefix)
      : programs_(std::move(programs)), root_prefix_(std::move(root_prefix)) {}

  // On failure the result has no unit, and *problem says what is missing. `skeleton` must outlive the result.
  SplitUnit Find(const DwarfUnitHeader& skeleton, std::string* problem);

 private:
  void OpenPackage();
  SplitUnit FromPackage(const DwarfUnitHeader& skeleton) const;
  SplitUnit FromFile(const std::string& path, const DwarfUnitHeader& skeleton) const;

  std::vector<std::string> programs_;
  std::string root_prefix_;
  bool looked_ = false;
  std::unique_ptr<ElfImage> package_;
  std::unique_ptr<DwpIndex> index_;
};

}  // namespace heaptally::symbols
