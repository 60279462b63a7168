// From one image's raw records to the model: pure conversion, no look at the world. snapshot.h gathers what it needs.
#pragma once

#include <vector>

#include "collect/clock_scale.h"
#include "profile/profile.h"
#include "segment/raw_image.h"

namespace heaptally::segment {
class Segment;
}

namespace heaptally::collect {

// Ids of a profile's sites of class mapped begin here: they are items of another kind, with numbers of their own.
inline constexpr uint32_t kFirstMappedSite = 1u << 24;

// What the records do not say by themselves.
struct ImageContext {
  std::vector<segment::Module> modules;  // by module id: inherited ones first
  ClockScale scale;
  uint64_t end_clock = 0;  // the moment of the snapshot, or of the process's end, in clock units
  bool running = true;
};

// Modules, frames, sites, totals, peak, loss and notes. Identity, state and time are left to the caller.
profile::Profile ProfileOf(const segment::RawImage& image, const ImageContext& context);

// The latest moment of which the image knows: no later than the end of a dead process, for which nobody else knows
// better.
uint64_t LatestClock(const segment::RawImage& image);

// Modules by id: the ancestors' first, down to the image's own. Chains are bounded by the number of images.
std::vector<segment::Module> ModulesOf(const segment::Segment& segment, const segment::RawImage& image);

// ---- parts, each in a file of its own

// Distinct frames, and each site's frames innermost first; `heads` are those of profile->sites (image_stacks.cc).
void ConvertStacks(const segment::RawImage& image, const std::vector<segment::Module>& modules,
                   const std::vector<const segment::SiteHead*>& heads, profile::Profile* profile);

// Histograms of one site (image_histograms.cc). A first class is not stored: it is the total minus what the chain
// holds.
struct Histograms {
  std::vector<profile::Bucket> sizes;
  std::vector<profile::Bucket> lifetimes_ns;
};
Histograms HistogramsOf(const segment::RawImage& image, const segment::ExactSite& site, const ClockScale& scale);
Histograms HistogramsOf(const segment::RawImage& image, const segment::SampledSite& site, const ClockScale& scale);

// Loss and notes (image_notes.cc).
void AddLossAndNotes(const segment::RawImage& image, bool running, profile::Profile* profile);
// What `heaptally set --pause` kept out of the numbers (image_pauses.cc). `end_unix_ns`: of what the image tells.
void AddPauses(const segment::ImageHeader& header, uint64_t end_unix_ns, bool running, profile::Profile* profile);

// The note of an image whose pid the agent could not ask for.
inline constexpr const char* kRawCloneNote = "A child made without fork handlers (raw clone): its process id is not known.";

}  // namespace heaptally::collect
