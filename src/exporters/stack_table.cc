#include "exporters/stack_table.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "exporters/known_columns.h"
#include "exporters/safe_text.h"

namespace heaptally::exporters {
namespace {

using profile::Amount;
using profile::Measures;
using profile::Profile;

// Each distinct value once.
template <typename Value>
uint32_t Intern(Value value, std::map<Value, uint32_t>* known, std::vector<Value>* list) {
  const auto [at, is_new] = known->emplace(std::move(value), static_cast<uint32_t>(list->size()));
  if (is_new) list->push_back(at->first);
  return at->second;
}

struct StackKeyHash {
  size_t operator()(const std::pair<uint32_t, std::vector<uint32_t>>& key) const {
    uint64_t hash = 0xCBF29CE484222325 ^ key.first;  // FNV-1a, by words
    for (const uint32_t location : key.second) hash = (hash ^ location) * 0x100000001B3;
    return hash ^ hash >> 32;
  }
};

class Builder {
 public:
  Builder(const Wording& wording, const StackChoice& choice) : wording_(wording), choice_(choice) {}

  void Add(const Profile& profile, uint32_t number);
  StackTable Done();

 private:
  void StartWithProgram(const Profile& profile);
  uint32_t Function(const analysis::StackFrame& frame);
  uint32_t Mapping(const profile::Module& module);
  uint32_t Location(const Profile& profile, ShownFrame shown);
  uint32_t InWords(const std::string& words);
  void AddStack(const Profile& profile, uint32_t number, const profile::Site& site,
                const std::array<uint64_t, kColumns>& values, FrameChoice* choice);
  void AddTo(uint32_t group, std::vector<uint32_t> locations, const std::array<uint64_t, kColumns>& values);
  void FoldTail();
  void NarrowToCode();

