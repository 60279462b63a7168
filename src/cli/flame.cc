// `heaptally flame`: a capture as one HTML page with a flame graph.
#include <cstdio>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/export_wording.h"
#include "cli/load_profiles.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "collect/segments.h"
#include "exporters/flame_page.h"

namespace heaptally::cli {
namespace {

constexpr const char* kExamples =
    "  heaptally flame server.4711.heaptally                writes server.4711.html\n"
    "  heaptally flame server.4711.heaptally -o page.html\n"
    "  heaptally flame 4711 -o now.html                     of a running process\n";

struct FlameOptions {
  std::string what;
  std::string output;
  std::string directory;
  bool full = false;
};

// Returns -1 to go on, else the exit status.
int ParseFlameOptions(const std::vector<std::string>& arguments, FlameOptions* options) {
  CLI::App app("", "flame");
  Describe(&app,
           "heaptally flame [options] FILE|PID|SEGMENT\n\n"
           "Writes one HTML file that needs no network: a flame graph with callers on top,\n"
           "of live, peak and churn, with search, zoom and a table of the largest places.",
           kExamples);
  options->directory = collect::SegmentDirectory();
  app.add_option("what", options->what, "a capture, a segment or a pid");
  app.add_option("-o,--output", options->output, "default: the capture's name with .html, here; - is stdout")
      ->type_name("FILE");
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
  if (!options->what.empty()) return -1;
  return Complain("heaptally flame: nothing is named to draw", "heaptally flame FILE, or a pid of heaptally ls");
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
  const Loaded loaded = LoadProfiles(options.what, options.directory);
  if (!loaded.error.empty()) return Complain(loaded.error, loaded.what_works);
  for (const std::string& remark : loaded.remarks) Remark(remark);
  const std::string output = options.output.empty() ? Stem(options.what) + ".html" : options.output;
  const std::string page =
      exporters::FlamePage(loaded.profiles, Stem(options.what) + " - heaptally", ExportWording(options.full));
  const int status = WriteOutput(output, page);
  if (status == 0 && output != "-") std::fputs((output + "\n").c_str(), stdout);
  return status;
}

}  // namespace heaptally::cli
