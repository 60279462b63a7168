// Captures: files with one or more snapshots of one or more images, symbolised. docs/capture.md describes them.
//
// A capture is written beside its place and renamed into it: it is whole or not there. It is read with suspicion: a
// file may be damaged, of another program, or of a newer heaptally, and each of these is a sentence that says what to
// do.
#pragma once

#include <functional>
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

  CaptureWriter(CaptureWriter&&) noexcept;
  CaptureWriter& operator=(CaptureWriter&&) = delete;
  // Removes what was not committed.
  ~CaptureWriter();

  // Adds a snapshot of an image. Memory: about twice the snapshot's packed size.
  bool Add(const profile::Profile& profile, std::string* error);

  // Puts the file in its place, synced; an older file there is replaced.
  bool Commit(std::string* error);

 private:
  CaptureWriter(std::string path, std::string temporary, WriteOptions options, Database database);
  bool Fail(const std::string& fault, std::string* error) const;

  std::string path_;
  std::string temporary_;
  WriteOptions options_;
  std::unique_ptr<Database> database_;
  uint64_t snapshots_ = 0;
};

// All at once.
bool WriteCapture(const std::string& path, const std::vector<profile::Profile>& profiles, std::string* error,
                  WriteOptions options = {});

enum class Which {
  kLast,  // the last snapshot of each image
  kAll,
};

// Calls `visit` for each snapshot, in the order in which they were added; one is in memory at a time. Returns true iff
// all were read; else *error is one sentence, and what was visited before is right.
bool ForEachSnapshot(const std::string& path, Which which, const std::function<void(profile::Profile&&)>& visit,
                     std::string* error);

// All at once. Returns nothing and sets *error on failure.
std::optional<std::vector<profile::Profile>> ReadCapture(const std::string& path, std::string* error,
                                                         Which which = Which::kLast);

// True iff the file starts like a capture of any version: to tell captures from other inputs.
bool LooksLikeCapture(const std::string& path);

}  // namespace heaptally::store
