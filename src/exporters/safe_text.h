// Text that somebody else chose - function names, paths, arguments - made fit for every format and every terminal: valid
// UTF-8 without control characters.
#pragma once

#include <string>
#include <string_view>

namespace heaptally::exporters {

// Bytes that are not UTF-8 and control characters become `?` each; the rest stays as it is, at any length.
std::string SafeText(std::string_view text);

}  // namespace heaptally::exporters
