// Writes the corpora of the readers: small files as an agent and the tool write them. make_corpus FOLDER
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "profile/estimates.h"
#include "segment/segment_builder.h"
#include "store/series.h"

namespace {

using heaptally::segment::Mode;
using heaptally::segment::Origin;
using heaptally::segment::SegmentBuilder;
namespace profile = heaptally::profile;
namespace sampling = heaptally::sampling;
namespace segment = heaptally::segment;
namespace store = heaptally::store;

void Write(const std::filesystem::path& path, const std::string& bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

void WriteSegment(const std::filesystem::path& path, SegmentBuilder builder) {
  const auto bytes = builder.Build();
  Write(path, {bytes.begin(), bytes.end()});
}

void Name(SegmentBuilder::Image& image) {
  std::strcpy(image.header.exe, "/usr/bin/example");
  std::memcpy(image.header.argv, "example\0-x\0", 11);
  image.header.argv_bytes = 11;
  image.header.pid = 4711;
}

void FillExact(SegmentBuilder::Image& image) {
  Name(image);
  SegmentBuilder::AddModule(image, "/usr/bin/example");
  SegmentBuilder::AddModule(image, "/lib/libexample.so");
  for (uint32_t i = 0; i < 6; ++i) {
    const uint32_t node = SegmentBuilder::AddNode(image, i, i % 3, 0x1000 + i);
    const uint32_t id = SegmentBuilder::AddExactSite(image, node, {10 + i, 1000}, {i, 90});
    segment::ExactSite& site = image.exact_sites[id];
    site.head.first_size_class = 8;
    site.head.first_life_class = 20;
    site.peak = {i, 100};
    site.peak_epoch = i % 2;
    if (i % 2 == 0) site.head.size_histogram = site.head.life_histogram = i / 2 + 1;
  }
  image.header.exact_peak.peak_epoch = 1;
  for (uint64_t i = 1; i < 7; ++i) SegmentBuilder::AddMappedSite(image, i % 3, i << 20, i << 12);
  image.mapped_sites.back().freed = {0, 4096};
  for (uint32_t i = 0; i < 3; ++i) {
    segment::ExactHistogram histogram = {};
    histogram.entry[0] = uint64_t{i + 5} << 56 | 2;
    histogram.next = i;
    image.exact_histograms.push_back(histogram);
  }
}

void FillSampled(SegmentBuilder::Image& image) {
  Name(image);
  SegmentBuilder::AddModule(image, "/usr/bin/example");
  image.pieces = {std::vector<segment::SampleBucket>(1), std::vector<segment::SampleBucket>(2)};
  for (uint32_t i = 0; i < 3; ++i) {
    const uint32_t id = SegmentBuilder::AddSampledSite(image, SegmentBuilder::AddNode(image, i, 1, 0x2000 + i));
    SegmentBuilder::Allocate(image, id, 100 << i, 512 << 10, sampling::HalfMembership::kA);
    SegmentBuilder::Allocate(image, id, 4 << 20, 512 << 10, sampling::HalfMembership::kBoth);
    SegmentBuilder::Free(image, id, 100 << i, 512 << 10, sampling::HalfMembership::kA, 40);
    image.sampled_sites[id].head.first_size_class = 8;
    image.sampled_sites[id].head.first_life_class = 20;
    image.sampled_sites[id].head.size_histogram = 1;
    segment::SampleBucket& bucket = image.pieces[i / 2][i % 2 * (i / 2)];
    bucket.key[i] = 0x7000ull << 4 | (i == 1 ? 4 : 2);
    bucket.sample[i].site = id;
    bucket.sample[i].size = 4 << 20;
    bucket.sample[i].successor = 9;
  }
  SegmentBuilder::AddMappedSite(image, 1, 0x7000, 4096);
  segment::SampledHistogram histogram = {};
  histogram.entry[0] = {24, {1, {5, 0}, {6, 0}}};
  image.sampled_histograms.push_back(histogram);
}

profile::Profile SmallProfile(bool exact) {
  profile::Profile made;
  made.argv = {"a", "b"};
  made.modules = {{"/lib/m", "ab", 1, 2, 3, false}};
  made.frames = {{0, 16, false}, {profile::kNoModule, 99, true}};
  made.sources = {{{"f", "f.cc", 3, false, ""}}, {}};
  made.loss = {{"segment-full", 1}};
  for (uint32_t i = 0; i < 4; ++i) {
    profile::Site site;
    site.id = i;
    site.frames = {i % 2, 0, 1};
    sampling::Sums sums;
    sums.Add(sampling::TermsOf(100 * i, exact ? 0 : 512 << 10));
    site.measures.allocated = site.measures.live = profile::VolumeOf(sums);
    site.measures.period = exact ? 0 : 512 << 10;
    site.sizes = {{64, 127, profile::ObjectsAmount(sums)}};
    made.sites.push_back(site);
  }
  profile::SumTotals(&made);
  return made;
}

std::string Joined(std::initializer_list<store::PackedSnapshot> series) {
  std::string joined;
  for (const store::PackedSnapshot& packed : series) {
    for (const std::string* blob : {&packed.facts, &packed.modules, &packed.frames, &packed.names, &packed.sites}) {
      const auto length = static_cast<uint32_t>(blob->size());
      joined.append(reinterpret_cast<const char*>(&length), 4);
      joined += *blob;
    }
  }
  return joined;
}

// Two moments: counters go on, samples come and go, one site is new and one is gone.
std::string TwoMoments(bool exact) {
  profile::Profile made = SmallProfile(exact);
  made.taken_unix_ns = 1'000'000'000;
  made.sites[1].live_samples = {{3, 100, 512 << 10}, {9, 40, 64 << 10}};
  made.sites[2].oldest_ns = 5;
  store::SeriesPacker packer;
  store::PackedSnapshot first = packer.Next(made);
  made.taken_unix_ns += 1'000'000'000;
  made.sites[1].live_samples[0] = {7, 200, 512 << 10};
  made.sites[2].measures.allocated += made.sites[1].measures.allocated;
  made.sites[2].sizes.push_back({128, 255, {3, 0, 0, 0}});
  made.frames.push_back({0, 0x999, false});
  made.sites.erase(made.sites.begin());
  made.sites.push_back(made.sites[0]);
  made.sites.back().id = 12;
  made.sites.back().frames = {2, 0};
  return Joined({std::move(first), packer.Next(made)});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: make_corpus FOLDER\n"), 2;
  const std::filesystem::path segments = std::filesystem::path(argv[1]) / "segment_reader";
  SegmentBuilder exact(Mode::kExact), sampled(Mode::kBytes), died(Mode::kBytes), slabs(Mode::kExact);
  exact.root_capacity = sampled.root_capacity = died.root_capacity = 8;
  FillExact(exact.images[0]);
  WriteSegment(segments / "exact", exact);
  FillSampled(sampled.images[0]);
  WriteSegment(segments / "bytes", sampled);
  FillSampled(died.images[0]);
  died.images[0].header.tally_sequence = 7;
  died.images[0].header.undo_site = 3;
  WriteSegment(segments / "bytes-died", died);
  for (uint32_t i = 1; i < 3; ++i) {
    SegmentBuilder::Image& child = exact.AddImage(Mode::kExact, Origin::kFork);
    FillExact(child);
    child.header.parent_image = i - 1;
    child.header.inherited_modules = 2 * i;
  }
  WriteSegment(segments / "forked", exact);
  FillExact(slabs.images[0]);
  WriteSegment(segments / "slabs", slabs);
  const std::filesystem::path captures = std::filesystem::path(argv[1]) / "capture";
  Write(captures / "exact", Joined({store::SeriesPacker().Next(SmallProfile(true))}));
  Write(captures / "bytes", Joined({store::SeriesPacker().Next(SmallProfile(false))}));
  Write(captures / "two-moments-exact", TwoMoments(true));
  Write(captures / "two-moments-bytes", TwoMoments(false));
  return 0;
}