  const Wording& wording_;
  const StackChoice& choice_;
  StackTable table_;
  std::unordered_map<std::string, uint32_t> named_;  // raw name -> function
  std::map<TableFunction, uint32_t> functions_;
  std::map<TableLocation, uint32_t> locations_;
  std::map<TableGroup, uint32_t> groups_;
  std::map<std::tuple<std::string, std::string, uint64_t, uint64_t>, uint32_t> mappings_;
  std::vector<profile::Module> modules_;  // parallel to table_.mappings
  std::unordered_map<std::pair<uint32_t, std::vector<uint32_t>>, size_t, StackKeyHash> stacks_;
  std::vector<std::map<uint32_t, uint32_t>> shown_;  // of one profile: frame -> first source -> location
};

// Making a name readable costs microseconds, hence named_.
uint32_t Builder::Function(const analysis::StackFrame& frame) {
  std::string raw = frame.function + '\n' + frame.file + '\n' + frame.module;
  if (frame.function.empty()) raw += '\n' + std::to_string(frame.address);
  if (const auto known = named_.find(raw); known != named_.end()) return known->second;
  const uint32_t function = Intern(
      TableFunction{SafeText(wording_.whole_name(frame)), SafeText(frame.function), SafeText(frame.file)}, &functions_,
      &table_.functions);
  named_.emplace(std::move(raw), function);
  return function;
}

uint32_t Builder::Mapping(const profile::Module& module) {
  const auto [at, is_new] =
      mappings_.try_emplace({module.path, module.build_id, module.map_start, module.map_end}, table_.mappings.size());
  if (is_new) {
    table_.mappings.push_back({SafeText(module.path), SafeText(module.build_id), module.map_start, module.map_end});
    modules_.push_back(module);
  }
  return at->second;
}

// Readers take the first mapping for the program.
void Builder::StartWithProgram(const Profile& profile) {
  for (const profile::Module& module : profile.modules) {
    if (module.path != profile.exe) continue;
    Mapping(module);
    return;
  }
  if (!profile.exe.empty()) Mapping({.path = profile.exe});
}

uint32_t Builder::Location(const Profile& profile, ShownFrame shown) {
  const auto [at, is_new] = shown_[shown.frame].try_emplace(shown.first_source, 0);
  if (!is_new) return at->second;
  const profile::Frame& frame = profile.frames[shown.frame];
  TableLocation location;
  location.address = frame.address;
  if (frame.module < profile.modules.size()) {
    location.mapping = Mapping(profile.modules[frame.module]);
    location.address += profile.modules[frame.module].bias;
  }
  if (!frame.exact_pc && location.address != 0) --location.address;
  const std::vector<analysis::StackFrame> sources = analysis::SourceFramesOf(profile, shown.frame);
  for (size_t index = std::min<size_t>(shown.first_source, sources.size() - 1); index < sources.size(); ++index) {
    location.lines.push_back({Function(sources[index]), sources[index].line});
    if (location.mapping == kNoMapping) continue;
    TableMapping& mapping = table_.mappings[location.mapping];
    mapping.has_functions = mapping.has_functions || !sources[index].function.empty();
    mapping.has_files = mapping.has_files || !sources[index].file.empty();
    mapping.has_lines = mapping.has_lines || sources[index].line != 0;
  }
  return at->second = Intern(std::move(location), &locations_, &table_.locations);
}

uint32_t Builder::InWords(const std::string& words) {
  TableLocation location;
  location.lines.push_back({Intern(TableFunction{SafeText(words), "", ""}, &functions_, &table_.functions), 0});
  return Intern(std::move(location), &locations_, &table_.locations);
}

void Builder::AddTo(uint32_t group, std::vector<uint32_t> locations, const std::array<uint64_t, kColumns>& values) {
  const auto [at, is_new] = stacks_.try_emplace({group, std::move(locations)}, table_.stacks.size());
  if (is_new) table_.stacks.push_back({group, at->first.second, {}});
  for (size_t column = 0; column < kColumns; ++column) table_.stacks[at->second].values[column] += values[column];
}

void Builder::AddStack(const Profile& profile, uint32_t number, const profile::Site& site,
                       const std::array<uint64_t, kColumns>& values, FrameChoice* choice) {
  std::vector<uint32_t> locations;
  for (const ShownFrame shown : choice->Of(site)) locations.push_back(Location(profile, shown));
  if (locations.empty()) {
    locations.push_back(InWords(WhyNoStack(site)));
  } else if (site.truncated) {
    locations.push_back(InWords(kCallersNotKnown));
  }
  const uint32_t group = Intern(TableGroup{number, SafeText(site.memory_class), SafeText(site.thread)}, &groups_, &table_.groups);
  AddTo(group, std::move(locations), values);
}

// Of freed blocks, as far as the histogram tells: each at the middle of its class.
uint64_t LifetimeNs(const profile::Site& site) {
  double sum = 0;
  for (const profile::Bucket& bucket : site.lifetimes_ns) {
    sum += bucket.objects.value() * (static_cast<double>(bucket.from) + static_cast<double>(bucket.to)) / 2;
  }
  return sum < 9e18 ? static_cast<uint64_t>(std::llround(std::max(sum, 0.0))) : uint64_t{1} << 62;
}

std::array<std::vector<uint64_t>, kColumns> ColumnsOf(const Profile& profile, Classes classes) {
  const std::array<AmountOfMeasures, kColumns - 1> amounts = {
      [](const Measures& m) -> const Amount& { return m.allocated.objects; },
      [](const Measures& m) -> const Amount& { return m.allocated.bytes; },
      [](const Measures& m) -> const Amount& { return m.live.objects; },
      [](const Measures& m) -> const Amount& { return m.live.bytes; },
      [](const Measures& m) -> const Amount& { return m.peak.objects; },
      [](const Measures& m) -> const Amount& { return m.peak.bytes; },
      [](const Measures& m) -> const Amount& { return m.temporary; }};
  std::array<std::vector<uint64_t>, kColumns> out;
  for (size_t column = 0; column < amounts.size(); ++column) {
    out[column] = Knows(profile, static_cast<Column>(column)) ? WholeNumbers(profile, amounts[column], classes)
                                                              : std::vector<uint64_t>(profile.sites.size());
  }
  for (const profile::Site& site : profile.sites) {
    out[kColumns - 1].push_back(IsOf(classes, site) ? LifetimeNs(site) : 0);
  }
  return out;
}

void Builder::Add(const Profile& profile, uint32_t number) {
  if (number == 0) StartWithProgram(profile);
  shown_.assign(profile.frames.size(), {});
  FrameChoice frames(profile, wording_);
  const auto columns = ColumnsOf(profile, choice_.classes);
  for (size_t index = 0; index < profile.sites.size(); ++index) {
    std::array<uint64_t, kColumns> values;
    for (size_t column = 0; column < kColumns; ++column) values[column] = columns[column][index];
    const bool empty = std::all_of(values.begin(), values.end(), [](uint64_t value) { return value == 0; });
    if (!empty) AddStack(profile, number, profile.sites[index], values, &frames);
  }
}

// What is folded keeps its class: sums over classes mean nothing.
void Builder::FoldTail() {
  std::vector<TableStack>& stacks = table_.stacks;
  if (choice_.most_stacks == 0 || stacks.size() <= choice_.most_stacks) return;
  const Column by = ColumnOf(choice_.by);
  std::stable_sort(stacks.begin(), stacks.end(), [by](const TableStack& a, const TableStack& b) {
    return std::pair(a.value(by), a.value(Column::kAllocatedBytes)) >
           std::pair(b.value(by), b.value(Column::kAllocatedBytes));
  });
  std::set<std::string> classes;
  for (const TableGroup& group : table_.groups) classes.insert(group.memory_class);
  const size_t kept = choice_.most_stacks - std::min(choice_.most_stacks, classes.size());
  const std::vector<TableStack> tail(stacks.begin() + static_cast<std::ptrdiff_t>(kept), stacks.end());
  stacks.resize(kept);
  const uint32_t whose = table_.groups.back().profile == 0 ? 0 : kAnyProfile;
  const uint32_t words = InWords("[other: " + std::to_string(tail.size()) + " smaller stacks]");
  for (const TableStack& stack : tail) {
    const std::string memory_class = table_.groups[stack.group].memory_class;
    AddTo(Intern(TableGroup{whose, memory_class, ""}, &groups_, &table_.groups), {words}, stack.values);
  }
}

// A file has several segments, and their distance in memory need not be that in the file; a mapping with an offset can
// only be right for one. Where a module has code elsewhere too, its mapping stays all of it.
void Builder::NarrowToCode() {
  constexpr uint64_t kPage = 4096;
  if (!choice_.code_of) return;
  std::vector<std::optional<TableMapping>> narrow;
  for (size_t index = 0; index < modules_.size(); ++index) {
    const std::optional<CodeSegment> code = choice_.code_of(modules_[index]);
    narrow.push_back(code ? std::optional(table_.mappings[index]) : std::nullopt);
    if (!code) continue;
    const uint64_t begin = code->virtual_address / kPage * kPage;
    const uint64_t end = (code->virtual_address + code->memory_bytes + kPage - 1) / kPage * kPage;
    narrow[index]->start = modules_[index].bias + begin;
    narrow[index]->limit = modules_[index].bias + end;
    narrow[index]->file_offset = code->file_offset / kPage * kPage;
  }
  for (const TableLocation& location : table_.locations) {
    if (location.mapping == kNoMapping || !narrow[location.mapping]) continue;
    const TableMapping& mapping = *narrow[location.mapping];
    if (location.address < mapping.start || location.address >= mapping.limit) narrow[location.mapping].reset();
  }
  for (size_t index = 0; index < narrow.size(); ++index) {
    if (narrow[index]) table_.mappings[index] = *narrow[index];
  }
}

StackTable Builder::Done() {
  FoldTail();
  NarrowToCode();
  return std::move(table_);
}

}  // namespace

Column ColumnOf(analysis::By by) {
  switch (by) {
    case analysis::By::kPeak:
      return Column::kPeakBytes;
    case analysis::By::kChurn:
      return Column::kAllocatedBytes;
    case analysis::By::kCalls:
      return Column::kAllocatedObjects;
    case analysis::By::kTemporary:
      return Column::kTemporary;
    default:
      return Column::kLiveBytes;
  }
}

StackTable BuildStackTable(const std::vector<Profile>& profiles, const Wording& wording, const StackChoice& choice) {
  Builder builder(wording, choice);
  for (size_t index = 0; index < profiles.size(); ++index) builder.Add(profiles[index], static_cast<uint32_t>(index));
  return builder.Done();
}

std::string ImageName(const Profile& profile) {
  const std::string name = profile.exe.substr(profile.exe.rfind('/') + 1);
  return (name.empty() ? "(not known)" : name) + (profile.pid != 0 ? " (" + std::to_string(profile.pid) + ")" : "");
}

std::vector<std::string> RootFrames(const std::vector<Profile>& profiles, const TableGroup& group, Classes classes) {
  std::vector<std::string> out;
  if (profiles.size() > 1 && group.profile != kAnyProfile) out.push_back(SafeText(ImageName(profiles[group.profile])));
  if (classes == Classes::kAll) out.push_back("[" + group.memory_class + "]");
  return out;
}

}  // namespace heaptally::exporters
