#include "collect/address_space.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace heaptally::collect {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kMostPages = 8u << 20;  // of one view: 32 GiB of addresses, 64 MiB of pagemap

std::string ReadAll(const std::string& path) {
  std::string text;
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return text;
  char buffer[1 << 16];
  for (ssize_t got; (got = read(descriptor, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<size_t>(got));
  close(descriptor);
  return text;
}

// "7f00-7f10 rw-s 00000000 00:1a 4711   /dev/shm/..."
bool ParseHead(const std::string& line, Mapping* mapping) {
  char rights[5] = {};
  int name_at = 0;
  if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %4s %*s %*s %" SCNu64 " %n", &mapping->start, &mapping->end,
                  rights, &mapping->inode, &name_at) < 4) {
    return false;
  }
  mapping->readable = rights[0] == 'r';
  mapping->writable = rights[1] == 'w';
  mapping->executable = rights[2] == 'x';
  mapping->shared = rights[3] == 's';
  if (name_at > 0) mapping->name = line.substr(static_cast<size_t>(name_at));
  return mapping->start < mapping->end;
}

bool HasFlag(std::string_view flags, std::string_view flag) { return flags.find(flag) != std::string_view::npos; }

void ParseDetail(std::string_view line, Mapping* mapping) {
  if (line.starts_with("Rss:")) {
    const size_t digit = line.find_first_of("0123456789");
    uint64_t kib = 0;
    if (digit != std::string_view::npos) std::from_chars(line.data() + digit, line.data() + line.size(), kib);
    mapping->resident_bytes = kib * 1024;
  } else if (line.starts_with("VmFlags:")) {
    mapping->agents_own = mapping->inode == 0 && HasFlag(line, " dd") && HasFlag(line, " wf");
  }
}

}  // namespace

std::vector<Mapping> ParseSmaps(const std::string& text) {
  std::vector<Mapping> mappings;
  for (size_t at = 0; at < text.size();) {
    size_t end = text.find('\n', at);
    if (end == std::string::npos) end = text.size();
    const std::string_view line(text.data() + at, end - at);
    Mapping mapping;
    // A detail begins with a capital letter and has its colon before the first blank.
    if (!line.empty() && line[0] >= 'A' && line[0] <= 'Z') {
      if (!mappings.empty()) ParseDetail(line, &mappings.back());
    } else if (ParseHead(std::string(line), &mapping)) {
      mappings.push_back(std::move(mapping));
    }
    at = end + 1;
  }
  return mappings;
}

std::optional<std::vector<Mapping>> ReadAddressSpace(pid_t pid) {
  std::vector<Mapping> mappings = ParseSmaps(ReadAll("/proc/" + std::to_string(pid) + "/smaps"));
  if (mappings.empty()) return std::nullopt;
  return mappings;
}

LivingPages::LivingPages(pid_t pid) : pid_(pid), pages_left_(kMostPages) {
  pagemap_ = open(("/proc/" + std::to_string(pid) + "/pagemap").c_str(), O_RDONLY | O_CLOEXEC);
}

LivingPages::~LivingPages() {
  if (pagemap_ >= 0) close(pagemap_);
}

std::optional<std::vector<bool>> LivingPages::Present(uint64_t start, uint64_t end) {
  const uint64_t first = start / kPage, last = (end + kPage - 1) / kPage;
  if (pagemap_ < 0 || last - first > pages_left_) return std::nullopt;
  pages_left_ -= last - first;
  std::vector<bool> present(last - first);
  std::vector<uint64_t> entries(std::min<uint64_t>(last - first, 8192));
  for (uint64_t at = first; at < last; at += entries.size()) {
    const uint64_t count = std::min<uint64_t>(entries.size(), last - at);
    const auto bytes = static_cast<ssize_t>(count * sizeof(uint64_t));
    if (pread(pagemap_, entries.data(), static_cast<size_t>(bytes), static_cast<off_t>(at * sizeof(uint64_t))) != bytes) return std::nullopt;
    for (uint64_t i = 0; i < count; ++i) present[at - first + i] = entries[i] >> 63 != 0;
  }
  return present;
}

bool LivingPages::ReadPairs(const std::vector<uint64_t>& addresses, std::vector<uint64_t>* words) {
  constexpr size_t kAtOnce = 512, kPair = 2 * sizeof(uint64_t);
  words->assign(addresses.size() * 2, 0);
  std::vector<iovec> remote;
  for (size_t at = 0; at < addresses.size(); at += kAtOnce) {
    const size_t batch = std::min(kAtOnce, addresses.size() - at);
    remote.clear();
    for (size_t i = 0; i < batch; ++i) remote.push_back({reinterpret_cast<void*>(addresses[at + i]), kPair});
    iovec local = {words->data() + at * 2, batch * kPair};
    // Less than all: a page went away meanwhile.
    if (process_vm_readv(pid_, &local, 1, remote.data(), remote.size(), 0) < 0 && errno != EFAULT) {
      gone_ = errno == ESRCH;
      return false;
    }
  }
  return true;
}

uint64_t LivingPages::ZeroedBytes(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return 0;
  Elf64_Ehdr header{};
  uint64_t most = 0;
  const bool fine = pread(descriptor, &header, sizeof header, 0) == sizeof header &&
                    std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
                    header.e_phentsize == sizeof(Elf64_Phdr);
  for (uint16_t i = 0; fine && i < header.e_phnum; ++i) {
    Elf64_Phdr one{};
    const auto at = static_cast<off_t>(header.e_phoff + i * sizeof one);
    if (pread(descriptor, &one, sizeof one, at) != sizeof one) break;
    if (one.p_type != PT_LOAD || one.p_memsz <= one.p_filesz) continue;
    const auto whole = [](uint64_t address) { return (address + kPage - 1) / kPage * kPage; };
    most = std::max(most, whole(one.p_vaddr + one.p_memsz) - whole(one.p_vaddr + one.p_filesz));
  }
  close(descriptor);
  return most;
}

}  // namespace heaptally::collect
