// The rows of one image in a capture's file, read one after the other. Both formats.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "store/database.h"
#include "store/series.h"

namespace heaptally::store {

class StoredSeries {
 public:
  // `database` must outlive it.
  StoredSeries(Database* database, int format, std::string name);

  // First of all: proves the rows one by one, up to the first that is damaged, and takes the names of all of them.
  // Returns true iff none is damaged.
  bool ReadNames();

  enum class Visits { kAll, kLast };
  // Calls `visit` for the snapshots that are proven and not after `last_moment`, or for the last of them. Returns true
  // iff they could be unpacked.
  bool Visit(uint64_t last_moment, const std::function<void(const SeriesState&, uint64_t moment)>& visit,
             Visits visits);
  // The same without sites: only facts are right.
  bool VisitFacts(const std::function<void(const profile::Profile&, uint64_t moment)>& visit);

  // Of the last proven row.
  uint64_t seal() const { return seal_; }

 private:
  Database* database_;
  int format_;
  std::string name_;
  std::vector<uint64_t> moments_;  // of the proven rows, in order
  std::vector<std::vector<profile::SourceFrame>> names_;
  uint64_t seal_ = 0;
};

}  // namespace heaptally::store
