#include "collect/name_frames.h"

#include <map>
#include <string>

#include "collect/nameless_notes.h"
#include "symbols/symbolizer.h"

namespace heaptally::collect {
namespace {

profile::SourceFrame Named(const symbols::Frame& frame) {
  return {
      .function = frame.function, .file = frame.file, .line = frame.line, .inlined = frame.inlined, .why = frame.why};
}

// Names the frames of one profile. Modules and perf maps are added to the symbolizer as frames need them.
class Namer {
 public:
  Namer(symbols::Symbolizer* symbolizer, const KeptModules& kept, profile::Profile* profile)
      : symbolizer_(symbolizer), kept_(kept), profile_(profile) {}

  std::vector<profile::SourceFrame> Name(const profile::Frame& frame) {
    std::vector<profile::SourceFrame> sources;
    const bool in_module = frame.module < profile_->modules.size();
    if (!in_module && PerfMap() == kNone) {
      sources.push_back({.why = "generated code: the address lies in no module, and the process has no perf map"});
      return sources;
    }
    const uint32_t id = in_module ? IdOf(frame.module) : PerfMap();
    for (const symbols::Frame& named : symbolizer_->Lookup(id, frame.address, !frame.exact_pc)) {
      sources.push_back(Named(named));
    }
    return sources;
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  uint32_t IdOf(uint32_t index) {
    const auto [at, added] = ids_.try_emplace(index, 0);
    if (!added) return at->second;
    profile::Module& module = profile_->modules[index];
    const ModuleSource source = kept_.SourceOf(*profile_, module);
    module.path = source.path;
    return at->second = symbolizer_->AddModule({.path = source.path,
                                                .build_id_hex = module.build_id,
                                                .root_prefix = source.root_prefix,
                                                .open_path = source.open_path,
                                                .why_not = source.why_not});
  }

  uint32_t PerfMap() {
    if (asked_) return perf_map_;
    asked_ = true;
    const std::string path = kept_.PerfMapOf(*profile_);
    if (!path.empty()) perf_map_ = symbolizer_->AddPerfMap(path);
    return perf_map_;
  }

  symbols::Symbolizer* symbolizer_;
  const KeptModules& kept_;
  profile::Profile* profile_;
  std::map<uint32_t, uint32_t> ids_;  // index in modules -> the symbolizer's id
  bool asked_ = false;
  uint32_t perf_map_ = kNone;
};

}  // namespace

void NameFrames(std::vector<profile::Profile>* profiles, const KeptModules& kept,
                const std::function<void(size_t done, size_t all)>& progress) {
  size_t all = 0, done = 0;
  for (const profile::Profile& profile : *profiles) all += profile.frames.size();
  symbols::Symbolizer symbolizer;
  for (profile::Profile& profile : *profiles) {
    Namer namer(&symbolizer, kept, &profile);
    profile.sources.clear();
    for (const profile::Frame& frame : profile.frames) {
      if (progress) progress(done, all);
      ++done;
      profile.sources.push_back(namer.Name(frame));
    }
    NoteNamelessModules(&profile);
  }
}

}  // namespace heaptally::collect
