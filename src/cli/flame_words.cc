#include "cli/flame_words.h"

#include "cli/render_summary.h"
#include "cli/text.h"
#include "cli/units.h"

namespace heaptally::cli {

exporters::ImageWords FlameWords(const std::vector<const profile::Profile*>& profiles) {
  exporters::ImageWords words;
  bool noted = false;
  std::vector<profile::Profile> bare;  // the page has notes of its own, which stand elsewhere
  for (const profile::Profile* profile : profiles) {
    profile::Profile& one = bare.emplace_back();
    one.loss = profile->loss;
    one.unattributed_bytes = profile->unattributed_bytes;
    one.unattributed_objects = profile->unattributed_objects;
    one.unknown_frees = profile->unknown_frees;
    one.inherited_bytes = profile->inherited_bytes;
    for (const std::string& note : profile->notes) noted = noted || SaysUnseen(note);
  }
  std::vector<const profile::Profile*> all;
  for (const profile::Profile& one : bare) all.push_back(&one);
  words.not_seen = NotSeen(all);
  if (noted) words.not_seen.push_back("what the notes say");
  if (profiles.size() != 1) return words;
  const profile::Profile& profile = *profiles[0];
  words.mode = ModeWords(profile);
  words.live = LiveWords(profile);
  words.peak = PeakWords(profile);
  words.end = StateWords(profile);
  if (profile.taken_unix_ns > profile.started_unix_ns && profile.started_unix_ns != 0) {
    const double seconds = static_cast<double>(profile.taken_unix_ns - profile.started_unix_ns) / 1e9;
    words.end += (profile.state == profile::State::kRunning ? " for " : " after ") + FormatDuration(seconds);
  }
  for (const std::string& note : profile.notes) words.notes.push_back(Printable(note));
  return words;
}

}  // namespace heaptally::cli
