#include <string>

#include "collect/image_profile.h"

namespace heaptally::collect {
namespace {

// "12.3 s"
std::string Seconds(uint64_t ns) {
  const uint64_t tenths = ns / 100'000'000;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
}

}  // namespace

void AddPauses(const segment::ImageHeader& header, uint64_t end_unix_ns, bool running,
               profile::Profile* profile) {
  const segment::Control& control = header.control;
  if (control.check != ~control.order) return;  // nothing was ever asked
  const bool paused = (control.order & segment::kOrderPaused) != 0;
  const uint64_t now =
      paused && end_unix_ns > control.paused_since_unix_ns ? end_unix_ns - control.paused_since_unix_ns : 0;
  const uint64_t all = control.paused_ns < UINT64_MAX - now ? control.paused_ns + now : now;
  if (!paused && all == 0 && header.unseen_while_paused == 0) return;
  std::string note = "Recording was paused for " + Seconds(all) + " in all (heaptally set)";
  if (paused) note += running ? ", and is paused now" : ", up to the end";
  note += ": what was allocated meanwhile is not counted; releases were.";
  if (header.mode == segment::Mode::kPerClass) note += " How much that was is not known in mode per-class.";
  profile->notes.push_back(note);
  const char* key = header.mode == segment::Mode::kCount ? "paused-calls" : "paused-bytes";
  if (header.unseen_while_paused != 0) profile->loss[key] += header.unseen_while_paused;
}

}  // namespace heaptally::collect
