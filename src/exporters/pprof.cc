#include "exporters/pprof.h"

#include <algorithm>
#include <unordered_map>

#include "exporters/known_columns.h"
#include "exporters/protobuf_writer.h"
#include "exporters/safe_text.h"

namespace heaptally::exporters {
namespace {

using analysis::By;
using profile::Profile;

// Field numbers of profile.proto.
struct ProfileField {
  enum : uint32_t { kSampleType = 1, kSample, kMapping, kLocation, kFunction, kStringTable, kTimeNanos = 9,
                    kPeriodType = 11, kPeriod, kComment, kDefaultSampleType };
};
struct ValueTypeField { enum : uint32_t { kType = 1, kUnit }; };
struct SampleField { enum : uint32_t { kLocationId = 1, kValue, kLabel }; };
struct LabelField { enum : uint32_t { kKey = 1, kStr }; };
struct MappingField {
  enum : uint32_t { kId = 1, kMemoryStart, kMemoryLimit, kFileOffset, kFilename, kBuildId, kHasFunctions,
                    kHasFilenames, kHasLineNumbers, kHasInlineFrames };
};
struct LocationField { enum : uint32_t { kId = 1, kMappingId, kAddress, kLine }; };
struct LineField { enum : uint32_t { kFunctionId = 1, kLine }; };
struct FunctionField { enum : uint32_t { kId = 1, kName, kSystemName, kFilename }; };

struct SampleType {
  const char* type;
  const char* unit;
  Column column;
  Column at_peak;

  Column ColumnFor(By by) const { return by == By::kPeak ? at_peak : column; }
};
constexpr SampleType kSampleTypes[] = {
    {"alloc_objects", "count", Column::kAllocatedObjects, Column::kAllocatedObjects},
    {"alloc_space", "bytes", Column::kAllocatedBytes, Column::kAllocatedBytes},
    {"inuse_objects", "count", Column::kLiveObjects, Column::kPeakObjects},
    {"inuse_space", "bytes", Column::kLiveBytes, Column::kPeakBytes}};

// Those that every profile knows.
std::vector<SampleType> KnownTypes(const std::vector<Profile>& profiles, By by) {
  std::vector<SampleType> out;
  for (const SampleType& type : kSampleTypes) {
    if (AllKnow(profiles, type.ColumnFor(by))) out.push_back(type);
  }
  return out;
}

const char* DefaultSampleType(const std::vector<Profile>& profiles, By by) {
  if (by == By::kCalls || !AllKnowBytes(profiles)) return "alloc_objects";
  return by == By::kChurn ? "alloc_space" : "inuse_space";
}

struct Period {
  const char* type;
  const char* unit;
  uint64_t distance;
};

// Readers merge and subtract only what has one period type, so that it is that of the draws: calls where all were drawn
// by calls, else bytes.
Period PeriodOf(const std::vector<Profile>& profiles) {
  uint64_t bytes = 0, calls = 0;
  for (const Profile& profile : profiles) {
    bytes = std::max(bytes, profile.period_bytes);
    calls = std::max(calls, profile.period_calls);
  }
  if (calls > 0 && bytes == 0) return {"objects", "count", calls};
  return {"space", "bytes", std::max<uint64_t>(bytes, 1)};
}

class Writer {
 public:
  Writer(const std::vector<Profile>& profiles, const StackChoice& choice, const StackTable& table)
      : profiles_(profiles), choice_(choice), table_(table), types_(KnownTypes(profiles, choice.by)) {
    String("");
  }

  std::string Write(const std::vector<std::string>& comments);

 private:
  uint64_t String(const std::string& text);
  std::string ValueType(const char* type, const char* unit);
  std::string Label(const char* key, const std::string& value);
  std::vector<std::string> Labels(const TableGroup& group);
  void Samples();
  void Mappings();
  void Locations();
  void Functions();

