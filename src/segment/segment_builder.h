// Makes segments in memory, for tests and for the fuzzer's corpus: what an agent could have left, and, since everything
// may be changed before Build(), what it never should.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "sampling/peak_halves.h"
#include "segment/layout.h"

namespace heaptally::segment {

class SegmentBuilder {
 public:
  struct Image {
    ImageHeader header = {};
    std::vector<Node> nodes;
    std::vector<Module> modules;
    std::vector<ExactSite> exact_sites;
    std::vector<SampledSite> sampled_sites;
    std::vector<ExactHistogram> exact_histograms;
    std::vector<SampledHistogram> sampled_histograms;
    std::vector<std::vector<SampleBucket>> pieces;
    std::vector<ExactSite> mapped_sites;
    std::vector<MappedRange> ranges;
    ImageState state = ImageState::kClaimed;
  };

  explicit SegmentBuilder(Mode mode) { AddImage(mode, Origin::kStart); }

  // Adds an image with site 0 ("other"), in bytes mode the undo copies and node 0.
  Image& AddImage(Mode mode, Origin origin) {
    Image& image = images.emplace_back();
    ImageHeader& its = image.header;
    its.magic = kImageMagic;
    its.header_bytes = kImageHeaderBytes;
    its.mode = mode;
    its.origin = origin;
    its.period_bytes = mode == Mode::kBytes ? 512u << 10 : 0;
    its.parent_image = origin == Origin::kStart ? static_cast<uint32_t>(images.size() - 1) : 0;
    image.nodes.push_back({});
    image.mapped_sites.resize(kFirstMappedId);
    image.mapped_sites[kMappedOtherId].head.flags = kSiteOther;
    SiteHead other = {};
    other.flags = kSiteOther;
    if (mode == Mode::kExact) {
      image.exact_sites.push_back({});
      image.exact_sites[0].head = other;
    } else {
      image.sampled_sites.resize(kFirstSiteId);
      image.sampled_sites[0].head = other;
      for (SampledSite& site : image.sampled_sites) site.smallest_sampled = UINT64_MAX;
    }
    return image;
  }

  static uint32_t AddNode(Image& image, uint32_t parent, uint32_t module_id_plus_1, uint64_t address) {
    image.nodes.push_back({parent, module_id_plus_1, address});
    return static_cast<uint32_t>(image.nodes.size() - 1);
  }

  static uint32_t AddModule(Image& image, const std::string& path) {
    Module module = {};
    module.map_start = 0x10000 * (image.modules.size() + 1);
    module.map_end = module.map_start + 0x10000;
    module.bias = module.map_start;
    module.build_id_bytes = 20;
    for (int i = 0; i < 20; ++i) module.build_id[i] = static_cast<uint8_t>(i + image.modules.size());
    std::strncpy(module.path, path.c_str(), sizeof module.path - 1);
    image.modules.push_back(module);
    return static_cast<uint32_t>(image.modules.size() - 1);
  }

  static uint32_t AddExactSite(Image& image, uint32_t node, Counts allocated, Counts freed) {
    ExactSite site = {};
    site.head.node = node;
    site.allocated = allocated;
    site.freed = freed;
    image.exact_sites.push_back(site);
    return static_cast<uint32_t>(image.exact_sites.size() - 1);
  }

  // A site of class mapped with one live range of `bytes` at `start`.
  static uint32_t AddMappedSite(Image& image, uint32_t node, uint64_t start, uint64_t bytes) {
    ExactSite site = {};
    site.head.node = node;
    site.head.memory_class = kClassMapped;
    site.allocated = {1, bytes};
    image.mapped_sites.push_back(site);
    const auto id = static_cast<uint32_t>(image.mapped_sites.size() - 1);
    const auto range = static_cast<uint32_t>(image.ranges.size());
    image.ranges.push_back({start, start + bytes, 0, range, id, range, 1, 0});
    return id;
  }

  // Adds a site without samples; Allocate() gives it some.
  static uint32_t AddSampledSite(Image& image, uint32_t node) {
    SampledSite site = {};
    site.head.node = node;
    site.smallest_sampled = UINT64_MAX;
    image.sampled_sites.push_back(site);
    return static_cast<uint32_t>(image.sampled_sites.size() - 1);
  }

