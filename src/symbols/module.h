// One module: the file on disk, if it may be believed, with its separate debug file; joins what symbol tables and debug
// information know about an address.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "symbols/dwarf_index.h"
#include "symbols/elf_image.h"
#include "symbols/split_files.h"
#include "symbols/symbol_table.h"
#include "symbols/symbolizer.h"

namespace heaptally::symbols {

class Module {
 public:
  Module(ModuleFile file, const SymbolizerOptions& options);

  // Frames at an exact address (see Symbolizer::Lookup); kept for the life of the module.
  const std::vector<Frame>& At(uint64_t vaddr);
  std::string Problem();
  const ModuleFile& file() const { return file_; }

 private:
  void Open();
  void OpenDebugInformation();
  void OpenDwarf(const ElfImage& image);
  std::vector<Frame> Find(uint64_t vaddr);
  std::string StrippedNote() const;

  ModuleFile file_;
  const SymbolizerOptions& options_;
  bool opened_ = false;
  std::string distrust_;       // why nothing of the file may be used
  std::string debug_problem_;  // why debug information is missing
  std::unique_ptr<ElfImage> image_;
  std::unique_ptr<ElfImage> debug_image_;
  std::unique_ptr<ElfImage> alternate_image_;
  std::unique_ptr<ElfImage> mini_image_;
  SymbolTable symbols_;
  std::unique_ptr<SplitFiles> splits_;
  std::unique_ptr<DwarfIndex> dwarf_;
  std::unordered_map<uint64_t, std::vector<Frame>> cache_;
};

}  // namespace heaptally::symbols
