// `heaptally export`: a capture in a format that other programs read.
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/export_wording.h"
#include "cli/input_options.h"
#include "cli/measure_option.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "exporters/folded.h"

namespace heaptally::cli {
namespace {

constexpr const char* kExamples =
    "  heaptally export server.4711.heaptally --by churn | flamegraph.pl > churn.svg\n"
    "  heaptally export server.4711.heaptally -o live.folded      for speedscope\n";

struct ExportOptions {
  InputOptions input;
  std::string format = "folded";
  std::string output;
  std::string by = "live";
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
  app.add_option("--format", options->format, "folded (the only one so far)")->type_name("FORMAT");
  app.add_option("-o,--output", options->output, "instead of stdout")->type_name("FILE");
  app.add_option("--by", options->by, "live (default), peak, churn (bytes), calls or temporary")->type_name("WHAT");
  app.add_flag("--full", options->full, "the allocator's own frames too");
  AddInputOptions(&app, Inputs::kOne, &options->input);
  if (const int status = ParseWithInput(&app, arguments, options->input, "export"); status >= 0) return status;
  if (options->format == "folded") return -1;
  return Complain("there is no format called \"" + options->format + "\"", "--format folded");
}

}  // namespace

int ExportCommand(const std::vector<std::string>& arguments) {
  ExportOptions options;
  if (const int status = ParseExportOptions(arguments, &options); status >= 0) return status;
  const auto by = MeasureOption(options.by);
  if (!by) return kOurFailure;
  const auto input = LoadInput(options.input);
  if (!input) return kOurFailure;
  if (!input->narrowed.empty()) Remark(NarrowedWords(*input, *by));
  return WriteOutput(options.output, exporters::Folded(input->profiles, *by, ExportWording(options.full)));
}

}  // namespace heaptally::cli
