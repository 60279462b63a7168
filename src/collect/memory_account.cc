#include "collect/memory_account.h"

#include <algorithm>
#include <string_view>

namespace heaptally::collect {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kArenaBytes = 64u << 20;  // glibc's HEAP_MAX_SIZE: a heap of an arena is aligned to its largest size
constexpr uint64_t kLeastBlock = 2 * kPage;  // mapped one by one; glibc's own threshold is 128 KiB
constexpr size_t kMostHeaders = 1u << 18;    // looked at in one account

enum class Part { kHeap, kMapped, kStacks, kFiles, kOwn, kUnexplained };

struct Piece {
  uint64_t start;
  uint64_t end;
  Part part;
  uint32_t site = 0;
};
using Pieces = std::vector<Piece>;

bool IsOwn(const Mapping& mapping) {
  std::string_view name = mapping.name;
  constexpr std::string_view kDeleted = " (deleted)";
  if (name.ends_with(kDeleted)) name.remove_suffix(kDeleted.size());
  return mapping.agents_own || name.ends_with(".seg") || name.ends_with("/libheaptally.so");
}

// What the mapping says of itself; kUnexplained: anonymous memory, to be looked at more closely.
Part PartOf(const Mapping& mapping) {
  if (IsOwn(mapping)) return Part::kOwn;
  if (!mapping.anonymous()) return Part::kFiles;
  if (mapping.name == "[heap]" || mapping.name.find("glibc: malloc") != std::string::npos) return Part::kHeap;
  if (mapping.name.starts_with("[stack") || mapping.name.find("pthread stack") != std::string::npos)
    return Part::kStacks;
  if (mapping.name.starts_with("[v")) return Part::kFiles;  // vdso, vvar, vsyscall: the kernel's part of the program
  return Part::kUnexplained;
}

// The mapping as pieces: ranges that are known, and what is between them, which is `rest`.
Pieces Split(const Mapping& mapping, const std::vector<LiveRange>& ranges, Part rest) {
  Pieces pieces;
  uint64_t at = mapping.start;
  auto range = std::partition_point(ranges.begin(), ranges.end(),
                                    [&mapping](const LiveRange& one) { return one.end <= mapping.start; });
  for (; range != ranges.end() && range->start < mapping.end; ++range) {
    const uint64_t start = std::max(range->start, at), end = std::min(range->end, mapping.end);
    if (start >= end) continue;
    if (start > at) pieces.push_back({at, start, rest});
    pieces.push_back({start, end, range->allocators ? Part::kHeap : Part::kMapped, range->site});
    at = end;
  }
  if (at < mapping.end) pieces.push_back({at, mapping.end, rest});
  return pieces;
}

class Accountant {
 public:
  Accountant(const std::vector<Mapping>& mappings, const std::vector<LiveRange>& ranges, ProcessPages* pages)
      : mappings_(mappings), ranges_(ranges), pages_(pages) {
    glibc_ = std::none_of(ranges.begin(), ranges.end(), [](const LiveRange& range) { return range.allocators; });
  }

  MemoryAccount Take() {
    for (const LiveRange& range : ranges_) {
      if (!range.allocators) account_.mapped_by_site.try_emplace(range.site, 0);
    }
    for (size_t i = 0; i < mappings_.size(); ++i) Add(i);
    return std::move(account_);
  }

 private:
  void Add(size_t index) {
    const Mapping& mapping = mappings_[index];
    account_.rss_bytes += mapping.resident_bytes;
    if (mapping.resident_bytes == 0) return;
    const Part part = PartOf(mapping);
    Pieces pieces = part == Part::kOwn ? Pieces{{mapping.start, mapping.end, part}} : Split(mapping, ranges_, part);
    std::optional<std::vector<bool>> present;
    const bool all_there = mapping.resident_bytes == mapping.end - mapping.start;
    if (part == Part::kUnexplained || pieces.size() > 1) {
      present = all_there ? std::vector<bool>((mapping.end - mapping.start) / kPage, true)
                          : pages_->Present(mapping.start, mapping.end);
    }
    if (part == Part::kUnexplained) pieces = LookCloser(index, pieces, present);
    Count(mapping, pieces, present);
  }

