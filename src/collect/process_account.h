// The account of a living, profiled process: its address space, and what its segment says is whose, at one moment.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "collect/memory_account.h"
#include "profile/profile.h"
#include "segment/reader.h"

namespace heaptally::collect {

struct ProcessAccount {
  pid_t pid = 0;                  // as we see it
  int32_t inner_pid = 0;          // as its image has it
  uint64_t started_unix_ns = 0;   // of the image
  profile::Coverage coverage;
  bool looked_into = true;
};

// `pid` as we see it. Nothing if the process is gone, or may not be looked at.
std::optional<ProcessAccount> TakeAccount(pid_t pid, const segment::Mappings& mappings);

// The same of an address space that was read already.
ProcessAccount AccountOf(pid_t pid, const segment::Mappings& mappings, const std::vector<Mapping>& space,
                         ProcessPages* pages);

void AddAccount(const ProcessAccount& account, profile::Profile* profile);

// Takes accounts of running processes again and again, so that one that ends has a last one. The kernel walks the
// page tables of the whole process for one and holds its lock of mappings meanwhile, so the time between two of them is a
// hundred times of what the last one took (for the first few ten times, since most processes are short), for all
// processes of a run together.
class AccountWatch {
 public:
  using Clock = std::chrono::steady_clock;

  // `processes`: how many are looked at in turn.
  void Look(pid_t pid, uint64_t start_ticks, size_t processes);

  // The last account of each image that was seen.
  std::vector<ProcessAccount> Last() const;

 private:
  struct Seen {
    uint64_t start_ticks = 0;
    Clock::time_point next;
    uint32_t taken = 0;
    std::map<uint64_t, ProcessAccount> by_image;  // by its start
  };
  std::map<pid_t, Seen> seen_;
};

}  // namespace heaptally::collect
