// Facts, modules, frames and their names as blobs: the parts of a snapshot beside its sites. A list may go on from where
// an earlier snapshot of the image ended.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.h"
#include "store/dictionaries.h"

namespace heaptally::store {

// Everything in a profile that is no list of the others.
std::string PackFacts(const profile::Profile& profile);
bool UnpackFacts(std::string_view facts, profile::Profile* profile);

// Modules from number `from` on, and the numbers of earlier ones that were unloaded since.
std::string PackModules(const std::vector<profile::Module>& modules, size_t from, const std::vector<uint32_t>& unloaded);
bool UnpackModules(std::string_view blob, std::vector<profile::Module>* modules);

std::string PackFrames(const std::vector<profile::Frame>& frames, size_t from);
bool UnpackFrames(std::string_view blob, std::vector<profile::Frame>* frames);

struct NamedFrame {
  uint64_t frame = 0;
  const std::vector<profile::SourceFrame>* sources = nullptr;
};
// In order of the frames' numbers; "" if there is none.
std::string PackNames(const std::vector<NamedFrame>& named);
bool UnpackNames(std::string_view blob, uint64_t frames, std::vector<std::vector<profile::SourceFrame>>* names);

// Before format 3: names stand beside the frames, and each snapshot for itself.
bool UnpackWhole(std::string_view facts, std::string_view modules, std::string_view frames,
                   profile::Profile* profile, std::vector<std::vector<profile::SourceFrame>>* names);

}  // namespace heaptally::store
