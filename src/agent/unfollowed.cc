#include "agent/unfollowed.h"

#include "agent/process.h"
#include "agent/segment_file.h"

namespace heaptally::agent {
namespace {

using segment::kMaxUnfollowed;
using segment::NotFollowed;
using segment::UnfollowedProgram;

// The end of the path, where it is longer than fits.
const char* TailOf(const char* path) {
  uint64_t bytes = 0;
  while (path[bytes] != 0) ++bytes;
  constexpr uint64_t kRoom = sizeof(UnfollowedProgram::path) - 1;
  return bytes > kRoom ? path + bytes - kRoom : path;
}

bool SamePath(const UnfollowedProgram& program, const char* path) {
  const char* at = program.path;
  while (*at != 0 && *at == *path) {
    ++at;
    ++path;
  }
  return *at == *path;
}

void Write(UnfollowedProgram* program, NotFollowed reason, const char* path, int32_t pid) {
  char* to = program->path;
  while (*path != 0) *to++ = *path++;
  program->pid = pid;
  __atomic_store_n(&program->reason, static_cast<uint32_t>(reason), __ATOMIC_RELEASE);
}

}  // namespace

UnfollowedProgram* NoteUnfollowed(NotFollowed reason, const char* path, int32_t pid) {
  segment::ImageHeader* header = FirstImageHeader();
  if (header == nullptr) return nullptr;
  path = TailOf(path);
  for (UnfollowedProgram& program : header->unfollowed) {
    const uint32_t has = __atomic_load_n(&program.reason, __ATOMIC_ACQUIRE);
    bool ours = has == static_cast<uint32_t>(reason) && SamePath(program, path);
    if (has == 0 && __atomic_exchange_n(&program.claimed, 1u, __ATOMIC_ACQ_REL) == 0) {
      Write(&program, reason, path, pid);
      ours = true;
    }
    if (!ours) continue;
    __atomic_fetch_add(&program.times, 1u, __ATOMIC_RELAXED);
    return &program;
  }
  __atomic_fetch_add(&header->unfollowed_others, 1, __ATOMIC_RELAXED);
  return nullptr;
}

void TakeBackUnfollowed(UnfollowedProgram* program) {
  if (program != nullptr) __atomic_fetch_sub(&program->times, 1u, __ATOMIC_RELAXED);
}

}  // namespace heaptally::agent