  // Resident bytes of the pieces. Pages of zeros that were only read are present, but not resident; so no more is
  // given out than there is.
  void Count(const Mapping& mapping, const Pieces& pieces, const std::optional<std::vector<bool>>& present) {
    if (pieces.size() == 1) return Book(pieces[0], mapping.resident_bytes);
    if (!present) return;
    uint64_t left = mapping.resident_bytes;
    for (const Piece& piece : pieces) {
      const auto first = present->begin() + static_cast<std::ptrdiff_t>((piece.start - mapping.start) / kPage);
      const auto last = present->begin() + static_cast<std::ptrdiff_t>((piece.end - 1 - mapping.start) / kPage + 1);
      uint64_t bytes = static_cast<uint64_t>(std::count(first, last, true)) * kPage;
      bytes = std::min({bytes, left, (piece.end - piece.start + kPage - 1) / kPage * kPage});
      left -= bytes;
      Book(piece, bytes);
    }
  }

  void Book(const Piece& piece, uint64_t bytes) {
    switch (piece.part) {
      case Part::kHeap:
        account_.heap_bytes += bytes;
        break;
      case Part::kMapped:
        account_.mapped_bytes += bytes;
        account_.mapped_by_site[piece.site] += bytes;
        break;
      case Part::kStacks:
        account_.stacks_bytes += bytes;
        break;
      case Part::kFiles:
        account_.files_bytes += bytes;
        break;
      case Part::kOwn:
        account_.own_bytes += bytes;
        break;
      case Part::kUnexplained:
        break;
    }
  }

  // Anonymous memory of which nobody has said what it is.
  Pieces LookCloser(size_t index, const Pieces& pieces, const std::optional<std::vector<bool>>& present) {
    const Mapping& mapping = mappings_[index];
    Pieces out;
    for (const Piece& piece : pieces) {
      if (piece.part != Part::kUnexplained) {
        out.push_back(piece);
        continue;
      }
      for (const Piece& part : WithoutArenas(index, piece)) {
        if (part.part == Part::kUnexplained) {
          for (const Piece& block : WithoutBlocks(mapping, part, present)) AddRemainder(index, block, &out);
        } else {
          out.push_back(part);
        }
      }
    }
    return out;
  }

  // glibc's arenas other than the main one: heaps aligned to 64 MiB, of which the upper part is reserved and inaccessible.
  Pieces WithoutArenas(size_t index, const Piece& piece) {
    Pieces out;
    uint64_t at = piece.start;
    for (uint64_t heap = (piece.start + kArenaBytes - 1) / kArenaBytes * kArenaBytes; glibc_ && heap < piece.end; heap += kArenaBytes) {
      const uint64_t end = std::min(heap + kArenaBytes, piece.end);
      if (!IsArena(index, heap, end)) continue;
      if (heap > at) out.push_back({at, heap, Part::kUnexplained});
      out.push_back({heap, end, Part::kHeap});
      at = end;
    }
    if (at < piece.end) out.push_back({at, piece.end, Part::kUnexplained});
    return out;
  }

  bool IsArena(size_t index, uint64_t heap, uint64_t end) {
    const bool full = end == heap + kArenaBytes;
    if (!full) {
      const bool at_end = end == mappings_[index].end && index + 1 < mappings_.size();
      if (!at_end) return false;
      const Mapping& next = mappings_[index + 1];
      if (next.start != end || !next.inaccessible() || !next.anonymous() || next.end < heap + kArenaBytes) return false;
    }
    // Its head: arena, heap before it, size, accessible size.
    std::vector<uint64_t> words;
    if (!Read({heap, heap + 16}, &words)) return !full;
    return words[0] != 0 && words[1] % kArenaBytes == 0 && words[2] != 0 && words[2] <= kArenaBytes && words[3] == end - heap;
  }

