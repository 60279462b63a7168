// The address space of a running process, as the kernel tells it: what is mapped where, and how much of it is in memory.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heaptally::collect {

// One line of /proc/PID/maps with what smaps says of it.
struct Mapping {
  uint64_t start = 0;
  uint64_t end = 0;
  bool readable = false;
  bool writable = false;
  bool executable = false;
  bool shared = false;
  uint64_t inode = 0;     // 0: no file
  std::string name;       // path, "[heap]", "[anon:...]", or ""
  uint64_t resident_bytes = 0;
  bool agents_own = false;  // left out of core files and wiped in forked children: the agent marks all of its memory so

  bool anonymous() const { return inode == 0; }
  bool inaccessible() const { return !readable && !writable && !executable; }
};

// Parses the text of /proc/PID/smaps; lines that are not understood are skipped.
std::vector<Mapping> ParseSmaps(const std::string& text);

// In order of addresses; nothing if the process is gone or not ours to look at. The kernel walks the page tables of the
// whole process for it, holding its lock of mappings for a part at a time.
std::optional<std::vector<Mapping>> ReadAddressSpace(pid_t pid);

// What can be asked of single pages of a process. Addresses are in bytes.
class ProcessPages {
 public:
  virtual ~ProcessPages() = default;

  // Which pages of [start, end) are in memory, lowest first; nothing if that can't be known, or would be too much to read.
  virtual std::optional<std::vector<bool>> Present(uint64_t start, uint64_t end) = 0;

  // Reads two words from each of these addresses; what can't be read is 0. False: the process may not be looked into (that
  // needs more than its maps do: ptrace's permission), or it is gone.
  virtual bool ReadPairs(const std::vector<uint64_t>& addresses, std::vector<uint64_t>* words) = 0;

  // Bytes of zeroed data that the program or library `path` has beyond what is mapped from its file.
  virtual uint64_t ZeroedBytes(const std::string& path) = 0;
};

// Through /proc/PID/pagemap, process_vm_readv, and the files.
class LivingPages : public ProcessPages {
 public:
  explicit LivingPages(pid_t pid);
  ~LivingPages() override;
  LivingPages(const LivingPages&) = delete;
  LivingPages& operator=(const LivingPages&) = delete;

  std::optional<std::vector<bool>> Present(uint64_t start, uint64_t end) override;
  bool ReadPairs(const std::vector<uint64_t>& addresses, std::vector<uint64_t>* words) override;
  uint64_t ZeroedBytes(const std::string& path) override;

  // The process turned out to end meanwhile: what was read is of no moment.
  bool gone() const { return gone_; }

 private:
  pid_t pid_;
  bool gone_ = false;
  int pagemap_ = -1;
  uint64_t pages_left_;  // that may still be asked for
};

}  // namespace heaptally::collect
