#include <unordered_map>

#include "base/hash.h"
#include "collect/image_profile.h"
#include "segment/reader.h"

namespace heaptally::collect {
namespace {

struct FrameHash {
  size_t operator()(const profile::Frame& frame) const {
    return base::HashCombine(base::HashCombine(frame.exact_pc ? 1 : 2, frame.module), frame.address);
  }
};

profile::Frame FrameOf(const segment::Node& node, size_t modules) {
  profile::Frame frame;
  frame.exact_pc = (node.address & segment::kExactPcBit) != 0;
  frame.address = node.address & ~segment::kExactPcBit;
  if (node.module != 0 && node.module - 1 < modules) frame.module = node.module - 1;
  return frame;
}

std::string Hex(const uint8_t* bytes, size_t count) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

profile::Module ModuleOf(const segment::Module& raw) {
  profile::Module module;
  module.path = segment::FieldText(raw.path, sizeof raw.path);
  module.build_id = Hex(raw.build_id, std::min<size_t>(raw.build_id_bytes, sizeof raw.build_id));
  module.map_start = raw.map_start;
  module.map_end = raw.map_end;
  module.bias = raw.bias;
  module.unloaded = raw.unloaded_clock != 0;
  return module;
}

std::string ThreadName(const segment::ImageHeader& header, uint16_t number) {
  if (number == segment::kThreadNameNotKnown) return "";
  if (number > segment::kMaxThreadNames) return "(other)";
  const segment::ThreadName& name = header.thread_names[number - 1];
  return segment::FieldText(name.text, sizeof name.text);
}

void MarkCut(uint16_t flags, profile::Site* site) {
  if ((flags & segment::kSiteCutDepth) != 0) site->truncated_why = "stack deeper than 512 frames";
  if ((flags & segment::kSiteCutNoRule) != 0) site->truncated_why = "code without unwind information";
  if ((flags & segment::kSiteCutMemory) != 0) site->truncated_why = "stack memory that could not be proven readable";
  site->truncated = !site->truncated_why.empty();
}

}  // namespace

void ConvertStacks(const segment::RawImage& image, const std::vector<segment::Module>& modules,
                   const std::vector<const segment::SiteHead*>& heads, profile::Profile* profile) {
  for (const segment::Module& module : modules) profile->modules.push_back(ModuleOf(module));
  std::unordered_map<profile::Frame, uint32_t, FrameHash> ids;
  std::vector<uint32_t> frame_of_node(image.nodes.size(), UINT32_MAX);
  const auto frame_id = [&](uint32_t node) {
    uint32_t& id = frame_of_node[node];
    if (id != UINT32_MAX) return id;
    const auto [at, added] = ids.try_emplace(FrameOf(image.nodes[node], modules.size()), profile->frames.size());
    if (added) profile->frames.push_back(at->first);
    return id = at->second;
  };
  for (size_t i = 0; i < heads.size(); ++i) {
    const segment::SiteHead& head = *heads[i];
    profile::Site& site = profile->sites[i];
    for (uint32_t node = head.node; node != 0; node = image.nodes[node].parent) site.frames.push_back(frame_id(node));
    site.other = (head.flags & segment::kSiteOther) != 0;
    site.thread = ThreadName(image.header, head.thread_name);
    if (head.memory_class == segment::kClassMapped) {
      site.memory_class = "mapped";
    } else if (head.memory_class != 0) {
      site.memory_class = "heap-" + std::to_string(head.memory_class);
    }
    MarkCut(head.flags, &site);
  }
}

}  // namespace heaptally::collect
