#include "collect/kept_modules.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "collect/clock_scale.h"
#include "collect/mapped_segments.h"
#include "collect/resident.h"
#include "collect/segments.h"

namespace heaptally::collect {
namespace {

constexpr size_t kMostSegments = 1024;  // looked at while they live
constexpr size_t kMostImages = 4096;    // noted
// Of a directory's time stamp, which has the kernel's clock tick (at most 10 ms): two changes may bear the same.
constexpr uint64_t kTickNs = 50'000'000;

uint64_t Ns(const timespec& time) {
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

// Files there are replaced by the package manager only, and have build ids.
bool IsSystemFile(std::string_view path) {
  constexpr std::array<std::string_view, 8> kFolders = {"/usr/lib", "/usr/bin/", "/usr/sbin/",  "/lib",
                                                        "/bin/",    "/sbin/",    "/nix/store/", "/gnu/store/"};
  return std::any_of(kFolders.begin(), kFolders.end(), [&](std::string_view folder) { return path.starts_with(folder); });
}

// A name that means something outside of the process.
bool IsPlainPath(std::string_view path) { return path.starts_with("/") && !path.starts_with("/proc/"); }

// Whether a mapping at the module's place is of the module's file. Another library may lie there by now: the module was
// unloaded, and this one was loaded where it had been. A name may be a link, or relative; then the last part decides. What
// has no name any more (deleted, memfd) cannot be told by it.
bool IsOfThatFile(const FileMapping& mapping, const std::string& name) {
  if (mapping.path == name || mapping.deleted) return true;
  std::error_code error;
  const std::filesystem::path resolved = std::filesystem::canonical(name, error);
  if (!error && resolved == mapping.path) return true;
  return std::filesystem::path(name).filename() == std::filesystem::path(mapping.path).filename();
}

// The file that a relative name leads to from here, where a build id can prove that it is the one; "" else.
std::string FromHere(const profile::Module& module) {
  if (module.build_id.empty() || module.path.empty() || module.path[0] == '/') return "";
  std::error_code error;
  const std::filesystem::path path = std::filesystem::canonical(module.path, error);
  return error ? "" : path.string();
}

uint64_t OurPidNamespace() {
  struct stat status {};
  return stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

// The pid under which we see the image's process, 0 if it does not live in this segment (any more).
pid_t OuterPid(const segment::Segment& segment, const segment::ImageHeader& header) {
  if (header.pid <= 0) return 0;
  if (MappedSegments::Maps(header.pid, segment.file())) return header.pid;
  if (segment.header().pid_namespace == OurPidNamespace()) return 0;
  MappedSegments all;
  for (const auto& process : all.Of(segment.file())) {
    if (process.inner_pid == header.pid) return process.pid;
  }
  return 0;
}

// Perf maps are named by the pid that the process itself sees. Only the process's own user may tell us names.
std::shared_ptr<HeldFile> OpenPerfMap(pid_t outer_pid, int32_t inner_pid) {
  const std::string process = "/proc/" + std::to_string(outer_pid);
  auto held = OpenIf(process + "/root/tmp/perf-" + std::to_string(inner_pid) + ".map", 0);
  struct stat file {
  }, owner{};
  if (held == nullptr || fstat(held->descriptor(), &file) != 0 || stat(process.c_str(), &owner) != 0) return nullptr;
  return file.st_uid == owner.st_uid || file.st_uid == 0 ? held : nullptr;
}

// Modules that were read twice the same: a record is published before it is filled.
std::vector<segment::Module> SettledModules(const segment::Segment& segment, uint32_t index) {
  std::vector<segment::Module> once = segment.ReadModules(index);
  const std::vector<segment::Module> twice = segment.ReadModules(index);
  size_t same = 0;
  while (same < once.size() && same < twice.size() && once[same].path[0] != 0 && once[same].map_end != 0 &&
         std::memcmp(&once[same], &twice[same], sizeof once[same]) == 0) {
    ++same;
  }
  once.resize(same);
  return once;
}

}  // namespace

void KeptModules::LookAtRun(const std::string& directory, const std::string& run_id) {
  struct stat status {};
  if (stat(directory.c_str(), &status) != 0) return;
  if (const uint64_t changed = Ns(status.st_mtim); changed != directory_changed_ns_) {
    directory_changed_ns_ = UnixNow() - changed > kTickNs ? changed : 0;
    std::string ignored;
    const auto all = ListSegments(directory, &ignored);
    run_paths_.clear();
    for (const SegmentName& name : SegmentsOfRun(all.value_or(std::vector<SegmentName>{}), run_id)) {
      if (run_paths_.size() < kMostSegments) run_paths_.push_back(name.path);
    }
  }
  LookAt(run_paths_);
}

void KeptModules::LookAt(const std::vector<std::string>& segment_paths) {
  for (const std::string& path : segment_paths) {
    auto [at, is_new] = open_.try_emplace(path);
    if (is_new) {
      std::string ignored;
      auto segment = segment::Segment::Open(path, &ignored);
      if (!segment) {  // perhaps still being made
        open_.erase(at);
        continue;
      }
      at->second = std::make_unique<segment::Segment>(std::move(*segment));
    }
    if (at->second != nullptr && !LookAtImages(*at->second)) at->second.reset();
  }
}

bool KeptModules::LookAtImages(const segment::Segment& segment) {
  const std::vector<uint32_t> claimed = segment.ClaimedImages();
  bool any_lives = claimed.empty();  // the first is being made
  for (const uint32_t index : claimed) {
    std::string ignored;
    const auto header = segment.ReadImageHeader(index, &ignored);
    if (!header || header->pid <= 0) {
      any_lives = true;  // as far as we know
      continue;
    }
    const Key key = {header->pid, header->started_unix_ns};
    if (images_.size() >= kMostImages && images_.count(key) == 0) continue;
    Image& image = images_[key];
    if (!image.gone) LookAtImage(segment, index, *header, &image);
    any_lives |= !image.gone;
  }
  return any_lives;
}

void KeptModules::LookAtImage(const segment::Segment& segment, uint32_t index, const segment::ImageHeader& header,
                              Image* image) {
  if (image->outer_pid == 0) {
    image->outer_pid = OuterPid(segment, header);
    if (header.origin != segment::Origin::kStart) {
      std::string ignored;
      const auto parent = segment.ReadImageHeader(header.parent_image, &ignored);
      if (parent) image->parent = {parent->pid, parent->started_unix_ns};
    }
    if (image->outer_pid != 0) image->root = OpenForeignRoot(image->outer_pid);
  }
  image->gone = image->outer_pid == 0 || !MappedSegments::StillRuns(image->outer_pid, StartTicks(image->outer_pid));
  if (image->gone) return;
  if (image->perf_map == nullptr && Room()) {
    image->perf_map = OpenPerfMap(image->outer_pid, header.pid);
    perf_maps_ += image->perf_map != nullptr;
  }
  if (header.kinds[static_cast<int>(segment::Kind::kModules)].count <= image->modules_seen) return;
  const std::vector<FileMapping> mappings = FileMappingsOf(image->outer_pid);
  const bool still_here = std::any_of(mappings.begin(), mappings.end(), [&](const FileMapping& mapping) {
    return mapping.inode == segment.file().inode();
  });
  image->gone = !still_here;  // it has exec'd, or ended just now
  if (image->gone) return;
  const std::vector<segment::Module> modules = SettledModules(segment, index);
  for (; image->modules_seen < modules.size(); ++image->modules_seen) {
    Note(image, mappings, modules[image->modules_seen]);
  }
}

void KeptModules::Note(Image* image, const std::vector<FileMapping>& mappings, const segment::Module& module) {
  Noted noted;
  noted.path = segment::FieldText(module.path, sizeof module.path);
  noted.map_start = module.map_start;
  const FileMapping* mapping = MappingOf(mappings, module.map_start, module.map_end);
  if (noted.path.starts_with("[") || mapping == nullptr) return;
  if (image->root == nullptr && !noted.path.starts_with("/proc/") && !IsOfThatFile(*mapping, noted.path)) return;
  const std::string name = IsPlainPath(noted.path) ? noted.path : mapping->path;
  if (name != noted.path) noted.real_path = name;
  noted.device = mapping->device;
  noted.inode = mapping->inode;
  struct stat status {};
  const bool in_place = !image->root && IsPlainPath(name) && stat(name.c_str(), &status) == 0 &&
                        status.st_ino == mapping->inode;
  if (in_place) {
    noted.in_place = true;
    noted.size = static_cast<uint64_t>(status.st_size);
    noted.modified_ns = Ns(status.st_mtim);
    if (!IsSystemFile(name)) Hold(&noted, [&] { return OpenIf(name, mapping->inode); });
  } else if (!Hold(&noted, [&] { return OpenMapped(image->outer_pid, *mapping); })) {
    noted.why_not = mapping->deleted ? "the file was deleted while it was mapped" : "another file has its name now";
    noted.why_not += ", and the mapped one could not be opened (that needs root, or CAP_CHECKPOINT_RESTORE)";
  }
  image->modules.push_back(std::move(noted));
}

bool KeptModules::Room() const {
  rlimit limit{};
  const uint64_t most = getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur / 2 : 0;
  return held_.size() + perf_maps_ < std::min<uint64_t>(kMostHeld, most);
}

template <typename Open>
bool KeptModules::Hold(Noted* noted, Open open) {
  const std::pair<uint64_t, uint64_t> identity = {noted->device, noted->inode};
  std::shared_ptr<HeldFile>& known = held_[identity];
  if (known == nullptr && Room()) known = open();
  noted->held = known;
  if (known == nullptr) held_.erase(identity);
  return noted->held != nullptr;
}

const KeptModules::Image* KeptModules::Find(Key key) const {
  const auto found = images_.find(key);
  return found == images_.end() ? nullptr : &found->second;
}

std::pair<const KeptModules::Image*, const KeptModules::Noted*> KeptModules::FindModule(
    const profile::Profile& profile, const profile::Module& module) const {
  const Image* image = Find({profile.pid, profile.started_unix_ns});
  for (int generations = 0; image != nullptr && generations < 64; ++generations) {
    for (auto noted = image->modules.rbegin(); noted != image->modules.rend(); ++noted) {
      if (noted->path == module.path && noted->map_start == module.map_start) return {image, &*noted};
    }
    if (image->parent.first == 0) break;
    image = Find(image->parent);
  }
  return {Find({profile.pid, profile.started_unix_ns}), nullptr};
}

ModuleSource KeptModules::SourceOf(const profile::Profile& profile, const profile::Module& module) const {
  ModuleSource source = {.path = module.path};
  const auto [image, noted] = FindModule(profile, module);
  if (image != nullptr && image->root != nullptr) source.root_prefix = image->root->Path();
  if (noted == nullptr) {
    if (const std::string here = FromHere(module); !here.empty()) {
      source.path = here;
      return source;
    }
    source.why_not = WhyNotOnDisk(source.root_prefix, module);
    return source;
  }
  if (!noted->real_path.empty()) source.path = noted->real_path;
  if (noted->held != nullptr) {
    source.open_path = noted->held->Path();
    return source;
  }
  source.why_not = noted->why_not;
  struct stat status {};
  if (!noted->in_place || !module.build_id.empty()) return source;
  const bool same = stat(source.path.c_str(), &status) == 0 && status.st_ino == noted->inode &&
                    static_cast<uint64_t>(status.st_size) == noted->size && Ns(status.st_mtim) == noted->modified_ns;
  if (!same) source.why_not = "file on disk was replaced or changed while the program ran, and has no build id";
  return source;
}

std::string KeptModules::WhyNotOnDisk(const std::string& root, const profile::Module& module) {
  if (module.path.empty() || module.path[0] == '[') return "";
  if (!IsPlainPath(module.path)) {
    return "the name means a file only inside of the process, which was gone before it could be asked";
  }
  struct stat status {};
  const bool proven = !module.build_id.empty() || module.loaded_unix_ns == 0;
  if (proven || stat((root + module.path).c_str(), &status) != 0) return "";
  if (Ns(status.st_ctim) <= module.loaded_unix_ns) return "";
  return "file on disk was replaced or changed after it was loaded, and has no build id";
}

std::string KeptModules::PerfMapOf(const profile::Profile& profile) const {
  const Image* image = Find({profile.pid, profile.started_unix_ns});
  return image != nullptr && image->perf_map != nullptr ? image->perf_map->Path() : "";
}

}  // namespace heaptally::collect
