// The directory in which segments lie: finding, listing, measuring and removing them.
//
// Whoever can write there could plant files or replace them, so a directory is used only if it belongs to us (or we are
// root, or it is root's), and nobody else may write to it. File names are never believed beyond being a hint: what a
// segment is stands in its header.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heaptally::collect {

// HEAPTALLY_DIR, else /dev/shm/heaptally-<effective uid>.
std::string SegmentDirectory();

struct SegmentName {
  std::string path;
  int32_t pid = 0;           // as the process saw it
  uint64_t start_ticks = 0;  // field 22 of /proc/PID/stat when it started
  uint64_t allocated_bytes = 0;
  uint64_t modified_unix_ns = 0;
};

// Segments in a directory, by pid and start time. A directory that does not exist holds none. Returns nothing iff the
// directory may not be used; then *error is one sentence.
std::optional<std::vector<SegmentName>> ListSegments(const std::string& directory, std::string* error);

// Those of a process: its own, and those of processes it was forked from (whose segment holds its image).
std::vector<SegmentName> SegmentsOfPid(const std::vector<SegmentName>& all, int32_t pid);

// Those that `heaptally run` started under this run id.
std::vector<SegmentName> SegmentsOfRun(const std::vector<SegmentName>& all, const std::string& run_id);

// A program of a run whose agent could not make a segment: all that it could leave was an empty file with a name.
struct ProcessWithoutSegment {
  std::string path;
  int32_t pid = 0;
  std::string program;  // the last part of its path
};

// Those of a run; of all runs: those whose process is gone. Directories that may not be used hold none.
std::vector<ProcessWithoutSegment> WithoutSegmentOfRun(const std::string& directory, const std::string& run_id);
std::vector<ProcessWithoutSegment> DeadWithoutSegment(const std::string& directory);

// Removes a segment file; processes that still map it go on unharmed. Returns false and sets *error if it can't be.
bool RemoveSegment(const std::string& path, std::string* error);

// Room that the segments take.
uint64_t TotalBytes(const std::vector<SegmentName>& segments);

// "<pid>-<start_ticks>-<random hex>.seg" -> its parts; nothing for any other name.
std::optional<SegmentName> ParseSegmentName(const std::string& name);

}  // namespace heaptally::collect
