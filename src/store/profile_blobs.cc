#include "store/profile_blobs.h"

#include <cstring>
#include <unordered_map>

#include "base/hash.h"

namespace heaptally::store {
namespace {

using profile::Profile;

// One list of fields for both directions, so that they cannot drift apart. A Packing field is written, an Unpacking
// read.
class Packing {
 public:
  void operator()(const std::string& text) { packer.Text(text); }
  void operator()(uint64_t number) { packer.Number(number); }
  void operator()(uint32_t number) { packer.Number(number); }
  void operator()(int32_t number) { packer.Signed(number); }
  void operator()(bool flag) { packer.Number(flag ? 1 : 0); }
  void operator()(profile::State state) { packer.Number(static_cast<uint64_t>(state)); }
  void operator()(const profile::Measures& measures) { PackMeasures(measures, &packer); }
  template <typename Value>
  void operator()(const std::optional<Value>& value) {
    packer.Number(value ? 1 : 0);
    if (value) (*this)(*value);
  }
  template <typename Value>
  void operator()(const std::vector<Value>& values) {
    packer.Number(values.size());
    for (const Value& value : values) (*this)(value);
  }
  void operator()(const std::map<std::string, uint64_t>& values) {
    packer.Number(values.size());
    for (const auto& [key, value] : values) {
      (*this)(key);
      (*this)(value);
    }
  }
  Packer packer;
};

class Unpacking {
 public:
  explicit Unpacking(std::string_view bytes) : unpacker(bytes) {}
  void operator()(std::string& text) { text = unpacker.Text(); }
  void operator()(uint64_t& number) { number = unpacker.Number(); }
  void operator()(uint32_t& number) { number = static_cast<uint32_t>(unpacker.Below(uint64_t{1} << 32)); }
  void operator()(int32_t& number) { number = static_cast<int32_t>(unpacker.Signed()); }
  void operator()(bool& flag) { flag = unpacker.Below(2) != 0; }
  void operator()(profile::State& state) { state = static_cast<profile::State>(unpacker.Below(5)); }
  void operator()(profile::Measures& measures) { measures = UnpackMeasures(&unpacker); }
  template <typename Value>
  void operator()(std::optional<Value>& value) {
    value.reset();
    if (unpacker.Below(2) != 0) (*this)(value.emplace());
  }
  template <typename Value>
  void operator()(std::vector<Value>& values) {
    for (uint64_t count = unpacker.Count(); count > 0 && unpacker.ok(); --count) (*this)(values.emplace_back());
  }
  void operator()(std::map<std::string, uint64_t>& values) {
    for (uint64_t count = unpacker.Count(); count > 0 && unpacker.ok(); --count) {
      std::string key;
      (*this)(key);
      (*this)(values[key]);
    }
  }
  Unpacker unpacker;
};

// Any new field goes to the end: older files then lack it (a new user_version says so).
template <typename Visitor, typename SomeProfile>
void VisitFacts(Visitor& visit, SomeProfile& p) {
  visit(p.pid), visit(p.parent_pid), visit(p.image), visit(p.exe), visit(p.argv), visit(p.host), visit(p.layer);
  visit(p.mode), visit(p.period_bytes), visit(p.origin), visit(p.started_unix_ns), visit(p.taken_unix_ns);
  visit(p.state), visit(p.exit.status), visit(p.exit.signal), visit(p.exit.oom), visit(p.totals);
  visit(p.peak_moments_unix_ns), visit(p.peak_batch_bytes), visit(p.threads);
  auto& c = p.coverage;
  visit(c.rss_bytes), visit(c.allocator_kept_bytes), visit(c.mapped_resident_bytes), visit(c.stacks_bytes);
  visit(c.files_bytes), visit(c.own_bytes), visit(c.unexplained_bytes), visit(c.as_of_unix_ns);
  visit(p.unattributed_objects), visit(p.unattributed_bytes), visit(p.unknown_frees), visit(p.inherited_bytes);
  visit(p.loss), visit(p.notes), visit(p.own_bytes);
}

template <typename Visitor, typename SomeModule>
void VisitModule(Visitor& visit, SomeModule& module) {
  visit(module.path), visit(module.build_id), visit(module.map_start), visit(module.map_end), visit(module.bias);
  visit(module.unloaded);
}

std::string PackModules(const Profile& profile) {
  Packing packing;
  packing.packer.Number(profile.modules.size());
  for (const profile::Module& module : profile.modules) VisitModule(packing, module);
  return packing.packer.bytes();
}

bool UnpackModules(std::string_view blob, Profile* profile) {
  Unpacking unpacking(blob);
  for (uint64_t count = unpacking.unpacker.Count(); count > 0 && unpacking.unpacker.ok(); --count) {
    VisitModule(unpacking, profile->modules.emplace_back());
  }
  return unpacking.unpacker.done();
}

// Numbers for texts that occur again and again: functions and files.
class TextNumbers {
 public:
  uint64_t Of(const std::string& text) {
    const auto [at, added] = numbers_.try_emplace(text, numbers_.size());
    if (added) texts_.Text(text);
    return at->second;
  }
  size_t count() const { return numbers_.size(); }
  const std::string& bytes() const { return texts_.bytes(); }

