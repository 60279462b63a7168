#include "collect/watch.h"

#include <algorithm>

namespace heaptally::collect {
namespace {

constexpr size_t kMostProcesses = 512;  // of one look: a tree of thousands is sampled, not slowed down
constexpr std::chrono::milliseconds kGrace{1000};

}  // namespace

Watch::Watch(pid_t child, std::string agent, bool tree) : child_(child), agent_(std::move(agent)), tree_(tree) {}

void Watch::Look(const std::function<void(const Unseen&)>& on_unseen) {
  const Clock::time_point now = Clock::now();
  if (!tree_) {
    LookAt(child_, now, 1, on_unseen);
    return;
  }
  const std::vector<pid_t> tree = TreeOf(child_, kMostProcesses);
  for (const pid_t pid : tree) LookAt(pid, now, tree.size(), on_unseen);
}

void Watch::LookAt(pid_t pid, Clock::time_point now, size_t processes, const std::function<void(const Unseen&)>& on_unseen) {
  const std::optional<Resident> resident = ReadResident(pid);
  if (!resident) return;
  Watched& seen = watched_[pid];
  const uint64_t ticks = StartTicks(pid);
  if (seen.pid == 0 || seen.start_ticks != ticks) seen = {.pid = pid, .start_ticks = ticks};
  const std::string exe = ExecutableOf(pid);
  if (!exe.empty() && exe != seen.exe) {
    seen.exe = exe;
    seen.exe_since = now;
    seen.asked = false;
  }
  seen.last = *resident;
  seen.last_seen = now;
  seen.highest_bytes = std::max(seen.highest_bytes, resident->rss_bytes);
  if (pid == child_) seen.highest_bytes = std::max(seen.highest_bytes, ReadHighestResident(pid));
  if (!agent_.empty()) accounts_.Look(pid, ticks, processes);
  if (agent_.empty() || seen.asked || seen.exe.empty() || now - seen.exe_since < kGrace) return;
  seen.asked = true;
  if (Maps(pid, agent_) != std::optional<bool>(false)) return;
  unseen_.push_back({pid, seen.exe});
  on_unseen(unseen_.back());
}

const Watched* Watch::Find(pid_t pid) const {
  const auto found = watched_.find(pid);
  return found != watched_.end() ? &found->second : nullptr;
}

}  // namespace heaptally::collect
