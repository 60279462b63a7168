#include "collect/name_frames.h"

#include <sys/stat.h>

#include <map>
#include <string>

#include "symbols/symbolizer.h"

namespace heaptally::collect {
namespace {

// "/proc/PID/root" if the process sees other files than we do, else "".
std::string RootOf(const profile::Profile& profile) {
  if (profile.state != profile::State::kRunning || profile.pid == 0) return "";
  const std::string process = "/proc/" + std::to_string(profile.pid);
  struct stat ours {
  }, theirs{}, our_root{}, their_root{};
  const bool known = stat("/proc/self/ns/mnt", &ours) == 0 && stat((process + "/ns/mnt").c_str(), &theirs) == 0 &&
                     stat("/", &our_root) == 0 && stat((process + "/root/.").c_str(), &their_root) == 0;
  if (!known) return "";
  const bool same =
      ours.st_ino == theirs.st_ino && our_root.st_ino == their_root.st_ino && our_root.st_dev == their_root.st_dev;
  return same ? "" : process + "/root";
}

profile::SourceFrame Named(const symbols::Frame& frame) {
  return {
      .function = frame.function, .file = frame.file, .line = frame.line, .inlined = frame.inlined, .why = frame.why};
}

void NameOne(symbols::Symbolizer* symbolizer, profile::Profile* profile, const std::function<void()>& tick) {
  const std::string root = RootOf(*profile);
  std::map<uint32_t, uint32_t> module_ids;
  profile->sources.assign(profile->frames.size(), {});
  for (size_t index = 0; index < profile->frames.size(); ++index) {
    tick();
    const profile::Frame& frame = profile->frames[index];
    std::vector<profile::SourceFrame>& sources = profile->sources[index];
    if (frame.module >= profile->modules.size()) {
      sources.push_back({.why = "the address lies in no known module"});
      continue;
    }
    const profile::Module& module = profile->modules[frame.module];
    const auto [at, added] = module_ids.try_emplace(frame.module, 0);
    if (added)
      at->second = symbolizer->AddModule({.path = module.path, .build_id_hex = module.build_id, .root_prefix = root});
    for (const symbols::Frame& named : symbolizer->Lookup(at->second, frame.address, !frame.exact_pc)) {
      sources.push_back(Named(named));
    }
  }
}

}  // namespace

void NameFrames(std::vector<profile::Profile>* profiles, const std::function<void(size_t done, size_t all)>& progress) {
  size_t all = 0, done = 0;
  for (const profile::Profile& profile : *profiles) all += profile.frames.size();
  symbols::Symbolizer symbolizer;
  for (profile::Profile& profile : *profiles) {
    NameOne(&symbolizer, &profile, [&] {
      if (progress) progress(done, all);
      ++done;
    });
  }
}

}  // namespace heaptally::collect
