#include "symbols/module.h"

#include <algorithm>
#include <cctype>

#include "symbols/debug_files.h"
#include "symbols/demangle.h"

namespace heaptally::symbols {
namespace {

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

Frame Unnamed(std::string why) {
  Frame frame;
  frame.why = std::move(why);
  return frame;
}

}  // namespace

Module::Module(ModuleFile file, const SymbolizerOptions& options) : file_(std::move(file)), options_(options) {}

void Module::Open() {
  if (opened_) return;
  opened_ = true;
  if (file_.path.empty() || file_.path[0] == '[') {
    distrust_ = "not a file";
    return;
  }
  if (!file_.why_not.empty()) {
    distrust_ = file_.why_not;
    return;
  }
  image_ = ElfImage::Open(file_.open_path.empty() ? file_.root_prefix + file_.path : file_.open_path, &distrust_);
  if (image_ == nullptr) return;
  if (const std::string mapped = Lower(file_.build_id_hex); !mapped.empty() && mapped != image_->build_id_hex()) {
    distrust_ = image_->build_id_hex().empty()
                    ? "file on disk has no build id, mapped was " + mapped
                    : "file on disk has build id " + image_->build_id_hex() + ", mapped was " + mapped;
    image_.reset();
    return;
  }
  OpenDebugInformation();
  symbols_.Add(*image_);
  if (debug_image_ != nullptr) symbols_.Add(*debug_image_);
  mini_image_ = ElfImage::OpenMiniDebugInfo(*image_);
  if (mini_image_ == nullptr && image_->HasContents(".gnu_debugdata")) {
    if (!debug_problem_.empty()) debug_problem_ += "; ";
    debug_problem_ += "its .gnu_debugdata cannot be read: damaged, or not xz";
  }
  if (mini_image_ != nullptr) symbols_.Add(*mini_image_);
  symbols_.Build();
}

void Module::OpenDebugInformation() {
  if (image_->HasContents(".debug_info")) {
    OpenDwarf(*image_);
    return;
  }
  debug_image_ = FindDebugFile(*image_, file_.path, file_.root_prefix, options_.debug_roots, &debug_problem_);
  if (debug_image_ == nullptr) return;
  debug_problem_.clear();
  OpenDwarf(*debug_image_);
}

void Module::OpenDwarf(const ElfImage& image) {
  alternate_image_ = FindAlternateFile(image, file_.root_prefix, options_.debug_roots, &debug_problem_);
  splits_ = std::make_unique<SplitFiles>(std::vector<std::string>{image.path(), file_.root_prefix + file_.path},
                                         file_.root_prefix);
  dwarf_ = DwarfIndex::Open(image, alternate_image_.get(), splits_.get(), &debug_problem_);
}

std::vector<Frame> Module::Find(uint64_t vaddr) {
  if (image_ == nullptr) return {Unnamed(distrust_)};
  if (image_->CodeAround(vaddr) == nullptr) return {Unnamed("address is not in the file's code")};
  DwarfIndex::Answer answer;
  if (dwarf_ != nullptr) answer = dwarf_->Find(vaddr);
  if (answer.frames.empty()) answer.frames.emplace_back();
  Frame& physical = answer.frames.back();
  if (!answer.linkage_known) {
    // A C++ function without a linkage name in its debug information may still have a full name in the symbol table.
    const SymbolTable::Hit hit = symbols_.Find(vaddr);
    if (hit.name != nullptr && (physical.function.empty() || IsMangled(hit.name))) {
      physical.function = Demangle(hit.name);
    }
  }
  for (Frame& frame : answer.frames) {
    if (!frame.function.empty()) continue;
    frame.why = frame.inlined ? "inlined function without a name" : "no symbol covers this address";
    if (const std::string note = StrippedNote(); !note.empty() && !frame.inlined) frame.why += " (" + note + ")";
  }
  return std::move(answer.frames);
}

const std::vector<Frame>& Module::At(uint64_t vaddr) {
  Open();
  auto [it, is_new] = cache_.try_emplace(vaddr);
  if (is_new) it->second = Find(vaddr);
  return it->second;
}

std::string Module::StrippedNote() const {
  if (dwarf_ != nullptr || symbols_.full_names() != 0) return "";
  const size_t exported = symbols_.exported_names();
  if (exported == 0) return "stripped: no exported names either";
  return "stripped: " + std::to_string(exported) + (exported == 1 ? " exported name only" : " exported names only");
}

std::string Module::Problem() {
  Open();
  if (image_ == nullptr) return distrust_;
  std::string text;
  for (const std::string& part : {StrippedNote(), debug_problem_, dwarf_ == nullptr ? "" : dwarf_->problem()}) {
    if (part.empty()) continue;
    if (!text.empty()) text += "; ";
    text += part;
  }
  return text;
}

}  // namespace heaptally::symbols
