#include "store/profile_blobs.h"

#include "store/measures_blob.h"


namespace heaptally::store {
namespace {

using profile::Profile;
using Names = std::vector<std::vector<profile::SourceFrame>>;

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
  void operator()(const profile::Amount& amount) { PackAmount(amount, &packer); }
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
  template <typename Key>
  void operator()(const std::map<Key, uint64_t>& values) {
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
  void operator()(profile::Amount& amount) { amount = UnpackAmount(&unpacker); }
  template <typename Value>
  void operator()(std::optional<Value>& value) {
    value.reset();
    if (unpacker.Below(2) != 0) (*this)(value.emplace());
  }
  template <typename Value>
  void operator()(std::vector<Value>& values) {
    for (uint64_t count = unpacker.Count(); count > 0 && unpacker.ok(); --count) (*this)(values.emplace_back());
  }
  template <typename Key>
  void operator()(std::map<Key, uint64_t>& values) {
    for (uint64_t count = unpacker.Count(); count > 0 && unpacker.ok(); --count) {
      Key key{};
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
  visit(p.mode), visit(p.mode == "count" || p.mode == "per-class" ? p.period_calls : p.period_bytes), visit(p.origin), visit(p.started_unix_ns), visit(p.taken_unix_ns);
  visit(p.state), visit(p.exit.status), visit(p.exit.signal), visit(p.exit.oom), visit(p.totals);
  visit(p.peak_moments_unix_ns), visit(p.peak_batch_bytes), visit(p.threads);
  auto& c = p.coverage;
  visit(c.rss_bytes), visit(c.allocator_kept_bytes), visit(c.mapped_resident_bytes), visit(c.stacks_bytes);
  visit(c.files_bytes), visit(c.own_bytes), visit(c.unexplained_bytes), visit(c.as_of_unix_ns);
  visit(p.unattributed_objects), visit(p.unattributed_bytes), visit(p.unknown_frees), visit(p.inherited_bytes);
  visit(p.loss), visit(p.notes), visit(p.own_bytes);
}

// What was added in format 3: not there in older files.
template <typename Visitor, typename SomeProfile>
void VisitAccount(Visitor& visit, SomeProfile& p) {
  visit(p.coverage.heap_resident_bytes), visit(p.coverage.heap_live), visit(p.coverage.resident_by_site);
}

template <typename Visitor, typename SomeModule>
void VisitModule(Visitor& visit, SomeModule& module) {
  visit(module.path), visit(module.build_id), visit(module.map_start), visit(module.map_end), visit(module.bias);
  visit(module.unloaded);
}

void PackSource(const profile::SourceFrame& source, TextNumbers* texts, Packer* packer) {
  packer->Number(texts->Of(source.function) << 1 | (source.inlined ? 1 : 0));
  packer->Number(texts->Of(source.file));
  packer->Number(source.line);
  packer->Number(texts->Of(source.why));
}

std::vector<std::string> UnpackTexts(Unpacker* unpacker) {
  std::vector<std::string> texts;
  for (uint64_t count = unpacker->Count(); count > 0 && unpacker->ok(); --count) texts.push_back(unpacker->Text());
  return texts;
}

void UnpackSources(const std::vector<std::string>& texts, Unpacker* unpacker,
                   std::vector<profile::SourceFrame>* sources) {
  const auto text = [&]() -> std::string {
    const uint64_t number = unpacker->Below(texts.size());
    return unpacker->ok() ? texts[number] : "";
  };
  for (uint64_t inner = unpacker->Count(); inner > 0 && unpacker->ok(); --inner) {
    profile::SourceFrame& source = sources->emplace_back();
    const uint64_t function = unpacker->Below(uint64_t{texts.size()} << 1);
    if (unpacker->ok()) source.function = texts[function >> 1];
    source.inlined = (function & 1) != 0;
    source.file = text();
    source.line = static_cast<uint32_t>(unpacker->Below(uint64_t{1} << 32));
    source.why = text();
  }
}

// A number, then frames: module, address as a step from the last one of any module.
void UnpackFrameList(Unpacker* unpacker, std::vector<profile::Frame>* frames) {
  uint64_t last = 0;
  for (uint64_t count = unpacker->Count(); count > 0 && unpacker->ok(); --count) {
    const uint64_t module = unpacker->Below(uint64_t{1} << 33);
    last += static_cast<uint64_t>(unpacker->Signed());
    frames->push_back({static_cast<uint32_t>(module >> 1) - 1, last, (module & 1) != 0});
  }
}

void UnpackModuleList(Unpacking* unpacking, std::vector<profile::Module>* modules) {
  for (uint64_t count = unpacking->unpacker.Count(); count > 0 && unpacking->unpacker.ok(); --count)
    VisitModule(*unpacking, modules->emplace_back());
}

}  // namespace

std::string PackFacts(const Profile& profile) {
  Packing facts;
  VisitFacts(facts, profile);
  VisitAccount(facts, profile);
  return facts.packer.bytes();
}

bool UnpackFacts(std::string_view facts, Profile* profile) {
  Unpacking unpacking(facts);
  VisitFacts(unpacking, *profile);
  if (!unpacking.unpacker.done()) VisitAccount(unpacking, *profile);
  return unpacking.unpacker.done();
}

std::string PackModules(const std::vector<profile::Module>& modules, size_t from, const std::vector<uint32_t>& unloaded) {
  Packing packing;
  packing.packer.Number(modules.size() - from);
  for (size_t i = from; i < modules.size(); ++i) VisitModule(packing, modules[i]);
  packing.packer.Number(unloaded.size());
  for (const uint32_t module : unloaded) packing.packer.Number(module);
  return packing.packer.bytes();
}

bool UnpackModules(std::string_view blob, std::vector<profile::Module>* modules) {
  Unpacking unpacking(blob);
  UnpackModuleList(&unpacking, modules);
  Unpacker& unpacker = unpacking.unpacker;
  for (uint64_t count = unpacker.Count(); count > 0 && unpacker.ok(); --count) {
    const uint64_t module = unpacker.Below(modules->size());
    if (unpacker.ok()) (*modules)[module].unloaded = true;
  }
  return unpacker.done();
}

std::string PackFrames(const std::vector<profile::Frame>& frames, size_t from) {
  Packer packer;
  uint64_t last = 0;
  packer.Number(frames.size() - from);
  for (size_t i = from; i < frames.size(); ++i) {
    packer.Number(uint64_t{frames[i].module + 1} << 1 | (frames[i].exact_pc ? 1 : 0));
    packer.Signed(static_cast<int64_t>(frames[i].address - last));
    last = frames[i].address;
  }
  return packer.bytes();
}

bool UnpackFrames(std::string_view blob, std::vector<profile::Frame>* frames) {
  Unpacker unpacker(blob);
  UnpackFrameList(&unpacker, frames);
  return unpacker.done();
}

// texts, then for each frame that is named here: its number as a step, its sources.
std::string PackNames(const std::vector<NamedFrame>& named) {
  if (named.empty()) return "";
  TextNumbers texts;
  Packer body;
  uint64_t last = 0;
  body.Number(named.size());
  for (const NamedFrame& one : named) {
    body.Number(one.frame - last);
    last = one.frame;
    body.Number(one.sources->size());
    for (const profile::SourceFrame& source : *one.sources) PackSource(source, &texts, &body);
  }
  return texts.TakeNew() + body.bytes();
}

bool UnpackNames(std::string_view blob, uint64_t frames, Names* names) {
  if (blob.empty()) return true;
  Unpacker unpacker(blob);
  const std::vector<std::string> texts = UnpackTexts(&unpacker);
  uint64_t frame = 0;
  for (uint64_t count = unpacker.Count(); count > 0 && unpacker.ok(); --count) {
    frame += unpacker.Below(frames);
    if (frame >= frames) unpacker.Fail();
    if (!unpacker.ok()) break;
    if (names->size() <= frame) names->resize(frame + 1);
    (*names)[frame].clear();
    UnpackSources(texts, &unpacker, &(*names)[frame]);
  }
  return unpacker.done();
}

bool UnpackWhole(std::string_view facts, std::string_view modules, std::string_view frames, Profile* profile,
                   Names* names) {
  Unpacking module_list(modules);
  UnpackModuleList(&module_list, &profile->modules);
  Unpacker unpacker(frames);
  const std::vector<std::string> texts = UnpackTexts(&unpacker);
  UnpackFrameList(&unpacker, &profile->frames);
  for (uint64_t count = unpacker.Count(); count > 0 && unpacker.ok(); --count)
    UnpackSources(texts, &unpacker, &names->emplace_back());
  return UnpackFacts(facts, profile) && module_list.unpacker.done() && unpacker.done();
}

}  // namespace heaptally::store
