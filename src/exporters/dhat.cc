#include "exporters/dhat.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "exporters/safe_text.h"

namespace heaptally::exporters {
namespace {

using Json = nlohmann::ordered_json;
using profile::Profile;

constexpr uint64_t kShortLivedUs = 10;  // below it the viewer calls a lifetime short

std::string BaseName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// "0x4A90: parse(char const*) (http.c:133)", "0x4A90: main (in /usr/bin/server)", or words.
std::string FrameText(const StackTable& table, const TableLocation& location, const TableLine& line) {
  const TableFunction& function = table.functions[line.function];
  if (location.address == 0) return function.name;
  char address[24];
  std::snprintf(address, sizeof address, "0x%llX: ", static_cast<unsigned long long>(location.address));
  if (!function.file.empty()) {
    const std::string number = line.line == 0 ? "" : ":" + std::to_string(line.line);
    return address + function.name + " (" + BaseName(function.file) + number + ")";
  }
  const std::string module = location.mapping == kNoMapping ? "" : table.mappings[location.mapping].path;
  return address + function.name + (module.empty() ? "" : " (in " + module + ")");
}

// The frame table; number 0 is the root by convention.
class FrameTable {
 public:
  FrameTable() { Number("[root]"); }

  uint32_t Number(const std::string& text) {
    const auto [at, is_new] = numbers_.try_emplace(text, static_cast<uint32_t>(texts_.size()));
    if (is_new) texts_.push_back(text);
    return at->second;
  }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::map<std::string, uint32_t> numbers_;
  std::vector<std::string> texts_;
};

using Values = std::array<uint64_t, kColumns>;

// Leaf first. The viewer takes no stack twice, so those that read alike are one.
std::map<std::vector<uint32_t>, Values> PointsOf(const std::vector<Profile>& profiles, const StackTable& table,
                                                 Classes classes, FrameTable* frames) {
  std::vector<std::vector<uint32_t>> lines;
  for (const TableLocation& location : table.locations) {
    std::vector<uint32_t>& numbers = lines.emplace_back();
    for (const TableLine& line : location.lines) numbers.push_back(frames->Number(FrameText(table, location, line)));
  }
  std::map<std::vector<uint32_t>, Values> out;
  for (const TableStack& stack : table.stacks) {
    std::vector<uint32_t> point;
    for (const uint32_t location : stack.locations) {
      point.insert(point.end(), lines[location].begin(), lines[location].end());
    }
    const std::vector<std::string> roots = RootFrames(profiles, table.groups[stack.group], classes);
    for (auto root = roots.rbegin(); root != roots.rend(); ++root) point.push_back(frames->Number(*root));
    Values& values = out[std::move(point)];
    for (size_t column = 0; column < kColumns; ++column) values[column] += stack.values[column];
  }
  return out;
}

// As text, since a compiler's stacks as a JSON tree are a gigabyte.
void AppendPoint(const std::vector<uint32_t>& frames, const Values& values, std::string* out) {
  const auto add = [&](const char* name, uint64_t value) {
    *out += std::string("\"") + name + "\":" + std::to_string(value) + ",";
  };
  const auto value = [&](Column column) { return values[static_cast<size_t>(column)]; };
  *out += '{';
  add("tb", value(Column::kAllocatedBytes));
  add("tbk", value(Column::kAllocatedObjects));
  add("tl", value(Column::kLifetimeNs) / 1000);
  add("mb", std::max(value(Column::kPeakBytes), value(Column::kLiveBytes)));
  add("mbk", std::max(value(Column::kPeakObjects), value(Column::kLiveObjects)));
  add("gb", value(Column::kPeakBytes));
  add("gbk", value(Column::kPeakObjects));
  add("eb", value(Column::kLiveBytes));
  add("ebk", value(Column::kLiveObjects));
  *out += "\"fs\":[";
  for (size_t at = 0; at < frames.size(); ++at) *out += (at == 0 ? "" : ",") + std::to_string(frames[at]);
  *out += "]}";
}

uint64_t MicrosecondsSince(uint64_t start_ns, uint64_t moment_ns) {
  return moment_ns > start_ns ? (moment_ns - start_ns) / 1000 : 0;
}

std::string ModeText(const Profile& profile) {
  const std::string mode = "heap, " + profile.mode;
  if (profile.period_bytes != 0) {
    return mode + ": estimates from one sample in " + std::to_string(profile.period_bytes) + " bytes";
  }
  if (profile.period_calls == 0) return mode;
  return mode + ": estimates from one sample in " + std::to_string(profile.period_calls) + " calls";
}

Json HeadJson(const std::vector<Profile>& profiles) {
  const Profile first = profiles.empty() ? Profile() : profiles[0];
  std::string command;
  for (const std::string& word : first.argv) command += (command.empty() ? "" : " ") + word;
  if (command.empty()) command = first.exe;
  if (profiles.size() > 1) command += " (and " + std::to_string(profiles.size() - 1) + " more)";
  uint64_t peak_ns = first.started_unix_ns;
  for (const uint64_t moment : first.peak_moments_unix_ns) peak_ns = std::max(peak_ns, moment);
  Json out = {{"dhatFileVersion", 2}, {"mode", SafeText(ModeText(first))}, {"verb", "Allocated"}};
  out["bklt"] = true;
  out["bkacc"] = false;
  out["tu"] = "us";
  out["Mtu"] = "s";
  out["tuth"] = kShortLivedUs;
  out["cmd"] = SafeText(command);
  out["pid"] = first.pid;
  out["te"] = MicrosecondsSince(first.started_unix_ns, std::max(first.taken_unix_ns, peak_ns));
  out["tg"] = MicrosecondsSince(first.started_unix_ns, peak_ns);
  return out;
}

}  // namespace

std::string Dhat(const std::vector<Profile>& profiles, const StackChoice& choice, const Wording& wording) {
  const StackTable table = BuildStackTable(profiles, wording, choice);
  FrameTable frames;
  const auto points = PointsOf(profiles, table, choice.classes, &frames);
  std::string out = HeadJson(profiles).dump();
  out.back() = ',';
  out += "\n\"pps\":[";
  const char* separator = "\n";
  for (const auto& [stack, values] : points) {
    out += separator;
    AppendPoint(stack, values, &out);
    separator = ",\n";
  }
  return out + "],\n\"ftbl\":" + Json(frames.texts()).dump() + "}\n";
}

}  // namespace heaptally::exporters
