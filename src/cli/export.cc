// `heaptally export`: a capture in a format that other programs read.
#include <algorithm>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/export_checks.h"
#include "cli/export_format.h"
#include "cli/export_wording.h"
#include "cli/input_options.h"
#include "cli/measure_option.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/suggest.h"
#include "exporters/known_columns.h"
#include "symbols/executable_segment.h"

namespace heaptally::cli {
namespace {

using analysis::By;
using exporters::Classes;

constexpr const char* kExamples =
    "  heaptally export server.heaptally -o s.pb.gz && pprof -http=: s.pb.gz\n"
    "  heaptally export server.4711.heaptally -o server.speedscope.json\n"
    "  heaptally export server.4711.heaptally --by churn | flamegraph.pl > churn.svg\n"
    "  heaptally export 4711 --format pprof --by peak -o peak.pb.gz\n";

struct ExportOptions {
  InputOptions input;
  std::string format;
  std::string output;
  std::string by;  // "": live bytes, or calls where bytes are not known
  std::string memory_class = "malloc";
  uint32_t most_stacks = 0;
  bool full = false;
  bool places = false;
};

// Returns -1 to go on, else the exit status.
int ParseExportOptions(const std::vector<std::string>& arguments, ExportOptions* options) {
  CLI::App app("", "export");
  Describe(&app,
           "heaptally export [options] FILE|PID|SEGMENT\n\n"
           "Writes a capture, or what a running process holds, as a file for other tools.\n"
           "Every format adds up to the report's totals; sampled numbers are estimates,\n"
           "without their intervals. Several processes are one file, in which they can be\n"
           "told apart.\n\n"
           "  folded      one line per stack, for flamegraph.pl, inferno, speedscope\n"
           "  pprof       gzipped protobuf, for pprof, Pyroscope, Parca\n"
           "  speedscope  JSON, for speedscope.app\n"
           "  dhat        JSON, for valgrind's dh_view.html and the Firefox Profiler",
           kExamples);
  app.add_option("--format", options->format, "folded, pprof, speedscope or dhat; else FILE's ending says it")
      ->type_name("FORMAT");
  app.add_option("-o,--output", options->output,
                 "instead of stdout; .pb.gz is pprof, .folded, .speedscope.json and .dhat.json are what they say")
      ->type_name("FILE");
  app.add_option("--by", options->by,
                 "live (default), peak, churn (bytes), calls or temporary: what folded stacks count, and what other "
                 "tools show first. pprof has one place for live and peak")
      ->type_name("WHAT");
  app.add_option("--class", options->memory_class, "malloc (default), mapped or all: memory of which class")
      ->type_name("CLASS");
  app.add_option("--max-samples", options->most_stacks,
                 "only so many stacks, the rest as one: Pyroscope takes 16000 (default: all)")
      ->type_name("N");
  app.add_flag("--places", options->places, "stacks end at the lines that reports name: no wrappers below them");
  app.add_flag("--full", options->full, "the allocator's own frames too");
  AddInputOptions(&app, Inputs::kOne, &options->input);
  if (const int status = ParseWithInput(&app, arguments, options->input, "export"); status >= 0) return status;
  if (!options->places || !options->full) return -1;
  return Complain("--places leaves out what --full keeps", "one of the two");
}

std::optional<Classes> ClassOption(const std::string& word) {
  if (word == "malloc") return Classes::kHeap;
  if (word == "mapped") return Classes::kMapped;
  if (word == "all") return Classes::kAll;
  const std::string nearest = Nearest(word, {"malloc", "mapped", "all"});
  Complain("there is no class of memory called \"" + word + "\"",
           nearest.empty() ? "--class malloc, mapped or all" : "--class " + nearest);
  return std::nullopt;
}

// From the file, if it is still the one that was mapped.
std::optional<exporters::CodeSegment> CodeOf(const profile::Module& module) {
  const auto segment = symbols::FindExecutableSegment(module.path, module.build_id);
  if (!segment) return std::nullopt;
  return exporters::CodeSegment{segment->virtual_address, segment->memory_bytes, segment->file_offset};
}

// "captures/server.4711.heaptally" -> "server.4711".
std::string Title(const std::string& what) {
  std::string name = what.substr(what.rfind('/') + 1);
  if (name.size() > 10 && name.ends_with(".heaptally")) name.resize(name.size() - 10);
  return name;
}

}  // namespace

int ExportCommand(const std::vector<std::string>& arguments) {
  ExportOptions options;
  if (const int status = ParseExportOptions(arguments, &options); status >= 0) return status;
  auto by = MeasureOption(options.by.empty() ? "live" : options.by);
  const auto classes = by ? ClassOption(options.memory_class) : std::nullopt;
  const ExportFormat* format = classes ? ChooseFormat(options.format, options.output) : nullptr;
  if (format == nullptr) return kOurFailure;
  if (const int status = CheckFormat(*format, *by, options.output); status >= 0) return status;
  const auto input = LoadInput(options.input);
  if (!input) return kOurFailure;
  if (options.by.empty() && !exporters::AllKnowBytes(input->profiles)) {
    by = By::kCalls;
    if (format->is_of_one) Remark("mode count counts calls: bytes are not known, so the file is of calls");
  }
  if (!CheckKnown(*format, input->profiles, *by)) return kOurFailure;
  RemarkNarrowed(*input, *by);
  RemarkOnContent(*format, input->profiles, *by);
  exporters::StackChoice choice = {.classes = *classes, .most_stacks = options.most_stacks, .by = *by};
  if (format->has_mappings) choice.code_of = CodeOf;
  const exporters::Wording wording = ExportWording(options.full, options.places);
  return WriteOutput(options.output, format->write(input->profiles, choice, wording, Title(options.input.what[0])));
}

}  // namespace heaptally::cli
