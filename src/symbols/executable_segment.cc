#include "symbols/executable_segment.h"

#include <memory>

#include "symbols/elf_image.h"

namespace heaptally::symbols {

std::optional<ExecutableSegment> FindExecutableSegment(const std::string& path, const std::string& build_id_hex) {
  if (path.empty() || path[0] != '/' || build_id_hex.empty()) return std::nullopt;
  std::string ignored;
  const std::unique_ptr<ElfImage> image = ElfImage::Open(path, &ignored);
  if (image == nullptr || image->build_id_hex() != build_id_hex) return std::nullopt;
  size_t count = 0;
  if (elf_getphdrnum(image->elf(), &count) != 0) return std::nullopt;
  for (size_t index = 0; index < count; ++index) {
    GElf_Phdr segment;
    if (gelf_getphdr(image->elf(), static_cast<int>(index), &segment) == nullptr) return std::nullopt;
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    return ExecutableSegment{segment.p_vaddr, segment.p_memsz, segment.p_offset};
  }
  return std::nullopt;
}

}  // namespace heaptally::symbols
