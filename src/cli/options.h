// Parsing of one subcommand's options, with the tool's own words for what is wrong: the option, why, and the nearest
// name.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace heaptally::cli {

enum class Parsed { kGo, kHelpShown, kWrong };

// Sets the help's shape: usage line, descriptions, the examples at the end.
void Describe(CLI::App* app, const std::string& usage, const std::string& examples);

// Parses `arguments` (without the subcommand's name). Prints help on stdout, or a complaint on stderr.
Parsed Parse(CLI::App* app, const std::vector<std::string>& arguments);

// Splits the arguments of `run` where the program begins: after "--", or at the first word that is neither an option
// nor an option's value. Returns the program's words; `arguments` keeps the options.
std::vector<std::string> TakeCommand(const CLI::App& app, std::vector<std::string>* arguments);

// A number of bytes with an optional unit ("512K"), as a value of an option.
CLI::Option* AddBytesOption(CLI::App* app, const std::string& names, uint64_t* bytes, const std::string& description);

}  // namespace heaptally::cli
