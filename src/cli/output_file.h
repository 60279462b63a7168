// Where an export goes: a file, or stdout.
#pragma once

#include <string>

namespace heaptally::cli {

// Writes `text` to `path` ("" or "-": stdout). A file is replaced as a whole or not at all. Returns 0, or complains and
// returns kOurFailure.
int WriteOutput(const std::string& path, const std::string& text);

}  // namespace heaptally::cli
