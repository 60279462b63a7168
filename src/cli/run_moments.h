// `run --every`: a snapshot of all processes of the run at intervals, each one more moment of the capture, which is in its
// place from the first on. Names come at the end, so that the program is not kept from its processor by ours.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>

#include "collect/watch.h"
#include "store/capture.h"

namespace heaptally::cli {

class RunMoments {
 public:
  // `seconds` 0: none are taken.
  RunMoments(double seconds, std::string directory, std::string run_id, std::string capture);

  // Takes a moment if it is time.
  void Look();
  std::chrono::milliseconds UntilNext() const;

  // Adds what is known at the end, with names, and closes the capture. Returns false if none was begun, or if it could
  // not be finished: then `problem` says why.
  bool Finish(const std::vector<profile::Profile>& profiles);
  const std::string& problem() const { return problem_; }

 private:
  void Begin();
  void Take();

  std::chrono::duration<double> every_;
  std::string directory_, run_id_, capture_;
  collect::Clock::time_point next_;
  std::set<std::string> ended_;  // segments of processes that were dead when they were last read
  std::optional<store::CaptureWriter> writer_;
  std::string problem_;
};

}  // namespace heaptally::cli
