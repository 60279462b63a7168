// Where the code of an ELF file is, for readers of profiles that look into the file themselves.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace heaptally::symbols {

struct ExecutableSegment {
  uint64_t virtual_address = 0, memory_bytes = 0, file_offset = 0;
};

// The first executable PT_LOAD. Nothing without a build id to prove that the file is the one that was mapped, or if it
// is not.
std::optional<ExecutableSegment> FindExecutableSegment(const std::string& path, const std::string& build_id_hex);

}  // namespace heaptally::symbols
