// Completion scripts for shells, made from what the subcommands say of themselves.
#pragma once

#include <string>
#include <vector>

#include "cli/command_description.h"

namespace heaptally::cli {

std::string BashCompletion(const std::vector<CommandDescription>& commands);
std::string ZshCompletion(const std::vector<CommandDescription>& commands);
std::string FishCompletion(const std::vector<CommandDescription>& commands);

}  // namespace heaptally::cli
