#include "store/series.h"

#include <algorithm>
#include <cstring>

#include "base/hash.h"
#include "store/profile_blobs.h"

namespace heaptally::store {
namespace {

using profile::Profile;

// Of two snapshots of one image, the parts of the facts that come first (who it is) are the same.
std::string PackStep(const std::string& before, const std::string& now) {
  const size_t most = std::min(before.size(), now.size());
  const auto same = static_cast<size_t>(std::mismatch(now.begin(), now.begin() + static_cast<ptrdiff_t>(most), before.begin()).first -
                                        now.begin());
  Packer packer;
  packer.Number(same);
  packer.Append(std::string_view(now).substr(same));
  return packer.bytes();
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

// From one snapshot to the next, in the two moments' time.
int64_t NsBetween(uint64_t before, uint64_t now) { return before == 0 ? 0 : static_cast<int64_t>(now - before); }

}  // namespace

uint64_t SealOf(uint64_t seal_before, uint64_t moment, const SnapshotBlobs& blobs) {
  uint64_t seal = base::HashCombine(seal_before, moment);
  for (const std::string_view blob : {blobs.facts, blobs.modules, blobs.frames, blobs.names, blobs.sites})
    seal = Mix(seal, blob);
  return seal >> 1;  // SQLite's integers are signed
}

uint64_t SealOfWhole(std::string_view facts, std::string_view modules, std::string_view frames, std::string_view sites) {
  return Mix(Mix(Mix(Mix(0, facts), modules), frames), sites) >> 1;
}

bool ApplyFacts(std::string_view blob, std::string* facts) {
  Unpacker unpacker(blob);
  const uint64_t same = unpacker.Below(facts->size() + 1);
  facts->resize(same);
  facts->append(unpacker.rest());
  return unpacker.ok();
}

bool Apply(const SnapshotBlobs& blobs, SeriesState* state) {
  const uint64_t before = state->last.taken_unix_ns;
  if (!ApplyFacts(blobs.facts, &state->facts)) return false;
  Profile facts;
  if (!UnpackFacts(state->facts, &facts)) return false;
  facts.modules = std::move(state->last.modules);
  facts.frames = std::move(state->last.frames);
  facts.sites = std::move(state->last.sites);
  state->last = std::move(facts);
  return UnpackModules(blobs.modules, &state->last.modules) && UnpackFrames(blobs.frames, &state->last.frames) &&
         ApplyNames(blobs.names, state->last.frames.size(), state) &&
         UnpackSites(blobs.sites, NsBetween(before, state->last.taken_unix_ns), state);
}

bool ApplyNames(std::string_view names, uint64_t frames, SeriesState* state) {
  return UnpackNames(names, frames, &state->names);
}

uint64_t FramesIn(std::string_view frames) { return Unpacker(frames).Count(); }

Profile ProfileOf(const SeriesState& state) {
  Profile profile = state.last;
  profile.sources = state.names;
  if (!profile.sources.empty()) profile.sources.resize(profile.frames.size());
  return profile;
}

// ------------------------------------------------------------------------------------------------------------- packing

struct SeriesPacker::Dictionaries {
  struct FrameHash {
    size_t operator()(const profile::Frame& frame) const {
      return base::HashCombine(base::HashCombine(frame.exact_pc ? 1 : 2, frame.module), frame.address);
    }
  };

  SiteDictionaries sites;
  std::unordered_map<profile::Frame, uint32_t, FrameHash> frames;
  std::vector<bool> named;  // by frame

