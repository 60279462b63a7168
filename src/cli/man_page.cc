#include "cli/man_page.h"

#include <fmt/format.h>

#include <sstream>

#include "cli/command_description.h"
#include "cli/commands.h"

namespace heaptally::cli {
namespace {

// roff reads a leading . or ' as a request, \ as an escape, and - as a hyphen that cannot be searched for.
std::string Escaped(const std::string& text) {
  std::string out;
  for (size_t at = 0; at < text.size(); ++at) {
    const bool line_begins = at == 0 || text[at - 1] == '\n';
    if (line_begins && (text[at] == '.' || text[at] == '\'')) out += "\\&";
    if (text[at] == '\\') {
      out += "\\e";
    } else if (text[at] == '-') {
      out += "\\-";
    } else {
      out += text[at];
    }
  }
  return out;
}

// Lines as they are, in the fixed font.
std::string Verbatim(const std::string& text) {
  return ".nf\n" + Escaped(text) + (text.ends_with('\n') ? "" : "\n") + ".fi\n";
}

// "usage line\n\nwhat it does, in lines" as a bold line and paragraphs.
std::string Usage(const std::string& usage) {
  const size_t end = usage.find("\n\n");
  std::string out = ".B " + Escaped(usage.substr(0, end)) + "\n";
  if (end == std::string::npos) return out;
  std::istringstream lines(usage.substr(end + 2));
  out += ".PP\n";
  for (std::string line; std::getline(lines, line);) out += line.empty() ? ".PP\n" : Escaped(line) + "\n";
  return out;
}

std::string Option(const OptionDescription& option) {
  std::string names;
  for (const std::string& name : option.names) names += (names.empty() ? "\\fB" : ", \\fB") + Escaped(name) + "\\fR";
  if (!option.value.empty()) names += " \\fI" + Escaped(option.value) + "\\fR";
  return ".TP\n" + names + "\n" + Escaped(option.text) + "\n";
}

std::string Command(const CommandDescription& command) {
  std::string out = fmt::format(".SS heaptally {} \\- {}\n", command.name, Escaped(command.purpose)) + Usage(command.usage);
  for (const OptionDescription& option : command.options) {
    if (option.names.back() != "--help") out += Option(option);
  }
  if (!command.examples.empty()) out += ".PP\nExamples:\n.PP\n" + Verbatim(command.examples);
  return out;
}

std::string Synopsis(const std::vector<CommandDescription>& commands) {
  std::string out = ".SH SYNOPSIS\n.nf\n";
  for (const CommandDescription& command : commands) {
    out += ".B " + Escaped(command.usage.substr(0, command.usage.find('\n'))) + "\n";
  }
  return out + ".fi\n";
}

constexpr const char* kEnd =
    ".SH ENVIRONMENT\n"
    ".TP\n.B HEAPTALLY_DIR\nWhere running processes keep their tallies (default /dev/shm/heaptally\\-UID).\n"
    ".TP\n.B NO_COLOR\nNo colour, whatever the terminal.\n"
    ".SH FILES\n"
    ".TP\n.I NAME.PID.heaptally\nA capture: an SQLite file with the finished, named profiles of one run.\n"
    ".TP\n.I /dev/shm/heaptally\\-UID/\nSegments: the tallies of running processes. They outlive a process that is killed.\n";

}  // namespace

std::string ManPage(const std::string& version) {
  const std::vector<CommandDescription> commands = DescribeCommands();
  std::string out = ".TH HEAPTALLY 1 \"\" \"heaptally " + version + "\" \"User Commands\"\n" +
                    ".SH NAME\nheaptally \\- which code holds the memory, and which code allocates most often\n" +
                    Synopsis(commands) + ".SH COMMANDS\n";
  for (const CommandDescription& command : commands) out += Command(command);
  for (const std::string& topic : HelpTopicNames()) {
    std::string heading = topic;
    for (char& c : heading) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    out += ".SH \"" + heading + "\"\n" + Verbatim(HelpTopicText(topic));
  }
  return out + kEnd;
}

}  // namespace heaptally::cli
