// What is needed to name a process's frames after its end, noted while it lives: where the files of its modules really
// are (a name may lead elsewhere by then), what root directory it has, and the perf map that its JIT compiler writes.
//
// Bounded: only modules that recorded stacks go through are looked at, once each; a descriptor is held for those whose
// name leads elsewhere already, or may soon (files outside of the system's directories: programs are rebuilt while they
// run, temporary libraries are removed), at most kMostHeld or half of what the process may open. Of the others only the
// identity is noted. Nothing is done to the process; /proc/PID/maps is read when it has new modules (docs/design/0014).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "collect/process_files.h"
#include "profile/profile.h"
#include "segment/reader.h"

namespace heaptally::collect {

// Where names of a module come from. `path` is what people are shown.
struct ModuleSource {
  std::string path;
  std::string open_path;      // "" = path (below root_prefix)
  std::string root_prefix;    // for separate debug files; "" = ours
  std::string why_not;        // not "": do not read anything, for this reason
};

class KeptModules {
 public:
  static constexpr size_t kMostHeld = 256;

  // Looks at the images of some segments. Cheap where nothing is new.
  void LookAt(const std::vector<std::string>& segment_paths);
  // The same for all segments of a run; lists the directory only when it has changed.
  void LookAtRun(const std::string& directory, const std::string& run_id);

  ModuleSource SourceOf(const profile::Profile& profile, const profile::Module& module) const;
  // The perf map of the profile's process as a path to read; "" if it has none.
  std::string PerfMapOf(const profile::Profile& profile) const;

 private:
  struct Noted {  // of one module
    std::string path;
    uint64_t map_start = 0;
    std::shared_ptr<HeldFile> held;
    std::string real_path;  // absolute, where `path` is not
    bool in_place = false;  // the name leads to the mapped file, which had this identity
    uint64_t device = 0, inode = 0, size = 0, modified_ns = 0;
    std::string why_not;
  };
  struct Image {
    std::pair<int32_t, uint64_t> parent = {};  // of a forked child; {0, 0}: none
    uint32_t modules_seen = 0;
    int32_t outer_pid = 0;  // as we see it; 0: not found, or gone
    bool gone = false;
    std::shared_ptr<HeldFile> root;
    std::shared_ptr<HeldFile> perf_map;
    std::vector<Noted> modules;
  };
  using Key = std::pair<int32_t, uint64_t>;  // the image's own pid, its start in Unix ns

  // False if none of its processes lives any more.
  bool LookAtImages(const segment::Segment& segment);
  void LookAtImage(const segment::Segment& segment, uint32_t index, const segment::ImageHeader& header, Image* image);
  void Note(Image* image, const std::vector<FileMapping>& mappings, const segment::Module& module);
  bool Room() const;
  // Gives `noted` the descriptor of its file, made by open() if there is none yet. False if it has none.
  template <typename Open>
  bool Hold(Noted* noted, Open open);
  const Image* Find(Key key) const;
  // The image of the profile, or the ancestor of which it has the module; what was noted of it.
  std::pair<const Image*, const Noted*> FindModule(const profile::Profile& profile,
                                                   const profile::Module& module) const;
  // Why the file at the module's path cannot be believed to be the one that was loaded; "" if nothing speaks against it.
  static std::string WhyNotOnDisk(const std::string& root, const profile::Module& module);

  std::map<Key, Image> images_;
  std::map<std::string, std::unique_ptr<segment::Segment>> open_;  // living ones, by path
  std::map<std::pair<uint64_t, uint64_t>, std::shared_ptr<HeldFile>> held_;                 // by device and inode: programs share libraries
  size_t perf_maps_ = 0;
  uint64_t directory_changed_ns_ = 0;
  std::vector<std::string> run_paths_;
};

}  // namespace heaptally::collect
