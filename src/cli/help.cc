// `heaptally` alone, and `heaptally help TOPIC`.
#include <fmt/format.h>

#include <cstdio>

#include "cli/commands.h"
#include "cli/message.h"
#include "cli/suggest.h"

namespace heaptally::cli {
namespace {

struct Topic {
  const char* name;
  const char* text;
};

constexpr Topic kTopics[] = {
    {"modes",
     "bytes  Sampled: one sample for every --period bytes in the mean (default\n"
     "       512 KiB), at next to no cost. The default of `run`. Each number has its\n"
     "       95 % interval beside it. A line that holds less than the period may have\n"
     "       no sample: it is not shown, and that does not mean 0.\n"
     "exact  Every allocation is counted: right for a developer's machine, and for\n"
     "       programs that hold little.\n"
     "count  One call in --period (default 1000) is recorded, whatever its size: for\n"
     "       which code allocates most often. Calls and live objects have intervals;\n"
     "       bytes are not known, since one large block may have been missed.\n"
     "per-class\n"
     "       One call in --period (default 1000) in the mean, shared alike among the\n"
     "       sizes that occur (powers of two): a frequent size is thinned out, a rare\n"
     "       one is recorded whole. Calls and bytes have intervals; small blocks are\n"
     "       better known than in mode bytes, and large ones are not missed.\n\n"
     "  heaptally run --mode exact -- ./server\n"
     "  heaptally run --period 1M -- ./server\n"
     "  heaptally run --mode count --period 100 -- ./server\n"},
    {"set",
     "`heaptally set PID|NAME` changes how a running process is recorded: --period,\n"
     "--pause, --resume. It writes a few bytes into the process's tally; no signal is\n"
     "sent, nothing is stopped. NAME takes every running process of that name.\n\n"
     "period   From its next draw on, each thread samples with the new period: within\n"
     "         about one old period of what that thread allocates (count, per-class:\n"
     "         with the next sample of any thread). Samples keep the period they were\n"
     "         drawn with, so all of them count right.\n"
     "--pause  New allocations are not recorded, releases of recorded blocks are.\n"
     "         exact: at once; sampled: each thread from its next draw on.\n"
     "--resume Each thread looks again when it has allocated another MiB (count,\n"
     "         per-class: another period).\n\n"
     "A report says how long recording was paused and about how much was allocated\n"
     "meanwhile. A forked child begins with what was asked of its parent; afterwards\n"
     "each process is asked by itself.\n"},
    {"views",
     "`report` shows the lines that hold memory, the largest first. --by says what\n"
     "counts: live, peak, churn, calls, temporary. The rest is how to look at it:\n\n"
     "--group function       self: what its own lines hold; total: with all that it\n"
     "                       calls, each stack once, however often it recurs\n"
     "--group module|thread  the same of libraries, or of threads of a name\n"
     "--tree top-down        from main on. Functions that only pass on are one row;\n"
     "                       rows are the largest branching points\n"
     "--tree bottom-up       from what allocates on, callers under it\n"
     "--callers grow         who gets to a function, --callees: what it gets to\n"
     "--site 3               one place of the list in full: sizes, lifetimes, stacks\n"
     "--focus RE, --ignore RE, --hide RE\n"
     "                       keep stacks that match, drop them, drop frames of them\n"
     "--suppressions FILE    leave out what LeakSanitizer's file names; says how much\n"
     "--pid N, --program P   one of many processes\n\n"
     "  heaptally report server.4711.heaptally --tree top-down --focus json\n"
     "  heaptally report server.4711.heaptally --by peak --callers cache::insert\n"},
    {"words",
     "live       allocated and not freed, at one moment\n"
     "peak       live when the process had most of it. Of a sample, it is estimated\n"
     "           from two halves of the sample, each at the other's highest moment:\n"
     "           \"near 2.20 and 2.60 s\" are these two, \"near 2.40 s\" if they are close\n"
     "interval   \"188 MiB (181-195)\": the true number lies between 181 and 195 with\n"
     "           95 % confidence. A sampled number has one, an exact one has none\n"
     "lower end  the smaller number of the interval: 97.5 times in 100 the true one is\n"
     "           not below it. Tables are ranked by it, so that a single lucky sample\n"
     "           does not stand on top\n"
     "below X    no sample has hit it. That is not 0: 97.5 times in 100 it is below X\n"
     "churn      all bytes allocated since the start; `calls` are the allocations\n"
     "temporary  freed by its own thread before that thread's next allocation\n"
     "place      the innermost line outside of allocators, standard libraries and\n"
     "           wrappers. The largest of its callers stands under it, and `+2` means\n"
     "           that there are two more; `report --full` shows whole stacks.\n"
     "image      one program in one process: exec begins another\n"
     "segment    the file in /dev/shm in which a running process keeps its tally; it\n"
     "           survives the process\n"
     "capture    a .heaptally file: the finished, named profiles of one run\n"},
    {"limits",
     "What a preloaded library cannot reach runs unprofiled, and `run` says so at\n"
     "once: statically linked, setuid and 32-bit programs, a malloc inside the\n"
     "executable, programs built with a sanitizer, and programs started with a\n"
     "cleared environment. `run --require` refuses to start what it cannot profile.\n\n"
     "What happens inside of heaps that do not go through malloc (Go, Java,\n"
     "JavaScript, Python's small objects) is not seen. Memory that is mapped\n"
     "directly has numbers of its own (class mapped), apart from the heap's.\n"},
    {"exit",
     "`run` exits with the program's own status, 128 + N if signal N ended it.\n"
     "125  heaptally itself failed, or --require refused\n"
     "126  the program cannot be executed\n"
     "127  the program was not found\n"
     "123  a condition of --fail-if holds (`run`: and the program's status is 0)\n"},
    {"fail-if",
     "`run`, `report` and `diff` take --fail-if, as often as needed, for builds:\n\n"
     "  heaptally run --mode exact --fail-if 'live > 100 MiB' -- ./tests\n"
     "  heaptally report FILE --fail-if 'temporary > 80 %' --fail-if 'calls > 2M'\n"
     "  heaptally diff old.heaptally new.heaptally --fail-if 'peak > 5 %'\n\n"
     "live, peak, churn    bytes, with K, M or G (powers of 1024)\n"
     "calls, objects, temporary\n"
     "                     a count, with k, M or G; objects are those that are live\n"
     "> >= < <=            a sampled number must hold with its whole interval: `>`\n"
     "                     asks for the lower end, `<` for the upper, so that noise\n"
     "                     fails no build\n"
     "%                    temporary: of all calls; in diff: the change, in parts of\n"
     "                     what was before\n\n"
     "Of several processes numbers are added up; peak is that of the largest process.\n"
     "The exit status is 123 if a condition holds. `run` hands on the program's own\n"
     "status where that is not 0.\n"},
};

}  // namespace

const std::vector<Subcommand>& Subcommands() {
  static const std::vector<Subcommand> commands = {
      {"run", RunCommand, "run a program and say where its memory goes", "heaptally run -- ./server --port 80"},
      {"report", ReportCommand, "look at a capture, or at a process that runs",
       "heaptally report server.4711.heaptally --by churn"},
      {"snapshot", SnapshotCommand, "keep what a running process holds now, in a capture",
       "heaptally snapshot 4711 -o server.heaptally", false},
      {"diff", DiffCommand, "what changed between two captures, moments or builds",
       "heaptally diff before.heaptally after.heaptally"},
      {"flame", FlameCommand, "a flame graph, as one HTML page", "heaptally flame server.4711.heaptally"},
      {"export", ExportCommand, "files for other tools: pprof, speedscope, folded, DHAT",
       "heaptally export server.4711.heaptally -o server.pb.gz", false},
      {"ls", LsCommand, "processes that are (or were) profiled", "heaptally ls"},
      {"set", SetCommand, "change the period of a running process, or pause it", "heaptally set 4711 --period 64K", false},
      {"help", HelpCommand, "words, views, modes, limits, exit codes", "heaptally help modes", false, false},
      {"completion", CompletionCommand, "completions for bash, zsh and fish", "source <(heaptally completion bash)", false},
      {"man", ManCommand, "the manual page", "heaptally man | man -l -", false},
  };
  return commands;
}

std::string Overview() {
  std::string out = "heaptally: which code holds the memory, and which code allocates most often.\n\n";
  std::vector<std::string> others;
  for (const Subcommand& command : Subcommands()) {
    if (command.first) {
      out += fmt::format("  {:<8}{}\n          {}\n", command.name, command.purpose, command.example);
    } else {
      others.push_back(command.name);
    }
  }
  out += fmt::format("\nAlso: {}.\n", fmt::join(others, ", "));
  return out + "Every command has --help; heaptally help has topics (words, modes, limits, ...);\n"
               "heaptally --version says which version this is.\n";
}

std::vector<std::string> HelpTopicNames() {
  std::vector<std::string> names;
  for (const Topic& topic : kTopics) names.push_back(topic.name);
  return names;
}

std::string HelpTopicText(const std::string& name) {
  for (const Topic& topic : kTopics) {
    if (topic.name == name) return topic.text;
  }
  return "";
}

int HelpCommand(const std::vector<std::string>& arguments) {
  std::vector<std::string> names = HelpTopicNames();
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h") {
    std::fputs(Overview().c_str(), stdout);
    std::fputs(fmt::format("Topics: heaptally help {}\n", fmt::join(names, " | ")).c_str(), stdout);
    return 0;
  }
  for (const Topic& topic : kTopics) {
    if (arguments[0] == topic.name) {
      std::fputs(topic.text, stdout);
      return 0;
    }
  }
  for (const Subcommand& command : Subcommands()) {
    if (arguments[0] == command.name) return command.main({"--help"});
    names.push_back(command.name);
  }
  const std::string nearest = Nearest(arguments[0], names);
  return Complain("there is no help on \"" + arguments[0] + "\"",
                  "heaptally help" + (nearest.empty() ? "" : " " + nearest));
}

}  // namespace heaptally::cli
