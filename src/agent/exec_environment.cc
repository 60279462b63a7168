#include "agent/exec_environment.h"

#include "elf/objects.h"
#include "platform/syscalls.h"

namespace heaptally::agent {

bool g_exec_prepared;

namespace {

using segment::NotFollowed;
using Kind = EnvironmentEdit::Kind;

constexpr char kPreload[] = "LD_PRELOAD=";
constexpr char kTold[] = "HEAPTALLY=";
constexpr char kHide[] = ",hide=1";

char g_agent[416];  // as it stands in LD_PRELOAD
uint64_t g_agent_bytes;
char g_told[1024];  // "HEAPTALLY=...,hide=1"; "" if it does not fit

bool BeginsWith(const char* text, const char* prefix) {
  while (*prefix != 0 && *text == *prefix) {
    ++text;
    ++prefix;
  }
  return *prefix == 0;
}

uint64_t Length(const char* text) {
  uint64_t bytes = 0;
  while (text[bytes] != 0) ++bytes;
  return bytes;
}

// Forward, so the two may overlap. No terminator.
char* Append(char* to, const char* text, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; ++i) *to++ = text[i];
  return to;
}

bool IsAgent(const char* begin, const char* end) {
  if (static_cast<uint64_t>(end - begin) != g_agent_bytes) return false;
  for (uint64_t i = 0; i < g_agent_bytes; ++i) {
    if (begin[i] != g_agent[i]) return false;
  }
  return true;
}

const char* EndOfName(const char* at) {
  while (*at != 0 && *at != ':' && *at != ' ') ++at;
  return at;
}

bool HasAgent(const char* list) {
  for (;;) {
    const char* end = EndOfName(list);
    if (IsAgent(list, end)) return true;
    if (*end == 0) return false;
    list = end + 1;
  }
}

// The list without the agent; the separators of the others stay as they are. Returns the end. In place, too.
char* CopyWithoutAgent(const char* list, char* to) {
  char* const start = to;
  for (;;) {
    const char* end = EndOfName(list);
    const bool last = *end == 0;
    const bool agent = IsAgent(list, end);
    if (!agent) to = Append(to, list, static_cast<uint64_t>(end - list) + (last ? 0 : 1));
    if (last && agent && to != start) --to;  // the separator before it
    if (last) break;
    list = end + 1;
  }
  *to = 0;
  return to;
}

// A file that is not in this process's root directory is not in that of the program that it executes.
bool AgentIsThere() {
  constexpr long kMayRead = 4;
  return platform::Syscall(platform::Call::kAccess, platform::AsLong(g_agent), kMayRead) == 0;
}

void KeepTold(const char* entry) {
  uint64_t bytes = Length(entry);
  const uint64_t mark = sizeof(kHide) - 1;
  if (bytes >= mark && BeginsWith(entry + bytes - mark, kHide)) bytes -= mark;
  if (bytes + sizeof(kHide) > sizeof(g_told)) return;
  *Append(Append(g_told, entry, bytes), kHide, mark) = 0;
}

void RememberAgent() {
  elf::LoadedObject self;
  if (!elf::FindObject(reinterpret_cast<uint64_t>(&g_exec_prepared), &self) || self.path == nullptr) return;
  const uint64_t bytes = Length(self.path);
  if (self.path[0] != '/' || bytes >= sizeof(g_agent)) return;  // relative: it would not be found from elsewhere
  Append(g_agent, self.path, bytes);
  g_agent_bytes = bytes;
}

// Takes the agent out of the process's own environment: what the program sees is what it was given.
void TakeOut(char** environment, bool told_too) {
  char** to = environment;
  for (char** from = environment; *from != nullptr; ++from) {
    if (told_too && BeginsWith(*from, kTold)) continue;
    if (BeginsWith(*from, kPreload) && HasAgent(*from + sizeof(kPreload) - 1)) {
      char* list = *from + sizeof(kPreload) - 1;
      if (CopyWithoutAgent(list, list) == list) continue;
    }
    *to++ = *from;
  }
  *to = nullptr;
}

}  // namespace

void PrepareExec(char** environment, bool follow, bool hide) {
  RememberAgent();
  if (environment == nullptr || g_agent_bytes == 0) return;
  bool preloaded = false;
  for (char** entry = environment; *entry != nullptr; ++entry) {
    if (BeginsWith(*entry, kTold)) KeepTold(*entry);
    if (BeginsWith(*entry, kPreload) && HasAgent(*entry + sizeof(kPreload) - 1)) preloaded = true;
  }
  if (!follow || hide) TakeOut(environment, hide);
  g_exec_prepared = follow && preloaded;
}

EnvironmentEdit DecideEnvironment(const ExecTarget& target, char* const* environment) {
  EnvironmentEdit edit;
  bool has_agent = false;
  for (; environment != nullptr && environment[edit.entries] != nullptr; ++edit.entries) {
    const char* entry = environment[edit.entries];
    if (BeginsWith(entry, kTold)) edit.told = edit.entries + 1;
    if (!BeginsWith(entry, kPreload)) continue;
    edit.preload = edit.entries + 1;
    edit.list = entry + sizeof(kPreload) - 1;
    has_agent = HasAgent(entry + sizeof(kPreload) - 1);
    edit.text_bytes = Length(entry) + 1;
  }
  edit.reason = target.barrier;
  if (edit.reason == NotFollowed::kNone && !AgentIsThere()) edit.reason = NotFollowed::kNoAgent;
  if (edit.reason != NotFollowed::kNone) {
    // Static programs do not look at LD_PRELOAD, secure ones ignore it, and what they start may be profiled again.
    const bool harmless = edit.reason == NotFollowed::kStatic || edit.reason == NotFollowed::kSecure;
    if (has_agent && !harmless) edit.kind = Kind::kDrop;
    return edit;
  }
  if (has_agent) return edit;
  if (edit.told != 0 && edit.preload == 0) {
    edit.reason = NotFollowed::kTakenOut;
    return edit;
  }
  edit.kind = Kind::kAdd;
  edit.text_bytes += sizeof(kPreload) + g_agent_bytes + 1;
  return edit;
}

void EditEnvironment(const EnvironmentEdit& edit, char* const* environment, char** to, char* text) {
  char* end = Append(text, kPreload, sizeof(kPreload) - 1);
  bool keep = true;
  if (edit.kind == Kind::kDrop) {
    keep = CopyWithoutAgent(edit.list, end) != end;
  } else {
    end = Append(end, g_agent, g_agent_bytes);
    if (*edit.list != 0) end = Append(Append(end, ":", 1), edit.list, Length(edit.list));
    *end = 0;
  }
  for (uint32_t i = 0; i < edit.entries; ++i) {
    if (i + 1 != edit.preload) {
      *to++ = environment[i];
    } else if (keep) {
      *to++ = text;
    }
  }
  if (edit.kind == Kind::kAdd && edit.preload == 0) *to++ = text;
  if (edit.kind == Kind::kAdd && edit.told == 0 && g_told[0] != 0) *to++ = g_told;
  *to = nullptr;
}

}  // namespace heaptally::agent
