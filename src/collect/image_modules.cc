#include <algorithm>
#include <set>

#include "collect/image_profile.h"
#include "segment/reader.h"

namespace heaptally::collect {
namespace {

constexpr uint32_t kMaxInherited = 1 << 16;  // more modules than an image can hold

// Modules [first, first + own.size()) by id.
struct Link {
  uint32_t first;
  std::vector<segment::Module> own;
};

}  // namespace

std::vector<segment::Module> ModulesOf(const segment::Segment& segment, const segment::RawImage& image) {
  std::vector<Link> chain = {{std::min(image.header.inherited_modules, kMaxInherited), image.modules}};
  std::set<uint32_t> seen = {image.index};
  // An ancestor gives no more than its child knew of: it may have loaded others since.
  for (uint32_t parent = image.header.parent_image; chain.back().first > 0 && seen.insert(parent).second;) {
    std::string ignored;
    const auto header = segment.ReadImageHeader(parent, &ignored);
    if (!header) break;
    const uint32_t end = chain.back().first, first = std::min(header->inherited_modules, end);
    std::vector<segment::Module> own = segment.ReadModules(parent);
    own.resize(std::min<size_t>(own.size(), end - first));
    chain.push_back({first, std::move(own)});
    parent = header->parent_image;
  }
  std::vector<segment::Module> modules;
  for (auto link = chain.rbegin(); link != chain.rend(); ++link) {
    modules.resize(link->first);  // those of an ancestor that can't be read are unnamed
    modules.insert(modules.end(), link->own.begin(), link->own.end());
  }
  return modules;
}

}  // namespace heaptally::collect
