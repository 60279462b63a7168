// Can a preloaded library reach this program's heap? Asked before `run` starts it, so that a program that would run
// unprofiled is said to be so at once, with the reason and with what works, instead of giving an empty report.
//
// The answer is about the file that the kernel will really map: a script is followed to its interpreter, and
// "#!/usr/bin/env NAME" to NAME. What the program does after its start (exec with a cleared environment, a heap of its
// own) is seen by looking at the running process (watch.h), not here.
#pragma once

#include <string>
#include <vector>

namespace heaptally::collect {

enum class Barrier {
  kNone,
  kNotElf,        // not a file that we understand: the attempt is made
  kStatic,        // no dynamic loader: nothing can be preloaded
  kSecure,        // setuid, setgid or file capabilities: the loader ignores LD_PRELOAD from the user
  kMachine,       // 32-bit, or another processor
  kOwnMalloc,     // malloc is defined in the executable: it is found before any preloaded one
  kHiddenMalloc,  // the same, but only its own calls are bound to it: the libraries' calls are still seen
  kSanitizer,     // ASan and its kin replace malloc themselves and refuse to come second
};

struct Reach {
  Barrier barrier = Barrier::kNone;
  std::string file;        // what is really executed: after #! lines and symbolic links
  std::string why;         // a whole sentence, "" if there is no barrier
  std::string what_works;  // a whole sentence
  bool preload =
      true;  // false: leave the agent out (the loader or a sanitizer would complain, or it would be of no use)
  std::vector<std::string> notes;  // this program's heap, or part of it, does not go through malloc: sentences
  bool records_nothing() const {
    return barrier != Barrier::kNone && barrier != Barrier::kNotElf && barrier != Barrier::kHiddenMalloc;
  }
};

// A few words for a list of programs that were not seen: "statically linked"; "" where nothing stands in the way.
const char* BarrierWords(Barrier barrier);

// `path` as execve would get it; `environment` (NAME=value) is where PATH and PYTHONMALLOC are looked up.
Reach CheckReach(const std::string& path, const std::vector<std::string>& environment);

// Sentences about heaps beside malloc for the executable `file` ("python3.11" -> how to see its small objects).
std::vector<std::string> HeapNotes(const std::string& file, const std::vector<std::string>& environment);

}  // namespace heaptally::collect
