#include "exporters/speedscope.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "exporters/known_columns.h"
#include "exporters/safe_text.h"

namespace heaptally::exporters {
namespace {

using Json = nlohmann::ordered_json;

struct NamedFrame {
  std::string name, file;
  auto operator<=>(const NamedFrame&) const = default;
};

// Frames by number, and all stacks as such numbers, root first.
struct Frames {
  std::vector<NamedFrame> list;
  std::vector<std::vector<uint32_t>> stacks;  // parallel to the table's
  std::vector<uint32_t> order;                // of stacks, by the names of their frames
};

Frames FramesOf(const std::vector<profile::Profile>& profiles, const StackTable& table, Classes classes) {
  std::map<NamedFrame, uint32_t> numbers;
  for (const TableFunction& function : table.functions) numbers[{function.name, function.file}];
  for (const TableGroup& group : table.groups) {
    for (const std::string& root : RootFrames(profiles, group, classes)) numbers[{root, ""}];
  }
  Frames out;
  for (auto& [frame, number] : numbers) {  // numbers are in the order of names
    number = static_cast<uint32_t>(out.list.size());
    out.list.push_back(frame);
  }
  std::vector<uint32_t> by_function;
  for (const TableFunction& function : table.functions) by_function.push_back(numbers[{function.name, function.file}]);
  for (const TableStack& stack : table.stacks) {
    std::vector<uint32_t>& frames = out.stacks.emplace_back();
    for (const std::string& root : RootFrames(profiles, table.groups[stack.group], classes)) {
      frames.push_back(numbers[{root, ""}]);
    }
    for (size_t at = stack.locations.size(); at-- > 0;) {
      const std::vector<TableLine>& lines = table.locations[stack.locations[at]].lines;
      for (size_t inlined = lines.size(); inlined-- > 0;) frames.push_back(by_function[lines[inlined].function]);
    }
    out.order.push_back(static_cast<uint32_t>(out.order.size()));
  }
  std::sort(out.order.begin(), out.order.end(),
            [&](uint32_t a, uint32_t b) { return std::tie(out.stacks[a], a) < std::tie(out.stacks[b], b); });
  return out;
}

std::string FramesText(const Frames& frames) {
  std::string out;
  for (const NamedFrame& frame : frames.list) {
    Json one = {{"name", frame.name}};
    if (!frame.file.empty()) one["file"] = frame.file;
    out += (out.empty() ? "" : ",\n") + one.dump();
  }
  return "[" + out + "]";
}

void AppendNumbers(const std::vector<uint32_t>& numbers, std::string* out) {
  *out += '[';
  for (size_t at = 0; at < numbers.size(); ++at) *out += (at == 0 ? "" : ",") + std::to_string(numbers[at]);
  *out += ']';
}

// As text, since a compiler's stacks as a JSON tree are a gigabyte. Empty if there is nothing of the measure.
std::string ProfileText(const MeasureName& measure, const StackTable& table, const Frames& frames) {
  std::string samples, weights;
  uint64_t sum = 0;
  for (const uint32_t index : frames.order) {
    const uint64_t value = table.stacks[index].value(ColumnOf(measure.by));
    if (value == 0) continue;
    samples += samples.empty() ? "" : ",\n";
    AppendNumbers(frames.stacks[index], &samples);
    weights += (weights.empty() ? "" : ",") + std::to_string(value);
    sum += value;
  }
  if (sum == 0) return "";
  const std::string unit = analysis::RanksBytes(measure.by) ? "bytes" : "none";
  return R"({"type":"sampled","name":")" + std::string(measure.title) + R"(","unit":")" + unit +
         R"(","startValue":0,"endValue":)" + std::to_string(sum) + ",\n\"samples\":[" + samples +
         "],\n\"weights\":[" + weights + "]}";
}

}  // namespace

std::string Speedscope(const std::vector<profile::Profile>& profiles, const StackChoice& choice, const Wording& wording,
                       const std::string& title, const std::string& tool) {
  const StackTable table = BuildStackTable(profiles, wording, choice);
  const Frames frames = FramesOf(profiles, table, choice.classes);
  std::string list;
  size_t count = 0, active = 0;
  for (const MeasureName& measure : kMeasures) {
    if (!AllKnow(profiles, ColumnOf(measure.by))) continue;
    const std::string profile = ProfileText(measure, table, frames);
    if (profile.empty()) continue;
    if (measure.by == choice.by) active = count;
    list += (count++ == 0 ? "" : ",\n") + profile;
  }
  return R"({"$schema":"https://www.speedscope.app/file-format-schema.json","name":)" + Json(SafeText(title)).dump() +
         R"(,"exporter":)" + Json(SafeText(tool)).dump() + R"(,"activeProfileIndex":)" + std::to_string(active) +
         ",\n\"shared\":{\"frames\":" + FramesText(frames) + "},\n\"profiles\":[" + list + "]}\n";
}

}  // namespace heaptally::exporters
