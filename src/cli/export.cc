// `heaptally export`: a capture in a format that other programs read.
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/export_wording.h"
#include "cli/load_profiles.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/suggest.h"
#include "collect/segments.h"
#include "exporters/folded.h"

namespace heaptally::cli {
namespace {

constexpr const char* kExamples =
    "  heaptally export server.4711.heaptally --by churn | flamegraph.pl > churn.svg\n"
    "  heaptally export server.4711.heaptally -o live.folded      for speedscope\n";

struct ExportOptions {
  std::string what;
  std::string format = "folded";
  std::string output;
  std::string by = "live";
  std::string directory;
  bool full = false;
};

// Returns -1 to go on, else the exit status.
int ParseExportOptions(const std::vector<std::string>& arguments, ExportOptions* options) {
  CLI::App app("", "export");
  Describe(&app,
           "heaptally export [options] FILE|PID|SEGMENT\n\n"
           "Writes a capture, or what a running process holds, as folded stacks: one line\n"
           "per stack, root first, frames separated by `;`, then bytes or calls. Their sum\n"
           "is the report's total. Sampled numbers are estimates, without their intervals.",
           kExamples);
  options->directory = collect::SegmentDirectory();
  app.add_option("what", options->what, "a capture, a segment or a pid");
  app.add_option("--format", options->format, "folded (the only one so far)")->type_name("FORMAT");
  app.add_option("-o,--output", options->output, "instead of stdout")->type_name("FILE");
  app.add_option("--by", options->by, "live (default), peak, churn (bytes), calls or temporary")->type_name("WHAT");
  app.add_flag("--full", options->full, "the allocator's own frames too");
  app.add_option("--dir", options->directory, "where running processes keep their tallies")->type_name("DIR");
  switch (Parse(&app, arguments)) {
    case Parsed::kHelpShown:
      return 0;
    case Parsed::kWrong:
      return kOurFailure;
    case Parsed::kGo:
      break;
  }
  if (options->format != "folded") {
    return Complain("there is no format called \"" + options->format + "\"", "--format folded");
  }
  if (!options->what.empty()) return -1;
  return Complain("heaptally export: nothing is named to export", "heaptally export FILE, or a pid of heaptally ls");
}

const exporters::MeasureName* FindMeasure(const std::string& name) {
  std::vector<std::string> names;
  for (const exporters::MeasureName& measure : exporters::kMeasures) {
    if (name == measure.name) return &measure;
    names.push_back(measure.name);
  }
  const std::string nearest = Nearest(name, names);
  Complain("there is nothing to export by called \"" + name + "\"",
           nearest.empty() ? "--by live, peak, churn, calls or temporary" : "--by " + nearest);
  return nullptr;
}

}  // namespace

int ExportCommand(const std::vector<std::string>& arguments) {
  ExportOptions options;
  if (const int status = ParseExportOptions(arguments, &options); status >= 0) return status;
  const exporters::MeasureName* measure = FindMeasure(options.by);
  if (measure == nullptr) return kOurFailure;
  const Loaded loaded = LoadProfiles(options.what, options.directory);
  if (!loaded.error.empty()) return Complain(loaded.error, loaded.what_works);
  for (const std::string& remark : loaded.remarks) Remark(remark);
  return WriteOutput(options.output, exporters::Folded(loaded.profiles, measure->by, ExportWording(options.full)));
}

}  // namespace heaptally::cli
