#include "profile/loss_reasons.h"

namespace heaptally::profile {
namespace {

struct Reason {
  std::string_view key;
  std::string_view sentence;
};

constexpr Reason kReasons[] = {
    {"site-table-full",
     "booked at a known caller or at \"other\", since there was no room for a new site: totals are right"},
    {"stack-reentry",
     "of a signal handler that came while a stack was being recorded, booked at \"other\": totals are right"},
    {"sample-table-full", "samples without room in the table: missing from every number"},
    {"lock-timeout",
     "sampled events given up because another thread held the tally too long: missing from every number"},
    {"lock-reentry", "sampled events of a signal handler that interrupted the tally: missing from every number"},
    {"live-table-full", "blocks whose release can't be recognised: they count as live for ever"},
    {"histogram-full", "missing from a histogram only"},
    {"module-table-full", "frames whose module could not be noted: shown as bare addresses"},
    {"segment-full", "refused growth of the segment (disk full, RLIMIT_AS, RLIMIT_FSIZE, or its size cap)"},
    {"child-not-recorded", "forked children that found no prepared room: nothing of them is recorded"},
    {"child-events", "events in such children"},
    {"stack-cut-depth", "stacks cut at 512 frames: they count, their outermost callers are missing"},
    {"stack-cut-no-rule", "stacks cut at code without unwind information: they count, their callers are missing"},
    {"stack-cut-memory",
     "stacks cut at memory that could not be proven readable: they count, their callers are missing"},
    {"lost-release", "releases that were never seen, known because the address came back: booked when it did"},
    {"arena-exhausted", "allocations before start-up that got NULL since the start-up arena was full"},
    {"mapping-missed",
     "mappings made or ended while their table was being changed: missing from every number of class mapped"},
    {"range-table-full", "mappings without room in their table: they count as mapped for ever"},
    {"event-cut-by-death", "an event that was being booked when the process died: not in the numbers"},
    {"damaged-records", "records of the segment that point nowhere: left out, or shown without their stack"},
    {"paused-bytes", "(about; with a byte for each call) allocated while recording was paused: in no number"},
    {"paused-calls", "calls while recording was paused, about: in no number"},
    {"torn-sites", "sites that changed each time they were read: their numbers are of slightly different moments"},
};

}  // namespace

std::string_view LossSentence(std::string_view reason) {
  for (const Reason& known : kReasons) {
    if (known.key == reason) return known.sentence;
  }
  return reason;
}

}  // namespace heaptally::profile
