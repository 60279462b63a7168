#include "cli/report_options.h"

#include <algorithm>

#include "cli/color.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/suggest.h"

namespace heaptally::cli {
namespace {

constexpr const char* kExamples =
    "  heaptally report server.heaptally                  who holds memory\n"
    "  heaptally report 4711 --by churn                   of a process: who allocates\n"
    "  heaptally report server.heaptally --tree top-down  from main on\n"
    "  heaptally report server.heaptally --group function which functions, in all\n"
    "  heaptally report server.heaptally --callers grow   who gets there\n"
    "  heaptally report server.heaptally --site 3         one place: sizes, lifetimes\n"
    "  heaptally report server.heaptally --full           whole stacks, lifetimes\n"
    "  heaptally report server.heaptally --at 2s          at a moment of run --every\n"
    "  heaptally report server.heaptally --json           for scripts\n";

constexpr const char* kGroups[] = {"line", "function", "module", "thread", "stack"};

int CheckGroup(const ReportOptions& options) {
  const std::vector<std::string> names(std::begin(kGroups), std::end(kGroups));
  if (std::find(names.begin(), names.end(), options.group) == names.end()) {
    const bool means_stack = options.group == "site" || options.group == "trace";
    const std::string nearest = means_stack ? "stack" : Nearest(options.group, names);
    return Complain("nothing can be grouped by \"" + options.group + "\"",
                    nearest.empty() ? "--group line, function, module, thread or stack" : "--group " + nearest);
  }
  if (!options.asks_for_tree() || options.group == "line") return -1;
  return Complain("heaptally report: a tree is not grouped", "--group or a tree, one at a time");
}

// Returns -1 to go on, else the exit status.
int CheckTree(const ReportOptions& options) {
  const int asked =
      (options.tree.empty() ? 0 : 1) + (options.callers.empty() ? 0 : 1) + (options.callees.empty() ? 0 : 1);
  if (asked > 1) return Complain("heaptally report: --tree, --callers and --callees are three views", "one at a time");
  if (options.tree.empty() || options.tree == "top-down" || options.tree == "bottom-up") return -1;
  const std::string nearest = Nearest(options.tree, {"top-down", "bottom-up"});
  return Complain("there is no tree called \"" + options.tree + "\"",
                  nearest.empty() ? "--tree top-down or bottom-up" : "--tree " + nearest);
}

}  // namespace

int ParseReportOptions(const std::vector<std::string>& arguments, ReportOptions* options) {
  CLI::App app("", "report");
  Describe(&app,
           "heaptally report [options] FILE|PID|SEGMENT...\n\n"
           "Shows which lines of code hold memory, or allocate most, in a capture or in\n"
           "a process that runs under heaptally. A running process is read from outside\n"
           "and does not notice.",
           kExamples);
  app.add_option("--by", options->by,
                 "live, peak, churn (bytes), calls or temporary (default live, or peak where most was freed)")
      ->type_name("WHAT");
  app.add_option("--group", options->group, "line (default), function, module, thread or stack: what a row is of")
      ->type_name("WHAT");
  app.add_option("--tree", options->tree, "top-down (from main on) or bottom-up (from what allocates on)")
      ->type_name("KIND");
  app.add_option("--callers", options->callers, "a tree of what calls FUNCTION")->type_name("FUNCTION");
  app.add_option("--callees", options->callees, "a tree of what FUNCTION calls")->type_name("FUNCTION");
  app.add_option("--site", options->site, "one place in full: its number in the list, or a function")
      ->type_name("N|FUNCTION");
  const CLI::Option* min_share =
      app.add_option("--min-share", options->min_share,
                     "trees leave out what is below PERCENT of the whole (default 1; 0 with --json)")
      ->type_name("PERCENT")
      ->check(CLI::Range(0.0, 100.0).description(""));
  const CLI::Option* limit =
      app.add_option("--limit", options->limit, "rows to show, 0 for all (default 20; all with --json)")
          ->type_name("N");
  app.add_flag("--full", options->full,
               "whole stacks with sizes and lifetimes; of trees, every frame; with --json: allocator frames too");
  app.add_flag("--json", options->json, "everything, for scripts");
  app.add_flag("--moments", options->moments, "the moments that a capture holds");
  app.add_flag("--bytes", options->plain, "plain integers instead of MiB and M");
  AddColorOption(&app);
  options->fail_if.AddOption(&app);
  AddInputOptions(&app, Inputs::kMany, &options->input);
  const int status = ParseWithInput(&app, arguments, options->input, "report on");
  options->limit_given = limit->count() > 0;
  options->min_share_given = min_share->count() > 0;
  if (status >= 0) return status;
  const int group = CheckGroup(*options);
  if (group >= 0) return group;
  if (!options->site.empty() && (options->asks_for_tree() || options->group != "line"))
    return Complain("heaptally report: --site is of the list of places, not of groups or trees", "--site alone");
  const int tree = CheckTree(*options);
  return tree >= 0 ? tree : options->fail_if.Parse(ConditionOn::kReport);
}

}  // namespace heaptally::cli