  explicit Dictionaries(const SeriesState& state);
  std::vector<uint32_t> AddModules(const Profile& profile, std::vector<profile::Module>* modules,
                                   std::vector<uint32_t>* unloaded) const;
  std::vector<uint32_t> AddFrames(const Profile& profile, const std::vector<uint32_t>& module_numbers,
                                  std::vector<profile::Frame>* all);
  std::string AddNames(const Profile& profile, const std::vector<uint32_t>& frame_numbers);
};

SeriesPacker::Dictionaries::Dictionaries(const SeriesState& state) {
  for (const std::string& word : state.words) sites.words.AddKnown(word);
  for (const Range& range : state.ranges) sites.ranges.AddKnown(range);
  for (size_t i = 1; i < state.nodes.size(); ++i) sites.tree.AddKnown(state.nodes[i].parent, state.nodes[i].frame);
  for (uint32_t i = 0; i < state.last.frames.size(); ++i) frames.try_emplace(state.last.frames[i], i);
  for (const auto& sources : state.names) named.push_back(!sources.empty());
}

// An image's modules are only ever added to, so most have their old number. One loaded twice at a place is two.
std::vector<uint32_t> SeriesPacker::Dictionaries::AddModules(const Profile& profile, std::vector<profile::Module>* modules,
                                                             std::vector<uint32_t>* unloaded) const {
  const auto same = [](const profile::Module& a, const profile::Module& b) {
    return a.path == b.path && a.build_id == b.build_id && a.map_start == b.map_start && a.map_end == b.map_end &&
           a.bias == b.bias && (b.unloaded || !a.unloaded);
  };
  std::vector<uint32_t> numbers;
  const size_t old = modules->size();
  for (uint32_t i = 0; i < profile.modules.size(); ++i) {
    const profile::Module& module = profile.modules[i];
    size_t at = i;
    if (at >= old || !same((*modules)[at], module)) {
      at = static_cast<size_t>(std::find_if(modules->begin(), modules->begin() + static_cast<ptrdiff_t>(old),
                                            [&](const auto& known) { return same(known, module); }) -
                               modules->begin());
    }
    if (at >= old) {
      at = modules->size();
      modules->push_back(module);
    } else if (module.unloaded && !(*modules)[at].unloaded) {
      unloaded->push_back(static_cast<uint32_t>(at));
    }
    numbers.push_back(static_cast<uint32_t>(at));
  }
  return numbers;
}

// The first snapshot's frames keep their numbers.
std::vector<uint32_t> SeriesPacker::Dictionaries::AddFrames(const Profile& profile,
                                                            const std::vector<uint32_t>& module_numbers,
                                                            std::vector<profile::Frame>* all) {
  std::vector<uint32_t> numbers;
  const bool first = all->empty();
  for (profile::Frame frame : profile.frames) {
    frame.module = frame.module < module_numbers.size() ? module_numbers[frame.module] : profile::kNoModule;
    const auto [at, added] = frames.try_emplace(frame, all->size());
    if (added || first) all->push_back(frame);
    numbers.push_back(first ? static_cast<uint32_t>(all->size() - 1) : at->second);
  }
  return numbers;
}

std::string SeriesPacker::Dictionaries::AddNames(const Profile& profile, const std::vector<uint32_t>& frame_numbers) {
  std::vector<NamedFrame> fresh;
  for (size_t i = 0; i < std::min(profile.sources.size(), frame_numbers.size()); ++i) {
    const uint32_t number = frame_numbers[i];
    if (named.size() <= number) named.resize(number + 1);
    if (named[number] || profile.sources[i].empty()) continue;
    named[number] = true;
    fresh.push_back({number, &profile.sources[i]});
  }
  std::sort(fresh.begin(), fresh.end(), [](const auto& a, const auto& b) { return a.frame < b.frame; });
  return PackNames(fresh);
}

SeriesPacker::SeriesPacker(SeriesState state) : state_(std::move(state)), known_(std::make_unique<Dictionaries>(state_)) {
  state_.names.clear();  // `named` says what is known
}
SeriesPacker::~SeriesPacker() = default;
SeriesPacker::SeriesPacker(SeriesPacker&&) noexcept = default;

PackedSnapshot SeriesPacker::Next(const Profile& profile) {
  PackedSnapshot packed;
  packed.facts = PackStep(state_.facts, PackFacts(profile));
  std::vector<profile::Module> modules = state_.last.modules;
  std::vector<uint32_t> unloaded;
  const std::vector<uint32_t> module_numbers = known_->AddModules(profile, &modules, &unloaded);
  packed.modules = PackModules(modules, state_.last.modules.size(), unloaded);
  std::vector<profile::Frame> frames = state_.last.frames;
  const std::vector<uint32_t> frame_numbers = known_->AddFrames(profile, module_numbers, &frames);
  packed.frames = PackFrames(frames, state_.last.frames.size());
  packed.names = known_->AddNames(profile, frame_numbers);
  std::vector<profile::Site> sites = profile.sites;
  for (profile::Site& site : sites) {
    std::erase_if(site.frames, [&](uint32_t frame) { return frame >= frame_numbers.size(); });
    for (uint32_t& frame : site.frames) frame = frame_numbers[frame];
    std::sort(site.live_samples.begin(), site.live_samples.end());
  }
  packed.sites = PackSites(state_.last.sites, sites, NsBetween(state_.last.taken_unix_ns, profile.taken_unix_ns),
                           &known_->sites);
  // The reader's own steps, so that what follows is relative to what the reader will have.
  SnapshotBlobs blobs = packed.Blobs();
  blobs.names = {};
  Apply(blobs, &state_);
  return packed;
}

}  // namespace heaptally::store
