#include "store/stored_series.h"

#include "store/profile_blobs.h"

namespace heaptally::store {
namespace {

// Before format 3, there were no moments and no names of their own: each row is whole.
constexpr const char* kRows[] = {
    "SELECT facts, modules, frames, '', stacks, seal, 0 FROM snapshot WHERE series = ? ORDER BY id",
    "SELECT facts, modules, frames, names, stacks, seal, moment FROM snapshot WHERE series = ? ORDER BY id"};

SnapshotBlobs BlobsOf(Statement* row) {
  return {row->BytesAt(0), row->BytesAt(1), row->BytesAt(2), row->BytesAt(3), row->BytesAt(4)};
}

bool IsWhole(int format) { return format < 3; }

bool ApplyWhole(const SnapshotBlobs& blobs, SeriesState* state) {
  *state = {};
  return UnpackWhole(blobs.facts, blobs.modules, blobs.frames, &state->last, &state->names) &&
         UnpackWholeSites(blobs.sites, state);
}

}  // namespace

StoredSeries::StoredSeries(Database* database, int format, std::string name)
    : database_(database), format_(format), name_(std::move(name)) {}

bool StoredSeries::ReadNames() {
  Statement row(database_, kRows[IsWhole(format_) ? 0 : 1]);
  row.Text(name_);
  SeriesState state;
  uint64_t frames = 0;
  for (;;) {
    const Statement::Result result = row.Step();
    if (result != Statement::Result::kRow) {
      names_ = std::move(state.names);
      return result == Statement::Result::kDone;
    }
    const SnapshotBlobs blobs = BlobsOf(&row);
    const auto moment = IsWhole(format_) ? moments_.size() + 1 : static_cast<uint64_t>(row.IntegerAt(6));
    const uint64_t seal = IsWhole(format_) ? SealOfWhole(blobs.facts, blobs.modules, blobs.frames, blobs.sites)
                                           : SealOf(seal_, moment, blobs);
    const bool in_order = moments_.empty() || moment >= moments_.back();
    if (seal != static_cast<uint64_t>(row.IntegerAt(5)) || !in_order || !ApplyNames(blobs.names, frames += FramesIn(blobs.frames), &state)) {
      names_ = std::move(state.names);
      return false;
    }
    seal_ = seal;
    moments_.push_back(moment);
  }
}

bool StoredSeries::Visit(uint64_t last_moment, const std::function<void(const SeriesState&, uint64_t)>& visit,
                         Visits visits) {
  Statement row(database_, kRows[IsWhole(format_) ? 0 : 1]);
  row.Text(name_);
  SeriesState state;
  state.names = names_;
  for (size_t i = 0; i < moments_.size() && moments_[i] <= last_moment; ++i) {
    const bool last = i + 1 == moments_.size() || moments_[i + 1] > last_moment;
    if (row.Step() != Statement::Result::kRow) return false;
    if (IsWhole(format_) && visits == Visits::kLast && !last) continue;
    SnapshotBlobs blobs = BlobsOf(&row);
    blobs.names = {};
    if (!(IsWhole(format_) ? ApplyWhole(blobs, &state) : Apply(blobs, &state))) return false;
    if (last || visits == Visits::kAll) visit(state, moments_[i]);
  }
  return true;
}

bool StoredSeries::VisitFacts(const std::function<void(const profile::Profile&, uint64_t)>& visit) {
  Statement row(database_, kRows[IsWhole(format_) ? 0 : 1]);
  row.Text(name_);
  std::string facts;
  for (const uint64_t moment : moments_) {
    if (row.Step() != Statement::Result::kRow) return false;
    profile::Profile profile;
    if (IsWhole(format_)) facts = row.BytesAt(0);
    if ((!IsWhole(format_) && !ApplyFacts(row.BytesAt(0), &facts)) || !UnpackFacts(facts, &profile)) return false;
    visit(profile, moment);
  }
  return true;
}

}  // namespace heaptally::store
