#include "agent/startup_arena.h"

#include "platform/syscalls.h"

namespace heaptally::agent {
namespace {

constexpr size_t kStaticBytes = 64u << 10;
constexpr size_t kMappedBytes = 1u << 20;
constexpr int kMaxRanges = 32;
constexpr size_t kHeaderBytes = 16;  // the block's size, just before it

alignas(64) char g_static_bytes[kStaticBytes];

struct Range {
  char* start;
  char* end;
  char* next;
};
Range g_mapped[kMaxRanges];
uint32_t g_mapped_count;
size_t g_static_used;
ArenaUse g_use;
uint32_t g_lock;

// Calls this early come from the one thread that runs ld.so; a later one (no malloc behind us) may race.
void Lock() {
  while (__atomic_exchange_n(&g_lock, 1u, __ATOMIC_ACQUIRE) != 0) platform::Syscall(platform::Call::kSchedYield);
}
void Unlock() { __atomic_store_n(&g_lock, 0u, __ATOMIC_RELEASE); }

char* Carve(char* next, char* end, size_t size, size_t alignment) {
  const uint64_t start = (reinterpret_cast<uint64_t>(next) + kHeaderBytes + alignment - 1) & ~(alignment - 1);
  if (start > reinterpret_cast<uint64_t>(end) || reinterpret_cast<uint64_t>(end) - start < size) return nullptr;
  return reinterpret_cast<char*>(start);
}

char* CarveMapped(size_t size, size_t alignment) {
  if (g_mapped_count > 0) {
    Range& last = g_mapped[g_mapped_count - 1];
    if (char* block = Carve(last.next, last.end, size, alignment)) {
      last.next = block + size;
      return block;
    }
  }
  if (g_mapped_count == kMaxRanges || size > (1ull << 40)) return nullptr;
  const size_t need = size + alignment + kHeaderBytes + platform::kPageBytes;
  const size_t bytes = need > kMappedBytes ? need & ~(platform::kPageBytes - 1) : kMappedBytes;
  constexpr long kReadWrite = 3, kPrivateAnonymous = 0x22;
  const long start = platform::Syscall(platform::Call::kMmap, 0, static_cast<long>(bytes), kReadWrite, kPrivateAnonymous, -1, 0);
  if (start < 0 && start > -4096) return nullptr;
  Range& range = g_mapped[g_mapped_count];
  range.start = range.next = reinterpret_cast<char*>(start);
  range.end = range.start + bytes;
  char* block = Carve(range.next, range.end, size, alignment);
  if (block != nullptr) range.next = block + size;
  __atomic_store_n(&g_mapped_count, g_mapped_count + 1, __ATOMIC_RELEASE);
  return block;
}

}  // namespace

void* ArenaAllocate(size_t size, size_t alignment) {
  if (alignment < 16) alignment = 16;
  Lock();
  char* block = Carve(g_static_bytes + g_static_used, g_static_bytes + kStaticBytes, size, alignment);
  if (block != nullptr) {
    g_static_used = static_cast<size_t>(block - g_static_bytes) + size;
  } else {
    block = CarveMapped(size, alignment);
  }
  if (block != nullptr) {
    reinterpret_cast<size_t*>(block)[-1] = size;
    ++g_use.objects;
    g_use.bytes += size;
  } else {
    ++g_use.refused;
  }
  Unlock();
  return block;
}

bool ArenaOwns(const void* pointer) {
  const auto* address = static_cast<const char*>(pointer);
  if (address >= g_static_bytes && address < g_static_bytes + kStaticBytes) return true;
  const uint32_t count = __atomic_load_n(&g_mapped_count, __ATOMIC_ACQUIRE);
  for (uint32_t i = 0; i < count; ++i) {
    if (address >= g_mapped[i].start && address < g_mapped[i].end) return true;
  }
  return false;
}

size_t ArenaBlockSize(const void* pointer) { return static_cast<const size_t*>(pointer)[-1]; }

ArenaUse GetArenaUse() { return g_use; }

}  // namespace heaptally::agent