 private:
  std::unordered_map<std::string, uint64_t> numbers_;
  Packer texts_;
};

void PackSource(const profile::SourceFrame& source, TextNumbers* texts, Packer* packer) {
  packer->Number(texts->Of(source.function) << 1 | (source.inlined ? 1 : 0));
  packer->Number(texts->Of(source.file));
  packer->Number(source.line);
  packer->Number(texts->Of(source.why));
}

// texts, frames (module, address as a step from the last one of any module, exact), sources by frame.
std::string PackFrames(const Profile& profile) {
  TextNumbers texts;
  Packer body;
  uint64_t last = 0;
  body.Number(profile.frames.size());
  for (const profile::Frame& frame : profile.frames) {
    body.Number(uint64_t{frame.module + 1} << 1 | (frame.exact_pc ? 1 : 0));
    body.Signed(static_cast<int64_t>(frame.address - last));
    last = frame.address;
  }
  body.Number(profile.sources.size());
  for (const auto& sources : profile.sources) {
    body.Number(sources.size());
    for (const profile::SourceFrame& source : sources) PackSource(source, &texts, &body);
  }
  Packer whole;
  whole.Number(texts.count());
  return whole.bytes() + texts.bytes() + body.bytes();
}

void UnpackSources(const std::vector<std::string>& texts, Unpacker* unpacker, Profile* profile) {
  const auto text = [&]() -> std::string {
    const uint64_t number = unpacker->Below(texts.size());
    return unpacker->ok() ? texts[number] : "";
  };
  for (uint64_t count = unpacker->Count(); count > 0 && unpacker->ok(); --count) {
    auto& sources = profile->sources.emplace_back();
    for (uint64_t inner = unpacker->Count(); inner > 0 && unpacker->ok(); --inner) {
      profile::SourceFrame& source = sources.emplace_back();
      const uint64_t function = unpacker->Below(uint64_t{texts.size()} << 1);
      if (unpacker->ok()) source.function = texts[function >> 1];
      source.inlined = (function & 1) != 0;
      source.file = text();
      source.line = static_cast<uint32_t>(unpacker->Below(uint64_t{1} << 32));
      source.why = text();
    }
  }
}

bool UnpackFrames(std::string_view blob, Profile* profile) {
  Unpacker unpacker(blob);
  std::vector<std::string> texts;
  for (uint64_t count = unpacker.Count(); count > 0 && unpacker.ok(); --count) texts.push_back(unpacker.Text());
  uint64_t last = 0;
  for (uint64_t count = unpacker.Count(); count > 0 && unpacker.ok(); --count) {
    const uint64_t module = unpacker.Below(uint64_t{1} << 33);
    last += static_cast<uint64_t>(unpacker.Signed());
    profile->frames.push_back({static_cast<uint32_t>(module >> 1) - 1, last, (module & 1) != 0});
  }
  UnpackSources(texts, &unpacker, profile);
  return unpacker.done();
}

uint64_t Mix(uint64_t seed, std::string_view bytes) {
  seed = base::HashCombine(seed, bytes.size());
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    uint64_t word;
    std::memcpy(&word, bytes.data(), 8);
    seed = base::HashCombine(seed, word);
  }
  uint64_t word = 0;
  std::memcpy(&word, bytes.data(), bytes.size());
  return base::HashCombine(seed, word);
}

}  // namespace

ProfileBlobs Pack(const Profile& profile) {
  Packing facts;
  VisitFacts(facts, profile);
  return {facts.packer.bytes(), PackModules(profile), PackFrames(profile), PackSites(profile)};
}

bool Unpack(std::string_view facts, std::string_view modules, std::string_view frames, std::string_view sites,
            Profile* profile) {
  Unpacking unpacking(facts);
  *profile = {};
  VisitFacts(unpacking, *profile);
  return unpacking.unpacker.done() && UnpackModules(modules, profile) && UnpackFrames(frames, profile) &&
         UnpackSites(sites, profile);
}

uint64_t SealOf(std::string_view facts, std::string_view modules, std::string_view frames, std::string_view sites) {
  return Mix(Mix(Mix(Mix(0, facts), modules), frames), sites) >> 1;  // SQLite's integers are signed
}

}  // namespace heaptally::store
