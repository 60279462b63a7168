// The parts of resident memory in words.
#pragma once

#include <string>

#include "cli/units.h"
#include "profile/profile.h"

namespace heaptally::cli {

// "heap live 312 MiB + kept by malloc 58.0 MiB + mapped 12.0 MiB + stacks 3.00 MiB + ...": parts that are nothing are left
// out. "" if there is no account.
std::string AccountWords(const profile::Coverage& coverage, NumberStyle style = {});

}  // namespace heaptally::cli
