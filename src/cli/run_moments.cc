#include "cli/run_moments.h"

#include <algorithm>

#include "collect/segments.h"
#include "collect/snapshot.h"
#include "symbols/display.h"

namespace heaptally::cli {

RunMoments::RunMoments(double seconds, std::string directory, std::string run_id, std::string capture)
    : every_(seconds),
      directory_(std::move(directory)),
      run_id_(std::move(run_id)),
      capture_(std::move(capture)),
      next_(collect::Clock::now() + std::chrono::duration_cast<collect::Clock::duration>(every_)) {}

std::chrono::milliseconds RunMoments::UntilNext() const {
  if (every_.count() == 0) return std::chrono::hours(1);
  return std::chrono::duration_cast<std::chrono::milliseconds>(next_ - collect::Clock::now());
}

void RunMoments::Look() {
  const auto now = collect::Clock::now();
  if (every_.count() == 0 || now < next_) return;
  Take();
  // A moment that took longer than the interval is not made up for.
  const auto step = std::chrono::duration_cast<collect::Clock::duration>(every_);
  next_ += step;
  if (next_ < collect::Clock::now()) next_ = collect::Clock::now() + step;
}

void RunMoments::Begin() {
  if (writer_) return;
  auto made = store::CaptureWriter::Create(capture_, {.is_plumbing = symbols::IsPlumbing}, &problem_);
  if (made) writer_.emplace(std::move(*made));
}

void RunMoments::Take() {
  std::string ignored;
  const auto all = collect::ListSegments(directory_, &ignored);
  if (!all) return;
  std::vector<collect::SegmentName> candidates;
  for (const collect::SegmentName& segment : *all) {
    if (!ended_.contains(segment.path)) candidates.push_back(segment);
  }
  if (writer_) writer_->NextMoment();
  bool taken = false;
  for (const collect::SegmentName& segment : collect::SegmentsOfRun(candidates, run_id_)) {
    const collect::Snapshot snapshot = collect::TakeSnapshot({segment.path});
    bool running = false;
    for (const profile::Profile& profile : snapshot.profiles) {
      running = running || profile.state == profile::State::kRunning;
      Begin();
      if (writer_ && writer_->Add(profile, &problem_, store::CaptureWriter::Rows::kNone)) taken = true;
    }
    if (!running && !snapshot.profiles.empty()) ended_.insert(segment.path);
  }
  if (taken) writer_->Publish(&problem_);
}

bool RunMoments::Finish(const std::vector<profile::Profile>& profiles) {
  if (!writer_) return false;
  writer_->SetRows(profiles.size());
  writer_->NextMoment();
  for (const profile::Profile& profile : profiles) {
    if (!writer_->Add(profile, &problem_)) return false;
  }
  const bool finished = writer_->Commit(&problem_);
  if (finished) problem_.clear();
  return finished;
}

}  // namespace heaptally::cli
