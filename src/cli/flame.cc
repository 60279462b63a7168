// `heaptally flame`: a capture as one HTML page with a flame graph.
#include <cstdio>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/export_wording.h"
#include "cli/flame_words.h"
#include "cli/input_options.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "exporters/flame_page.h"

namespace heaptally::cli {
namespace {

constexpr const char* kExamples =
    "  heaptally flame server.4711.heaptally                writes server.4711.html\n"
    "  heaptally flame server.4711.heaptally -o page.html\n"
    "  heaptally flame 4711 -o now.html                     of a running process\n"
    "  heaptally flame server.4711.heaptally --focus parse  only what is under it\n";

// Of the page's tree. As many as a compiler's run has: a page of three MB, that opens within two seconds.
constexpr size_t kMostNodes = 2'000'000;

struct FlameOptions {
  InputOptions input;
  std::string output;
  bool full = false;
};

// Returns -1 to go on, else the exit status.
int ParseFlameOptions(const std::vector<std::string>& arguments, FlameOptions* options) {
  CLI::App app("", "flame");
  Describe(&app,
           "heaptally flame [options] FILE|PID|SEGMENT\n\n"
           "Writes one HTML file that needs no network: a flame graph of live, peak and\n"
           "churn, callers or callees first, with search, zoom, a table of the sites that\n"
           "follows it, and every number's interval. Prints where the file is.",
           kExamples);
  app.add_option("-o,--output", options->output, "default: the capture's name with .html, here; - is stdout")
      ->type_name("FILE");
  app.add_flag("--full", options->full, "the allocator's frames, and the smallest stacks, too");
  AddInputOptions(&app, Inputs::kOne, &options->input);
  return ParseWithInput(&app, arguments, options->input, "draw");
}

// "captures/server.4711.heaptally" -> "server.4711".
std::string Stem(const std::string& what) {
  std::string name = what.substr(what.rfind('/') + 1);
  for (const std::string ending : {".heaptally", ".seg"}) {
    if (name.size() > ending.size() && name.ends_with(ending)) name.resize(name.size() - ending.size());
  }
  return name;
}

}  // namespace

int FlameCommand(const std::vector<std::string>& arguments) {
  FlameOptions options;
  if (const int status = ParseFlameOptions(arguments, &options); status >= 0) return status;
  const auto input = LoadInput(options.input);
  if (!input) return kOurFailure;
  const std::string stem = Stem(options.input.what[0]);
  const std::string output = options.output.empty() ? stem + ".html" : options.output;
  std::string title = stem + " - heaptally";
  if (!input->narrowed.empty()) title = stem + " (" + input->narrowed + ") - heaptally";
  RemarkNarrowed(*input, analysis::By::kLive);
  const exporters::FlamePageOptions page = {.title = title,
                                            .narrowed = input->narrowed,
                                            .most_nodes = options.full ? 0 : kMostNodes,
                                            .words = FlameWords};
  const int status = WriteOutput(output, exporters::FlamePage(input->profiles, ExportWording(options.full), page));
  if (status == 0 && output != "-") std::fputs((output + "\n").c_str(), stdout);
  return status;
}

}  // namespace heaptally::cli