  // Books one sample as the agent does.
  static void Allocate(Image& image, uint32_t site_id, uint64_t size, uint64_t period,
                       sampling::HalfMembership halves) {
    SampledSite& site = image.sampled_sites[site_id];
    site.allocated.Add(sampling::TermsOf(size, period));
    image.header.sampled_peak.AfterAlloc(site.peak, sampling::MakePeakSample(size, period, halves));
    if (size < site.smallest_sampled) site.smallest_sampled = size;
    if (period > site.largest_period) site.largest_period = period;
  }
  static void Free(Image& image, uint32_t site_id, uint64_t size, uint64_t period, sampling::HalfMembership halves,
                   uint64_t clock) {
    SampledSite& site = image.sampled_sites[site_id];
    image.header.sampled_peak.BeforeFree(site.peak, sampling::MakePeakSample(size, period, halves), clock);
    site.freed.Add(sampling::TermsOf(size, period));
  }

  // Lays everything out: a region with room for a few items of each kind, then slabs.
  std::vector<uint8_t> Build() {
    bytes_.assign(sizeof(FileHeader), 0);
    header.magic = kFileMagic;
    header.layout_version = kLayoutVersion;
    header.header_bytes = kPageBytes;
    header.image_count = static_cast<uint32_t>(images.size());
    for (size_t i = 0; i < images.size(); ++i) {
      header.images[i].state = static_cast<uint32_t>(images[i].state);
      header.images[i].page = static_cast<uint32_t>(Reserve(kImageHeaderBytes) / kPageBytes);
      Place(images[i], uint64_t{header.images[i].page} * kPageBytes);
    }
    header.file_bytes = header.next_free = bytes_.size();
    std::memcpy(bytes_.data(), &header, sizeof header);
    return bytes_;
  }

  FileHeader header = {};
  std::vector<Image> images;
  uint32_t root_capacity = 4;

 private:
  uint64_t Reserve(uint64_t size) {
    const uint64_t offset = bytes_.size();
    bytes_.resize(offset + (size + kPageBytes - 1) / kPageBytes * kPageBytes);
    return offset;
  }

  template <typename Item>
  void PlaceItems(ImageHeader& image, Kind kind, const std::vector<Item>& items) {
    const uint32_t k = static_cast<uint32_t>(kind), in_slab = kSlabBytes / sizeof(Item);
    KindDirectory& directory = image.kinds[k];
    directory.item_bytes = sizeof(Item);
    directory.root_capacity = root_capacity;
    directory.root_offset = Reserve(root_capacity * sizeof(Item));
    directory.count = static_cast<uint32_t>(items.size());
    for (size_t i = 0; i < items.size(); ++i) {
      uint64_t offset = directory.root_offset + i * sizeof(Item);
      if (i >= root_capacity) {
        const uint32_t slab = static_cast<uint32_t>((i - root_capacity) / in_slab);
        uint32_t& page = image.slab_page[kFirstSlab[k] + slab];
        if (slab == directory.slabs) {
          page = static_cast<uint32_t>(Reserve(kSlabBytes) / kPageBytes);
          ++directory.slabs;
        }
        offset = uint64_t{page} * kPageBytes + (i - root_capacity) % in_slab * sizeof(Item);
      }
      std::memcpy(bytes_.data() + offset, &items[i], sizeof(Item));
    }
  }

  void Place(Image& image, uint64_t region) {
    ImageHeader& own = image.header;
    if (own.mode == Mode::kExact) {
      PlaceItems(own, Kind::kSites, image.exact_sites);
      PlaceItems(own, Kind::kHistograms, image.exact_histograms);
    } else {
      PlaceItems(own, Kind::kSites, image.sampled_sites);
      PlaceItems(own, Kind::kHistograms, image.sampled_histograms);
    }
    PlaceItems(own, Kind::kNodes, image.nodes);
    PlaceItems(own, Kind::kModules, image.modules);
    PlaceItems(own, Kind::kMappedSites, image.mapped_sites);
    PlaceItems(own, Kind::kRanges, image.ranges);
    own.pieces = static_cast<uint32_t>(image.pieces.size());
    for (size_t i = 0; i < image.pieces.size(); ++i) {
      const uint64_t size = image.pieces[i].size() * sizeof(SampleBucket);
      own.piece[i] = {Reserve(size), image.pieces[i].size()};
      std::memcpy(bytes_.data() + own.piece[i].offset, image.pieces[i].data(), size);
    }
    std::memcpy(bytes_.data() + region, &own, sizeof own);
  }

  std::vector<uint8_t> bytes_;
};

}  // namespace heaptally::segment
