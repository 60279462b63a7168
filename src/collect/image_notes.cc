#include <string>

#include "collect/image_profile.h"
#include "segment/reader.h"

namespace heaptally::collect {
namespace {

using segment::Loss;

// Names of Loss, in its order; they are part of the contract of `report --json` (profile/loss_reasons.cc explains
// them).
constexpr const char* kLossKeys[] = {
    "site-table-full",   "stack-reentry",      "sample-table-full", "lock-timeout",
    "lock-reentry",      "live-table-full",    "histogram-full",    "module-table-full",
    "segment-full",      "child-not-recorded", "child-events",      "stack-cut-depth",
    "stack-cut-no-rule", "stack-cut-memory",   "lost-release",      "arena-exhausted",
    "mapping-missed",    "range-table-full",
};
static_assert(std::size(kLossKeys) == static_cast<size_t>(Loss::kCount));

void AddLoss(const char* key, uint64_t events, profile::Profile* profile) {
  if (events != 0) profile->loss[key] += events;
}

void AddFlagNotes(uint32_t flags, std::vector<std::string>* notes) {
  if ((flags & segment::kImageFlagCoarseTime) != 0) {
    notes->push_back("The program may not read the time stamp counter, so lifetimes below 10 ms are not told apart.");
  }
  if ((flags & segment::kImageFlagInterposerBefore) != 0) {
    notes->push_back("Another object's malloc comes before heaptally's, so what goes through it is not seen.");
  }
  if ((flags & segment::kImageFlagOwnNew) != 0) {
    notes->push_back("The program's allocator brings its own operator new, which could not be hooked here (its pages may not be made "
        "writable): what `new` allocates is missing.");
  }
  if ((flags & segment::kImageFlagGrowthRefused) != 0) {
    notes->push_back(
        "The segment could not grow (disk or directory full, a resource limit, or its size cap); new call "
        "stacks are booked at their nearest known caller. Totals are right.");
  }
  if ((flags & segment::kImageFlagFewThreads) != 0) {
    notes->push_back("More threads than the agent's table holds: further ones were counted without batches.");
  }
}

constexpr const char* kNotFollowedWords[] = {
    "",
    "32-bit or for another processor",
    "statically linked",
    "setuid or setgid",
    "built with a sanitizer",
    "where the agent's file is not to be found (another root directory)",
    "without the agent, which was taken out of LD_PRELOAD",
};
static_assert(std::size(kNotFollowedWords) == static_cast<size_t>(segment::NotFollowed::kCount));

void AddUnfollowed(const segment::ImageHeader& header, profile::Profile* profile) {
  for (const segment::UnfollowedProgram& program : header.unfollowed) {
    if (program.reason == 0 || program.reason >= std::size(kNotFollowedWords) || program.times == 0) continue;
    profile->unfollowed.push_back({.path = segment::FieldText(program.path, sizeof(program.path)),
                                   .why = kNotFollowedWords[program.reason],
                                   .times = program.times,
                                   .pid = program.pid});
    profile->notes.push_back("Not recorded: " + profile::Words(profile->unfollowed.back()));
  }
  if (header.unfollowed_others != 0) {
    profile->notes.push_back("Not recorded: " + std::to_string(header.unfollowed_others) +
                             " more executions of programs that the agent does not reach");
  }
}

uint64_t TornSites(const segment::RawImage& image) {
  uint64_t torn = 0;
  for (const uint8_t mark : image.torn) torn += mark;
  return torn;
}

}  // namespace

void AddLossAndNotes(const segment::RawImage& image, bool running, profile::Profile* profile) {
  for (size_t i = 0; i < std::size(kLossKeys); ++i) AddLoss(kLossKeys[i], image.header.loss[i], profile);
  AddLoss("damaged-records", image.damaged, profile);
  AddLoss("torn-sites", TornSites(image), profile);
  if (image.stalled && !running) AddLoss("event-cut-by-death", 1, profile);
  std::vector<std::string>& notes = profile->notes;
  AddFlagNotes(image.header.image_flags, &notes);
  if (image.index == 0) AddUnfollowed(image.header, profile);
  if (running && !image.one_cut) {
    notes.push_back(
        "The process went on while it was read: each site is consistent, but they are not all of one moment.");
  }
  if (running && image.peak_moved) {
    notes.push_back("The peak moved while the sites were read: their values at the peak do not add up exactly.");
  }
  if (image.stalled && running) {
    notes.push_back("The process stands still in the middle of an event; the state before it is shown.");
  }
  if (image.header.origin == segment::Origin::kRawClone) {
    notes.push_back(kRawCloneNote);
  }
}

}  // namespace heaptally::collect
