#include "cli/export_format.h"

#include "cli/message.h"
#include "cli/suggest.h"
#include "exporters/dhat.h"
#include "exporters/folded.h"
#include "exporters/gzip.h"
#include "exporters/pprof.h"
#include "exporters/speedscope.h"

#ifndef HEAPTALLY_VERSION
#define HEAPTALLY_VERSION "unknown"
#endif

namespace heaptally::cli {
namespace {

using exporters::StackChoice;
using exporters::Wording;
using Profiles = std::vector<profile::Profile>;

constexpr const char* kTool = "heaptally " HEAPTALLY_VERSION;

std::string Folded(const Profiles& profiles, const StackChoice& choice, const Wording& wording, const std::string&) {
  return exporters::Folded(profiles, choice, wording);
}

std::string Pprof(const Profiles& profiles, const StackChoice& choice, const Wording& wording, const std::string&) {
  return exporters::Gzip(exporters::Pprof(profiles, choice, wording, kTool));
}

std::string Speedscope(const Profiles& profiles, const StackChoice& choice, const Wording& wording,
                       const std::string& title) {
  return exporters::Speedscope(profiles, choice, wording, title, kTool);
}

std::string Dhat(const Profiles& profiles, const StackChoice& choice, const Wording& wording, const std::string&) {
  return exporters::Dhat(profiles, choice, wording);
}

}  // namespace

const std::vector<ExportFormat>& ExportFormats() {
  static const std::vector<ExportFormat> formats = {
      {.name = "folded", .endings = {".folded", ".txt"}, .is_of_one = true, .write = Folded},
      {.name = "pprof", .endings = {".pb.gz", ".pprof"}, .binary = true, .has_mappings = true, .write = Pprof},
      {.name = "speedscope", .endings = {".speedscope.json", ".speedscope"}, .write = Speedscope},
      {.name = "dhat", .endings = {".dhat.json", ".dhat"}, .needs_bytes = true, .write = Dhat}};
  return formats;
}

const ExportFormat* ChooseFormat(const std::string& name, const std::string& output) {
  std::vector<std::string> names;
  for (const ExportFormat& format : ExportFormats()) {
    if (name == format.name) return &format;
    names.push_back(format.name);
    for (const char* ending : format.endings) {
      if (name.empty() && output.ends_with(ending)) return &format;
    }
  }
  if (!name.empty()) {
    const std::string nearest = Nearest(name, names);
    Complain("there is no format called \"" + name + "\"",
             nearest.empty() ? "--format folded, pprof, speedscope or dhat" : "--format " + nearest);
    return nullptr;
  }
  if (!output.ends_with(".json")) {
    if (!output.empty()) Remark(output + " holds folded stacks; --format pprof, speedscope or dhat writes others");
    return &ExportFormats()[0];
  }
  Complain(output + " could be for speedscope or DHAT", "--format speedscope, or --format dhat");
  return nullptr;
}

}  // namespace heaptally::cli
