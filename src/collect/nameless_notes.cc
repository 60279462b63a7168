#include "collect/nameless_notes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "symbols/display.h"

namespace heaptally::collect {
namespace {

constexpr size_t kMostNotes = 3;
constexpr double kLeastShare = 0.01;

// What a frame is, for the question whose code a site is.
enum class Is : uint8_t { kUnknown, kPlumbing, kNamed, kNameless };

bool IsRuntime(std::string_view path) {
  constexpr std::array<std::string_view, 6> kNames = {"libc.so", "ld-linux", "ld-musl", "libstdc++.so", "libc++", "libheaptally"};
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return std::any_of(kNames.begin(), kNames.end(), [name](std::string_view one) { return name.starts_with(one); });
}

Is KindOf(const profile::Profile& profile, uint32_t index) {
  const uint32_t module = profile.frames[index].module;
  if (module < profile.modules.size() && IsRuntime(profile.modules[module].path)) return Is::kPlumbing;
  for (const profile::SourceFrame& source : profile.sources[index]) {
    if (source.function.empty()) continue;
    if (!symbols::IsPlumbing(source.function)) return Is::kNamed;
  }
  const auto& sources = profile.sources[index];
  return !sources.empty() && sources.back().function.empty() ? Is::kNameless : Is::kPlumbing;
}

struct Nameless {
  double bytes = 0;
  std::string why;
};

double BytesOf(const profile::Site& site, bool live) {
  return live ? site.measures.live.bytes.value() : site.measures.allocated.bytes.value();
}

std::map<uint32_t, Nameless> NamelessModules(const profile::Profile& profile, bool live, double* all) {
  std::map<uint32_t, Nameless> modules;
  std::vector<Is> kinds(profile.frames.size(), Is::kUnknown);
  for (const profile::Site& site : profile.sites) {
    *all += BytesOf(site, live);
    for (const uint32_t index : site.frames) {
      if (index >= kinds.size()) break;
      if (kinds[index] == Is::kUnknown) kinds[index] = KindOf(profile, index);
      if (kinds[index] == Is::kPlumbing) continue;
      if (kinds[index] == Is::kNameless) {
        Nameless& module = modules[profile.frames[index].module];
        module.bytes += BytesOf(site, live);
        module.why = profile.sources[index].back().why;
      }
      break;
    }
  }
  return modules;
}

// What would give the module names; "" if nothing is known to.
std::string WhatWorks(const profile::Module& module, const std::string& why) {
  const bool lacks_symbols = why.find("stripped") != std::string::npos || why.find("no symbol") != std::string::npos;
  if (!lacks_symbols) return "";
  const std::string package = DebianPackageOf(module.path, "/var/lib/dpkg/info");
  std::string text = ". What works: ";
  text += package.empty() ? "its debug package" : "its debug package (" + package + "-dbgsym or " + package + "-dbg)";
  if (module.build_id.size() > 2) {
    text += ", which has /usr/lib/debug/.build-id/" + module.build_id.substr(0, 2) + "/" + module.build_id.substr(2) + ".debug";
  }
  return text + "; or a program that is not stripped.";
}

}  // namespace

std::string DebianPackageOf(const std::string& path, const std::string& folder) {
  // Before the merge of /usr, packages list /lib/x for what is /usr/lib/x now, and some still do.
  const std::string other = path.starts_with("/usr/") ? path.substr(4) : "/usr" + path;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() != ".list") continue;
    std::ifstream file(at->path());
    for (std::string line; std::getline(file, line);) {
      if (line != path && line != other) continue;
      const std::string name = at->path().stem().string();
      return name.substr(0, name.find(':'));
    }
  }
  return "";
}

void NoteNamelessModules(profile::Profile* profile) {
  const bool live = profile->totals.live.bytes.value() > 0;
  double all = 0;
  const std::map<uint32_t, Nameless> modules = NamelessModules(*profile, live, &all);
  std::vector<std::pair<double, uint32_t>> largest;
  for (const auto& [index, module] : modules) {
    if (module.bytes >= kLeastShare * all && module.bytes > 0) largest.emplace_back(-module.bytes, index);
  }
  std::sort(largest.begin(), largest.end());
  largest.resize(std::min(largest.size(), kMostNotes));
  for (const auto& [bytes, index] : largest) {
    const bool known = index < profile->modules.size();
    const std::string& why = modules.at(index).why;
    std::ostringstream note;
    note << std::lround(-bytes / all * 100) << (live ? " % of the live bytes" : " % of the allocated bytes")
         << " were allocated by code without names in "
         << (known ? profile->modules[index].path : std::string("no module")) << ": " << why;
    const std::string works = known ? WhatWorks(profile->modules[index], why) : "";
    profile->notes.push_back(note.str() + (works.empty() ? "." : works));
  }
}

}  // namespace heaptally::collect