  // Large blocks that glibc maps one by one. Each begins with a head of two words: how far the head is from the start of the
  // mapping, and the size from there on, with the bit that says "mapped" (and no other of the lowest three).
  Pieces WithoutBlocks(const Mapping& mapping, const Piece& piece, const std::optional<std::vector<bool>>& present) {
    Pieces out;
    uint64_t at = piece.start;
    size_t batch = 1;
    for (uint64_t page = at; glibc_ && present && page < piece.end && headers_ < kMostHeaders;) {
      std::vector<uint64_t> heads;
      uint64_t next = page;
      for (; next < piece.end && heads.size() < batch * 4; next += kPage) {
        if (!(*present)[(next - mapping.start) / kPage]) continue;
        for (const uint64_t offset : {uint64_t{0}, uint64_t{16}, uint64_t{48}, kPage - 16}) heads.push_back(next + offset);
      }
      std::vector<uint64_t> words;
      headers_ += heads.size();
      if (heads.empty() || !Read(heads, &words)) break;
      batch = std::min<size_t>(batch * 2, 128);
      for (size_t i = 0; i < heads.size(); ++i) {
        const uint64_t start = heads[i] - words[2 * i], end = heads[i] + (words[2 * i + 1] & ~uint64_t{7});
        const bool block = (words[2 * i + 1] & 7) == 2 && words[2 * i] <= heads[i] && start % kPage == 0 && end % kPage == 0 &&
                           start >= at && end > start && end - start >= kLeastBlock && end <= piece.end;
        if (!block) continue;
        if (start > at) out.push_back({at, start, Part::kUnexplained});
        out.push_back({start, end, Part::kHeap});
        at = next = end;
        batch = 1;
        break;
      }
      page = next;
    }
    if (at < piece.end) out.push_back({at, piece.end, Part::kUnexplained});
    return out;
  }

  // What is left: a thread's stack, right above its guard; zeroed data of a program or library, right above its file's.
  void AddRemainder(size_t index, const Piece& piece, Pieces* out) {
    const Mapping& mapping = mappings_[index];
    if (piece.part != Part::kUnexplained || piece.start != mapping.start || index == 0 ||
        mappings_[index - 1].end != mapping.start || !mapping.writable) {
      out->push_back(piece);
      return;
    }
    const Mapping& below = mappings_[index - 1];
    if (below.anonymous()) {
      out->push_back({piece.start, piece.end, below.inaccessible() ? Part::kStacks : Part::kUnexplained});
      return;
    }
    const uint64_t zeroed = below.writable ? std::min(pages_->ZeroedBytes(below.name), piece.end - piece.start) : 0;
    if (zeroed > 0) out->push_back({piece.start, piece.start + zeroed, PartOf(below)});
    if (piece.start + zeroed < piece.end) out->push_back({piece.start + zeroed, piece.end, Part::kUnexplained});
  }

  bool Read(const std::vector<uint64_t>& addresses, std::vector<uint64_t>* words) {
    if (account_.looked_into) account_.looked_into = pages_->ReadPairs(addresses, words);
    return account_.looked_into;
  }

  const std::vector<Mapping>& mappings_;
  const std::vector<LiveRange>& ranges_;
  ProcessPages* pages_;
  bool glibc_ = true;  // no allocator maps memory by the hooks
  size_t headers_ = 0;
  MemoryAccount account_;
};

}  // namespace

MemoryAccount AccountFor(const std::vector<Mapping>& mappings, std::vector<LiveRange> ranges, ProcessPages* pages) {
  std::sort(ranges.begin(), ranges.end(), [](const LiveRange& a, const LiveRange& b) { return a.start < b.start; });
  return Accountant(mappings, ranges, pages).Take();
}

}  // namespace heaptally::collect
