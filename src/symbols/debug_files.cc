#include "symbols/debug_files.h"

namespace heaptally::symbols {
namespace {

void AddReason(std::string* problem, const std::string& reason) {
  if (!problem->empty()) *problem += "; ";
  *problem += reason;
}

// True if `candidate` belongs to `image`.
bool Proven(const ElfImage& image, const ElfImage& candidate, const DebugLink& link, std::string* problem) {
  if (!image.build_id_hex().empty() && !candidate.build_id_hex().empty()) {
    if (image.build_id_hex() == candidate.build_id_hex()) return true;
    AddReason(problem, "debug file " + candidate.path() + " has build id " + candidate.build_id_hex() + ", needed is " +
                           image.build_id_hex());
    return false;
  }
  uint32_t crc = 0;
  if (!link.name.empty() && candidate.FileCrc(&crc) && crc == link.crc) return true;
  AddReason(problem, "debug file " + candidate.path() + " has another CRC than .gnu_debuglink says");
  return false;
}

std::vector<std::string> RootsFor(const std::string& root_prefix, const std::vector<std::string>& debug_roots) {
  std::vector<std::string> roots;
  for (const std::string& root : debug_roots) {
    if (!root_prefix.empty()) roots.push_back(root_prefix + root);
    roots.push_back(root);
  }
  return roots;
}

std::string BuildIdPath(const std::string& root, const std::string& id) {
  return root + "/.build-id/" + id.substr(0, 2) + "/" + id.substr(2) + ".debug";
}

}  // namespace

std::unique_ptr<ElfImage> FindDebugFile(const ElfImage& image, const std::string& path, const std::string& root_prefix,
                                        const std::vector<std::string>& debug_roots, std::string* problem) {
  const std::vector<std::string> roots = RootsFor(root_prefix, debug_roots);
  const DebugLink link = image.debug_link();
  std::vector<std::string> candidates;
  const std::string& id = image.build_id_hex();
  if (id.size() > 2) {
    for (const std::string& root : roots) candidates.push_back(BuildIdPath(root, id));
  }
  if (!link.name.empty() && link.name.find('/') == std::string::npos) {
    const size_t slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "" : path.substr(0, slash);
    candidates.push_back(root_prefix + folder + "/" + link.name);
    candidates.push_back(root_prefix + folder + "/.debug/" + link.name);
    for (const std::string& root : roots) candidates.push_back(root + folder + "/" + link.name);
  }
  for (const std::string& candidate : candidates) {
    std::string ignored;
    std::unique_ptr<ElfImage> found = ElfImage::Open(candidate, &ignored);
    if (found == nullptr || candidate == image.path()) continue;
    if (Proven(image, *found, link, problem)) return found;
  }
  if (problem->empty() && !link.name.empty()) *problem = "debug file " + link.name + " not found";
  return nullptr;
}

std::unique_ptr<ElfImage> FindAlternateFile(const ElfImage& image, const std::string& root_prefix,
                                            const std::vector<std::string>& debug_roots, std::string* problem) {
  const DebugAlternate link = image.debug_alternate();
  if (link.name.empty() || link.build_id_hex.size() <= 2) return nullptr;
  std::vector<std::string> candidates;
  for (const std::string& root : RootsFor(root_prefix, debug_roots)) {
    candidates.push_back(BuildIdPath(root, link.build_id_hex));
  }
  if (link.name[0] == '/') {
    if (!root_prefix.empty()) candidates.push_back(root_prefix + link.name);
    candidates.push_back(link.name);
  } else {
    candidates.push_back(image.path().substr(0, image.path().rfind('/') + 1) + link.name);
  }
  for (const std::string& candidate : candidates) {
    std::string ignored;
    std::unique_ptr<ElfImage> found = ElfImage::Open(candidate, &ignored);
    if (found != nullptr && found->build_id_hex() == link.build_id_hex) return found;
  }
  *problem = "alternate debug file not found: " + link.name + ", build id " + link.build_id_hex;
  return nullptr;
}

}  // namespace heaptally::symbols
