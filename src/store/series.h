// The snapshots of one image, packed one after the other: what they share (modules, frames, names, stacks) stands once,
// in the snapshot that met it first, and of the sites only those that changed stand in each. docs/capture.md has the
// grammar.
//
// A series can be read up to any of its snapshots, and be gone on with after its last one.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profile/profile.h"
#include "store/dictionaries.h"
#include "store/packing.h"

namespace heaptally::store {

// One snapshot. Views into a row of the file, or into PackedSnapshot.
struct SnapshotBlobs {
  std::string_view facts;
  std::string_view modules;
  std::string_view frames;
  std::string_view names;
  std::string_view sites;
};

struct PackedSnapshot {
  std::string facts, modules, frames, names, sites;
  SnapshotBlobs Blobs() const { return {facts, modules, frames, names, sites}; }
};

// What proves that blobs are as they were written, and all of those before them (`seal_before` is theirs; 0: none). Not
// against forgery.
uint64_t SealOf(uint64_t seal_before, uint64_t moment, const SnapshotBlobs& blobs);
// In formats 1 and 2 a snapshot had four blobs and stood alone.
uint64_t SealOfWhole(std::string_view facts, std::string_view modules, std::string_view frames, std::string_view sites);

struct StackNode {
  uint32_t parent = 0;
  uint32_t frame = 0;
  uint32_t depth = 0;
};

// What the reader of a series knows after some of its snapshots.
struct SeriesState {
  profile::Profile last;  // all but the names; its tables hold what all snapshots so far had
  std::vector<std::vector<profile::SourceFrame>> names;  // by frame; of those that were named so far
  std::vector<std::string> words;                        // memory classes, reasons of cut stacks
  std::vector<Range> ranges;
  std::vector<StackNode> nodes = std::vector<StackNode>(1);
  std::string facts;
  uint64_t site_frames = 0;  // of all stacks ever unpacked: bounds the work that a damaged file can ask for
};

// Goes on by one snapshot. Returns false iff a blob is damaged; *state is then of no use.
bool Apply(const SnapshotBlobs& blobs, SeriesState* state);

// The facts alone: from those of the snapshot before ("" before the first) to those of this one.
bool ApplyFacts(std::string_view blob, std::string* facts);

// Takes the names alone: those of a later snapshot serve earlier ones. `frames`: how many there are up to that snapshot.
bool ApplyNames(std::string_view names, uint64_t frames, SeriesState* state);
// How many frames a snapshot adds.
uint64_t FramesIn(std::string_view frames);

// The last snapshot as a whole profile.
profile::Profile ProfileOf(const SeriesState& state);

// Packs snapshots that follow those in `state`.
class SeriesPacker {
 public:
  explicit SeriesPacker(SeriesState state = {});
  ~SeriesPacker();
  SeriesPacker(SeriesPacker&&) noexcept;

  // `profile`'s site ids are those of the image. Ages and ranges of lifetimes are kept within 1 ms and 1 in 256.
  PackedSnapshot Next(const profile::Profile& profile);

 private:
  struct Dictionaries;
  SeriesState state_;
  std::unique_ptr<Dictionaries> known_;
};

// ---- parts (sites_blob.cc)

struct SiteDictionaries {
  TextNumbers words;
  RangeNumbers ranges;
  StackTree tree;
};

// `sites`: with frames as numbers of the series. `taken_before`, `taken`: when the two snapshots were taken.
std::string PackSites(const std::vector<profile::Site>& before, const std::vector<profile::Site>& sites,
                      int64_t ns_between, SiteDictionaries* known);
bool UnpackSites(std::string_view blob, int64_t ns_between, SeriesState* state);
// Formats 1 and 2: one whole snapshot.
bool UnpackWholeSites(std::string_view blob, SeriesState* state);

}  // namespace heaptally::store
