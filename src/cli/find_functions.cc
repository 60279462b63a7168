#include "cli/find_functions.h"

#include <algorithm>
#include <set>

#include "cli/frame_names.h"
#include "cli/suggest.h"

namespace heaptally::cli {
namespace {

std::string LastPart(const std::string& name) {
  const size_t colons = name.rfind("::");
  return colons == std::string::npos ? name : name.substr(colons + 2);
}

// Also a name of which only the last part is near: "insrt" for "cache::insert".
std::string NearestFunction(const std::string& name, const std::set<std::string>& names) {
  const std::string nearest = Nearest(name, {names.begin(), names.end()});
  if (!nearest.empty()) return nearest;
  std::vector<std::string> parts;
  for (const std::string& one : names) parts.push_back(LastPart(one));
  const std::string part = Nearest(LastPart(name), parts);
  const auto at = std::find(parts.begin(), parts.end(), part);
  return part.empty() ? "" : *std::next(names.begin(), at - parts.begin());
}

}  // namespace

FoundFunctions FindFunctions(const analysis::FrameTable& table, const std::string& name) {
  std::vector<std::string> shown;
  for (uint32_t function = 0; function < table.function_count(); ++function)
    shown.push_back(ShownName(table.FunctionFrame(function)));
  FoundFunctions found;
  std::set<std::string> names;
  for (const bool by_last_part : {false, true}) {
    for (uint32_t function = 0; function < shown.size(); ++function) {
      const bool is_it = by_last_part ? LastPart(shown[function]) == name
                                      : shown[function] == name || table.FunctionFrame(function).function == name;
      if (!is_it) continue;
      found.functions.resize(shown.size());
      found.functions[function] = true;
      names.insert(shown[function]);
    }
    if (!names.empty()) break;
  }
  found.names.assign(names.begin(), names.end());
  if (names.empty()) found.nearest = NearestFunction(name, {shown.begin(), shown.end()});
  return found;
}

}  // namespace heaptally::cli
