// What the reader hands out: one image's records as they stand in the segment, checked, but not yet interpreted.
//
// Checked means: every id in here may be used as an index without another look. nodes[i].parent < i (node 0 is the root
// and has no frame), no stack is deeper than kMaxDepth, sites[i].head.node < nodes.size(), histogram ids (+1) are at
// most the number of histograms. Whatever broke these rules was cut off and is counted in `damaged`. Contents (sums,
// times, module ids) are as the writer left them.
#pragma once

#include <cstdint>
#include <vector>

#include "segment/layout.h"

namespace heaptally::segment {

inline constexpr uint32_t kMaxDepth = 513;  // 512 frames, and room for one that marks a cut

struct LiveSample {
  uint64_t address = 0;  // 0: inside a real realloc
  Sample sample = {};
};

struct RawImage {
  uint32_t index = 0;  // in FileHeader::images
  ImageHeader header = {};
  std::vector<ExactSite> exact_sites;      // Mode::kExact
  std::vector<SampledSite> sampled_sites;  // Mode::kBytes; item kSiteUndoId is left zero
  std::vector<uint8_t> torn;               // by site: 1 = changed while it was read, each time
  std::vector<Node> nodes;
  std::vector<ExactHistogram> exact_histograms;
  std::vector<SampledHistogram> sampled_histograms;
  std::vector<Module> modules;
  std::vector<LiveSample> samples;  // live ones; Mode::kBytes
  std::vector<ExactSite> mapped_sites;  // class mapped; every mode
  std::vector<uint8_t> mapped_torn;     // as `torn`
  std::vector<MappedRange> ranges;      // what is mapped: start < end, site < mapped_sites.size(); not in order

  bool one_cut = false;         // all sites are of one moment
  bool peak_moved = false;      // the peak changed while the sites were read, each time
  bool stalled = false;         // bytes: the writer stopped inside an event; the state before it is given
  uint64_t damaged = 0;         // records cut off because they point nowhere
  uint64_t unread_samples = 0;  // live samples that changed while they were read, each time
  uint64_t extent_bytes = 0;    // of the file, used by this image

  size_t site_count() const { return exact_sites.empty() ? sampled_sites.size() : exact_sites.size(); }
};

}  // namespace heaptally::segment
