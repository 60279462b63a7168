// The manual page heaptally(1), made from what the subcommands and the help topics say.
#pragma once

#include <string>

namespace heaptally::cli {

// roff with the man macros. `version`: "0.1.0".
std::string ManPage(const std::string& version);

}  // namespace heaptally::cli
