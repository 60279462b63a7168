// Captures: files with one or more snapshots of one or more images, symbolised. docs/capture.md describes them.
//
// A capture is written beside its place and renamed into it: it is whole or not there. One that is published while more
// is added to it stays whole at every moment, whenever its writer may be killed. It is read with suspicion: a file may
// be damaged, of another program, or of a newer heaptally, and each of these is a sentence that says what to do.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.h"

namespace heaptally::store {

class Database;

struct WriteOptions {
  // Functions that a list of sites should not show as the place (symbols::IsPlumbing); none by default.
  std::function<bool(std::string_view)> is_plumbing;
  // Plain rows: for each snapshot, the first so many sites by live, peak and allocated bytes and by calls.
  size_t rows = 500;
};

class CaptureWriter {
 public:
  // Starts a file beside `path`, readable by its owner only. On failure returns nothing and sets *error.
  static std::optional<CaptureWriter> Create(const std::string& path, WriteOptions options, std::string* error);
  // The same, with everything that the capture at `path` holds; what is added comes after it.
  static std::optional<CaptureWriter> Continue(const std::string& path, WriteOptions options, std::string* error);

  CaptureWriter(CaptureWriter&&) noexcept;
  CaptureWriter& operator=(CaptureWriter&&) = delete;
  // Removes what was neither published nor committed.
  ~CaptureWriter();

  // Snapshots added from now on belong together, as one later moment. The first moment is 1.
  void NextMoment() { ++moment_; }
  uint64_t moment() const { return moment_; }
  // So many images share the room for plain rows: a tree of thousands should not become mostly that.
  void SetRows(size_t images);

  enum class Rows { kNone, kWrite };
  // Adds a snapshot of an image; if others of it are there, it must be later than they are. Plain rows for the shell are
  // those of an image's last snapshot. Memory: about twice the snapshot's packed size, and for each image that runs the
  // last snapshot itself (so that only what changed need be written).
  bool Add(const profile::Profile& profile, std::string* error, Rows rows = Rows::kWrite);

  // Puts the file in its place as it is now, an older file there is replaced; more can be added. On failure nothing is
  // lost: the next call tries again.
  bool Publish(std::string* error);

  // Puts the file in its place, synced. Nothing can be added any more.
  bool Commit(std::string* error);

 private:
  struct Series;
  CaptureWriter(std::string path, std::string temporary, WriteOptions options, Database database);
  bool Fail(const std::string& fault, std::string* error) const;
  bool Begin();
  bool Rename(std::string* error);
  Series* SeriesOf(const profile::Profile& profile, const std::string& name);
  bool Insert(const profile::Profile& profile, Rows rows);

  std::string path_;
  std::string temporary_;  // "" once it is in its place
  WriteOptions options_;
  std::unique_ptr<Database> database_;
  std::map<std::string, Series> series_;
  uint64_t snapshots_ = 0;
  uint64_t moment_ = 1;
};

// All at once, as one moment.
bool WriteCapture(const std::string& path, const std::vector<profile::Profile>& profiles, std::string* error,
                  WriteOptions options = {});

// Snapshots that were taken together, without their contents.
struct Moment {
  uint64_t number = 0;                   // from 1
  uint64_t taken_unix_ns = 0;            // the latest of its snapshots
  std::vector<profile::Profile> images;  // facts and totals alone: no sites
};

enum class Which {
  kLast,  // the last snapshot of each image
  kAll,
};

// Calls `visit` for each snapshot, image by image, in the order of their last snapshots, with the number of its moment;
// one is in memory at a time. Returns true iff all were read; else *error is one sentence, and what was visited before
// is right.
bool ForEachSnapshot(const std::string& path, Which which,
                     const std::function<void(profile::Profile&&, uint64_t moment)>& visit, std::string* error);

// All at once. Returns nothing and sets *error on failure.
std::optional<std::vector<profile::Profile>> ReadCapture(const std::string& path, std::string* error,
                                                         Which which = Which::kLast);
// The images that had been seen by that moment, each as it was last seen until then.
std::optional<std::vector<profile::Profile>> ReadCaptureAt(const std::string& path, uint64_t moment,
                                                           std::string* error);

// In order of time. Returns nothing and sets *error on failure.
std::optional<std::vector<Moment>> ReadMoments(const std::string& path, std::string* error);

// True iff the file starts like a capture of any version: to tell captures from other inputs.
bool LooksLikeCapture(const std::string& path);

}  // namespace heaptally::store
