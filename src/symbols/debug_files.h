// Finds the separate debug file of a stripped one, in the places that distributions and gdb agree on, and believes it
// only by proof: the same build id, or, where a side has none, the CRC of .gnu_debuglink.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "symbols/elf_image.h"

namespace heaptally::symbols {

// `path` is the module's path as the process saw it, `root_prefix` what was put before it. Null if there is none;
// `problem` then names candidates that were rejected, and why.
std::unique_ptr<ElfImage> FindDebugFile(const ElfImage& image, const std::string& path, const std::string& root_prefix,
                                        const std::vector<std::string>& debug_roots, std::string* problem);

// The file that dwz moved common parts of `image`'s debug information to (.gnu_debugaltlink), proven by its build id.
// Null if `image` names none, or none is found; then `problem` says so.
std::unique_ptr<ElfImage> FindAlternateFile(const ElfImage& image, const std::string& root_prefix,
                                            const std::vector<std::string>& debug_roots, std::string* problem);

}  // namespace heaptally::symbols