  const std::vector<Profile>& profiles_;
  const StackChoice& choice_;
  const StackTable& table_;
  const std::vector<SampleType> types_;
  std::unordered_map<std::string, uint64_t> known_;
  std::vector<std::string> strings_;
  ProtobufWriter out_;
};

uint64_t Writer::String(const std::string& text) {
  const auto [at, is_new] = known_.emplace(text, strings_.size());
  if (is_new) strings_.push_back(text);
  return at->second;
}

std::string Writer::ValueType(const char* type, const char* unit) {
  ProtobufWriter out;
  out.Integer(ValueTypeField::kType, String(type));
  out.Integer(ValueTypeField::kUnit, String(unit));
  return out.bytes();
}

std::string Writer::Label(const char* key, const std::string& value) {
  ProtobufWriter out;
  out.Integer(LabelField::kKey, String(key));
  out.Integer(LabelField::kStr, String(value));
  return out.bytes();
}

std::vector<std::string> Writer::Labels(const TableGroup& group) {
  std::vector<std::string> out;
  if (profiles_.size() > 1 && group.profile != kAnyProfile) {
    const Profile& profile = profiles_[group.profile];
    out.push_back(Label("pid", std::to_string(profile.pid)));
    out.push_back(Label("program", SafeText(profile.exe.substr(profile.exe.rfind('/') + 1))));
  }
  if (choice_.classes == Classes::kAll || group.memory_class != "malloc") {
    out.push_back(Label("class", group.memory_class));
  }
  if (!group.thread.empty()) out.push_back(Label("thread", group.thread));
  return out;
}

void Writer::Samples() {
  std::vector<std::vector<std::string>> labels;
  for (const TableGroup& group : table_.groups) labels.push_back(Labels(group));
  for (const TableStack& stack : table_.stacks) {
    std::vector<uint64_t> ids, values;
    for (const uint32_t location : stack.locations) ids.push_back(uint64_t{location} + 1);
    for (const SampleType& type : types_) {
      values.push_back(std::min<uint64_t>(stack.value(type.ColumnFor(choice_.by)), INT64_MAX));
    }
    if (std::all_of(values.begin(), values.end(), [](uint64_t value) { return value == 0; })) continue;
    ProtobufWriter sample;
    sample.Packed(SampleField::kLocationId, ids);
    sample.Packed(SampleField::kValue, values);
    for (const std::string& label : labels[stack.group]) sample.Bytes(SampleField::kLabel, label);
    out_.Bytes(ProfileField::kSample, sample.bytes());
  }
}

void Writer::Mappings() {
  for (size_t index = 0; index < table_.mappings.size(); ++index) {
    const TableMapping& mapping = table_.mappings[index];
    ProtobufWriter out;
    out.Integer(MappingField::kId, index + 1);
    out.Integer(MappingField::kMemoryStart, mapping.start);
    out.Integer(MappingField::kMemoryLimit, mapping.limit);
    out.Integer(MappingField::kFileOffset, mapping.file_offset);
    out.Integer(MappingField::kFilename, String(mapping.path));
    out.Integer(MappingField::kBuildId, String(mapping.build_id));
    out.Integer(MappingField::kHasFunctions, mapping.has_functions ? 1 : 0);
    out.Integer(MappingField::kHasFilenames, mapping.has_files ? 1 : 0);
    out.Integer(MappingField::kHasLineNumbers, mapping.has_lines ? 1 : 0);
    out.Integer(MappingField::kHasInlineFrames, mapping.has_files ? 1 : 0);  // debug information tells of both
    out_.Bytes(ProfileField::kMapping, out.bytes());
  }
}

void Writer::Locations() {
  for (size_t index = 0; index < table_.locations.size(); ++index) {
    const TableLocation& location = table_.locations[index];
    ProtobufWriter out;
    out.Integer(LocationField::kId, index + 1);
    if (location.mapping != kNoMapping) out.Integer(LocationField::kMappingId, uint64_t{location.mapping} + 1);
    out.Integer(LocationField::kAddress, location.address);
    for (const TableLine& line : location.lines) {
      ProtobufWriter one;
      one.Integer(LineField::kFunctionId, uint64_t{line.function} + 1);
      one.Integer(LineField::kLine, line.line);
      out.Bytes(LocationField::kLine, one.bytes());
    }
    out_.Bytes(ProfileField::kLocation, out.bytes());
  }
}

void Writer::Functions() {
  for (size_t index = 0; index < table_.functions.size(); ++index) {
    const TableFunction& function = table_.functions[index];
    ProtobufWriter out;
    out.Integer(FunctionField::kId, index + 1);
    out.Integer(FunctionField::kName, String(function.name));
    if (function.full != function.name) out.Integer(FunctionField::kSystemName, String(function.full));
    out.Integer(FunctionField::kFilename, String(function.file));
    out_.Bytes(ProfileField::kFunction, out.bytes());
  }
}

std::string Writer::Write(const std::vector<std::string>& comments) {
  uint64_t taken = 0;
  for (const Profile& profile : profiles_) taken = std::max(taken, profile.taken_unix_ns);
  const Period period = PeriodOf(profiles_);
  for (const SampleType& type : types_) out_.Bytes(ProfileField::kSampleType, ValueType(type.type, type.unit));
  Samples();
  Mappings();
  Locations();
  Functions();
  out_.Integer(ProfileField::kTimeNanos, taken);
  out_.Bytes(ProfileField::kPeriodType, ValueType(period.type, period.unit));
  out_.Integer(ProfileField::kPeriod, period.distance);
  std::vector<uint64_t> lines;
  for (const std::string& comment : comments) lines.push_back(String(SafeText(comment)));
  out_.Packed(ProfileField::kComment, lines);
  out_.Integer(ProfileField::kDefaultSampleType, String(DefaultSampleType(profiles_, choice_.by)));
  for (const std::string& text : strings_) out_.Bytes(ProfileField::kStringTable, text);
  return out_.bytes();
}

}  // namespace

std::string Pprof(const std::vector<Profile>& profiles, const StackChoice& choice, const Wording& wording,
                  const std::string& tool) {
  const StackTable table = BuildStackTable(profiles, wording, choice);
  return Writer(profiles, choice, table).Write(PprofComments(profiles, choice, tool));
}

}  // namespace heaptally::exporters
