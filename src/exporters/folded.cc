#include "exporters/folded.h"

#include <map>

#include "exporters/safe_text.h"

namespace heaptally::exporters {
namespace {

// Root first, frames separated by `;`.
std::string Line(const StackTable& table, const TableStack& stack, const std::vector<std::string>& frames,
                 const std::string& roots) {
  std::string line = roots;
  for (size_t at = stack.locations.size(); at-- > 0;) {
    const std::vector<TableLine>& lines = table.locations[stack.locations[at]].lines;
    for (size_t inlined = lines.size(); inlined-- > 0;) {
      line += (line.empty() ? "" : ";") + frames[lines[inlined].function];
    }
  }
  return line;
}

}  // namespace

std::string SafeFrame(const std::string& name) {
  std::string out = SafeText(name);
  for (char& one : out) {
    if (one == ';') one = ':';
  }
  const size_t first = out.find_first_not_of(' ');
  if (first == std::string::npos) return "?";
  return out.substr(first, out.find_last_not_of(' ') - first + 1);
}

std::string Folded(const std::vector<profile::Profile>& profiles, const StackChoice& choice, const Wording& wording) {
  const StackTable table = BuildStackTable(profiles, wording, choice);
  std::vector<std::string> frames, roots;
  for (const TableFunction& function : table.functions) frames.push_back(SafeFrame(function.name));
  for (const TableGroup& group : table.groups) {
    std::string& root = roots.emplace_back();
    for (const std::string& frame : RootFrames(profiles, group, choice.classes)) {
      root += (root.empty() ? "" : ";") + SafeFrame(frame);
    }
  }
  std::map<std::string, uint64_t> lines;
  const Column column = ColumnOf(choice.by);
  for (const TableStack& stack : table.stacks) {
    if (stack.value(column) != 0) lines[Line(table, stack, frames, roots[stack.group])] += stack.value(column);
  }
  std::string out;
  for (const auto& [line, value] : lines) out += line + " " + std::to_string(value) + "\n";
  return out;
}

}  // namespace heaptally::exporters
