#include "segment/reader.h"

#include <algorithm>
#include <cstring>
#include <unordered_set>

#include "segment/placement.h"
#include "segment/site_reader.h"

namespace heaptally::segment {
namespace {

constexpr uint32_t kBucketsAtOnce = 512;  // 224 KiB
constexpr int kBucketTries = 3;
constexpr int kImageTries = 3;  // a header that was read while it changed may not check out

// Cuts off what points nowhere: a node whose caller is not older than itself or whose stack is too deep becomes the
// outermost frame of its stack.
void CheckNodes(RawImage* image) {
  std::vector<uint16_t> depth(image->nodes.size(), 0);
  for (size_t i = 0; i < image->nodes.size(); ++i) {
    Node& node = image->nodes[i];
    const bool fine = i == 0 ? node.parent == 0 : node.parent < i && depth[node.parent] < kMaxDepth;
    if (!fine) {
      node.parent = 0;
      ++image->damaged;
    }
    depth[i] = i == 0 ? 0 : static_cast<uint16_t>(depth[node.parent] + 1);
  }
}

template <typename Histogram>
void CheckHistograms(std::vector<Histogram>* histograms, uint64_t* damaged) {
  for (Histogram& histogram : *histograms) {
    if (histogram.next <= histograms->size()) continue;
    histogram.next = 0;
    ++*damaged;
  }
}

void CheckHead(size_t nodes, size_t histograms, SiteHead* head, uint64_t* damaged) {
  const auto cut = [damaged](uint32_t* id, size_t limit) {
    if (*id < limit) return;
    *id = 0;
    ++*damaged;
  };
  cut(&head->node, std::max<size_t>(nodes, 1));
  cut(&head->size_histogram, histograms + 1);
  cut(&head->life_histogram, histograms + 1);
  if (head->first_size_class > kClasses || head->first_life_class > kClasses) {
    head->first_size_class = head->first_size_class > kClasses ? 0 : head->first_size_class;
    head->first_life_class = head->first_life_class > kClasses ? 0 : head->first_life_class;
    ++*damaged;
  }
}

void CheckExactSites(size_t nodes, size_t histograms, std::vector<ExactSite>* sites, std::vector<uint8_t>* torn,
                     uint64_t* damaged) {
  for (size_t i = 0; i < sites->size(); ++i) {
    ExactSite& site = (*sites)[i];
    CheckHead(nodes, histograms, &site.head, damaged);
    // The writer books an allocation before its release, so a whole copy can't have more of the latter.
    if (site.freed.objects > site.allocated.objects || site.freed.bytes > site.allocated.bytes) {
      (*torn)[i] = 1;
      site.freed.objects = std::min(site.freed.objects, site.allocated.objects);
      site.freed.bytes = std::min(site.freed.bytes, site.allocated.bytes);
    }
  }
}

void CheckRanges(std::vector<MappedRange>* ranges, size_t sites, uint64_t* damaged) {
  *damaged += std::erase_if(*ranges, [sites](const MappedRange& range) { return range.site >= sites; });
}

void CheckSites(RawImage* image) {
  const size_t histograms = std::max(image->exact_histograms.size(), image->sampled_histograms.size());
  CheckExactSites(image->nodes.size(), histograms, &image->exact_sites, &image->torn, &image->damaged);
  CheckExactSites(image->nodes.size(), 0, &image->mapped_sites, &image->mapped_torn, &image->damaged);
  for (SampledSite& site : image->sampled_sites) {
    CheckHead(image->nodes.size(), histograms, &site.head, &image->damaged);
  }
}

// One slot of the sample table as it stood in a bucket.
struct Slot {
  uint64_t number;
  SlotState state;
  LiveSample live;
};

void TakeSlots(const SampleBucket& bucket, const SampleBucket& again, uint64_t first_slot, std::vector<Slot>* slots,
               uint64_t* unread) {
  for (uint32_t i = 0; i < kSlotsPerBucket; ++i) {
    const auto state = static_cast<SlotState>(again.key[i] & 15);
    if (state != SlotState::kLive && state != SlotState::kTransit) continue;
    const bool same =
        bucket.key[i] == again.key[i] && std::memcmp(&bucket.sample[i], &again.sample[i], sizeof(Sample)) == 0;
    if (!same) {
      ++*unread;
      continue;
    }
    const uint64_t address = state == SlotState::kLive ? again.key[i] >> 4 : 0;
    slots->push_back({first_slot + i, state, {address, again.sample[i]}});
  }
}

// Reads a piece chunk by chunk, each twice: only slots that are equal in both copies are taken.
bool ReadPiece(const File& file, const PieceEntry& piece, uint64_t first_slot, std::vector<Slot>* slots,
               uint64_t* unread) {
  std::vector<SampleBucket> once(kBucketsAtOnce), twice(kBucketsAtOnce);
  for (uint64_t at = 0; at < piece.buckets; at += kBucketsAtOnce) {
    const uint64_t count = std::min<uint64_t>(kBucketsAtOnce, piece.buckets - at);
    const uint64_t offset = piece.offset + at * sizeof(SampleBucket), bytes = count * sizeof(SampleBucket);
    if (!file.ReadAt(offset, once.data(), bytes) || !file.ReadAt(offset, twice.data(), bytes)) return false;
    for (uint64_t i = 0; i < count; ++i) {
      for (int attempt = 1; attempt < kBucketTries && std::memcmp(&once[i], &twice[i], sizeof(SampleBucket)) != 0;
           ++attempt) {
        once[i] = twice[i];
        if (!file.ReadAt(offset + i * sizeof(SampleBucket), &twice[i], sizeof(SampleBucket))) return false;
      }
      TakeSlots(once[i], twice[i], first_slot + (at + i) * kSlotsPerBucket, slots, unread);
    }
  }
  return true;
}

// A record in transit counts unless the record that replaces it is live already.
void ResolveTransit(const std::vector<Slot>& slots, RawImage* image) {
  std::unordered_set<uint64_t> live;
  for (const Slot& slot : slots) {
    if (slot.state == SlotState::kLive) live.insert(slot.number);
  }
  for (const Slot& slot : slots) {
    const uint64_t successor = slot.live.sample.successor;
    if (slot.state == SlotState::kTransit && successor != 0 && live.count(successor - 1) != 0) continue;
    image->samples.push_back(slot.live);
  }
}

bool ReadSamples(const File& file, const Placement& placement, RawImage* image, std::string* fault) {
  std::vector<Slot> slots;
  uint64_t first_slot = 0;
  for (const PieceEntry& piece : placement.pieces) {
    if (!ReadPiece(file, piece, first_slot, &slots, &image->unread_samples)) {
      *fault = "it became shorter while it was read";
      return false;
    }
    first_slot += piece.buckets * kSlotsPerBucket;
  }
  ResolveTransit(slots, image);
  return true;
}

uint64_t ItemBytesOf(const ImageHeader& header) {
  uint64_t bytes = 0;
  for (uint32_t kind = 0; kind < kKinds; ++kind) {
    bytes += uint64_t{header.kinds[kind].count} * ItemBytes(static_cast<Kind>(kind), header.mode);
  }
  return bytes;
}

uint64_t ExtentBytes(const ImageHeader& header, const Placement& placement) {
  uint64_t bytes = kImageHeaderBytes;
  for (uint32_t kind = 0; kind < kKinds; ++kind) {
    bytes += uint64_t{header.kinds[kind].root_capacity} * placement.kinds[kind].item_bytes;
    bytes += uint64_t{std::min(header.kinds[kind].slabs, kMaxSlabs[kind])} * kSlabBytes;
  }
  for (const PieceEntry& piece : placement.pieces) bytes += piece.buckets * sizeof(SampleBucket);
  return bytes;
}

bool ReadSites(const File& file, uint64_t region, RawImage* image, std::string* fault) {
  const Mode mode = image->header.mode;
  const bool read =
      mode == Mode::kExact ? ReadExactSites(file, region, image, fault) : ReadSampledSites(file, region, image, fault);
  if (read && image->header.mode != mode) *fault = "its mode changed while it was read";
  return fault->empty();
}

// What the sites refer to, read after them: whatever a site names was published before the site named it.
bool ReadTheRest(const File& file, uint64_t region, RawImage* image, std::string* fault) {
  const bool exact = image->header.mode == Mode::kExact;
  ImageHeader now;
  if (!ReadHeader(file, region, &now, fault)) return false;
  if (now.mode != image->header.mode) {
    *fault = "its mode changed while it was read";
    return false;
  }
  const auto placement = CheckPlacement(now, region, file.Size(), fault);
  if (!placement) return false;
  const KindPlacement& histograms = placement->of(Kind::kHistograms);
  image->extent_bytes = ExtentBytes(now, *placement);
  return (exact ? ReadItems(file, histograms, &image->exact_histograms, fault)
                : ReadItems(file, histograms, &image->sampled_histograms, fault)) &&
         ReadItems(file, placement->of(Kind::kNodes), &image->nodes, fault) &&
         ReadItems(file, placement->of(Kind::kModules), &image->modules, fault) &&
         ReadMappedSites(file, *placement, image, fault) && ReadRanges(file, *placement, &image->ranges, fault) &&
         ReadSamples(file, *placement, image, fault);
}

}  // namespace

std::string FieldText(const char* field, size_t capacity) { return std::string(field, strnlen(field, capacity)); }

std::optional<Segment> Segment::Open(const std::string& path, std::string* error) {
  std::optional<File> file = File::Open(path, error);
  if (!file) return std::nullopt;
  Segment segment(std::move(*file));
  FileHeader& header = segment.header_;
  const std::string hint = "; it may be cut short or still being created: try again, or name another file";
  if (!segment.file_.ReadAt(0, &header, sizeof header)) {
    *error = path + ": too short to be a segment" + hint;
  } else if (header.magic != kFileMagic) {
    *error = path + ": not a heaptally segment; name a .seg file, or a capture for `heaptally report`";
  } else if (header.layout_version != kLayoutVersion) {
    *error = path + ": written in layout " + std::to_string(header.layout_version) + ", this tool reads layout " +
             std::to_string(kLayoutVersion) + "; use the heaptally that belongs to the agent in that process";
  } else if (header.header_bytes != kPageBytes || header.image_count > kMaxImages) {
    *error = path + ": its header is damaged; nothing can be read from it, remove it";
  } else {
    return segment;
  }
  return std::nullopt;
}

std::vector<uint32_t> Segment::ClaimedImages() const {
  FileHeader now;
  std::vector<uint32_t> claimed;
  if (!file_.ReadAt(0, &now, sizeof now)) return claimed;
  uint64_t items = 0;
  const uint64_t budget = ReadBudget(file_.Size());
  for (uint32_t i = 0; i < std::min(now.image_count, kMaxImages); ++i) {
    if (now.images[i].state != static_cast<uint32_t>(ImageState::kClaimed)) continue;
    std::string ignored;
    const auto header = ReadImageHeader(i, &ignored);
    if (header) items += ItemBytesOf(*header);
    if (items > budget) break;  // images that lie on top of each other: not the work of an agent
    claimed.push_back(i);
  }
  return claimed;
}

std::optional<uint64_t> Segment::RegionOf(uint32_t index, std::string* fault) const {
  ImageEntry entry;
  if (index >= kMaxImages || !file_.ReadAt(offsetof(FileHeader, images) + index * sizeof entry, &entry, sizeof entry)) {
    *fault = "there is no such image";
    return std::nullopt;
  }
  if (entry.state != static_cast<uint32_t>(ImageState::kClaimed)) {
    *fault = "it belongs to no process";
    return std::nullopt;
  }
  const uint64_t offset = uint64_t{entry.page} * kPageBytes, length = file_.Size().length;
  if (offset < sizeof(FileHeader) || length < kImageHeaderBytes || offset > length - kImageHeaderBytes) {
    *fault = "it lies beyond the file's end";
    return std::nullopt;
  }
  return offset;
}

std::string Segment::Sentence(uint32_t index, const std::string& fault) const {
  return file_.path() + ": image " + std::to_string(index) + " can't be read: " + fault +
         "; the file was cut short or damaged, its other images may be fine";
}

std::optional<ImageHeader> Segment::ReadImageHeader(uint32_t index, std::string* error) const {
  std::string fault;
  ImageHeader header;
  const std::optional<uint64_t> region = RegionOf(index, &fault);
  if (region && ReadHeader(file_, *region, &header, &fault)) return header;
  *error = Sentence(index, fault);
  return std::nullopt;
}

std::optional<RawImage> Segment::ReadImage(uint32_t index, std::string* error) const {
  std::string fault;
  for (int attempt = 0; attempt < kImageTries; ++attempt) {
    RawImage image;
    image.index = index;
    fault.clear();
    const std::optional<uint64_t> region = RegionOf(index, &fault);
    if (!region || !ReadHeader(file_, *region, &image.header, &fault)) break;
    if (!ReadSites(file_, *region, &image, &fault) || !ReadTheRest(file_, *region, &image, &fault)) continue;
    CheckNodes(&image);
    CheckHistograms(&image.exact_histograms, &image.damaged);
    CheckHistograms(&image.sampled_histograms, &image.damaged);
    CheckSites(&image);
    CheckRanges(&image.ranges, image.mapped_sites.size(), &image.damaged);
    return image;
  }
  *error = Sentence(index, fault);
  return std::nullopt;
}

std::optional<Mappings> Segment::ReadMappings(uint32_t index) const {
  std::string fault;
  Mappings mappings;
  const std::optional<uint64_t> region = RegionOf(index, &fault);
  if (!region || !ReadHeader(file_, *region, &mappings.header, &fault)) return std::nullopt;
  const auto placement = CheckPlacement(mappings.header, *region, file_.Size(), &fault);
  if (!placement || !ReadRanges(file_, *placement, &mappings.ranges, &fault)) return std::nullopt;
  return mappings;
}

std::vector<Module> Segment::ReadModules(uint32_t index) const {
  std::string fault;
  std::vector<Module> modules;
  ImageHeader header;
  const std::optional<uint64_t> region = RegionOf(index, &fault);
  if (!region || !ReadHeader(file_, *region, &header, &fault)) return modules;
  const auto placement = CheckPlacement(header, *region, file_.Size(), &fault);
  if (placement && !ReadItems(file_, placement->of(Kind::kModules), &modules, &fault)) modules.clear();
  return modules;
}

}  // namespace heaptally::segment
