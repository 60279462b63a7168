// A profile as four blobs: facts, modules, frames with their sources, sites with their stacks. Reading back gives the
// same profile, field by field.
#pragma once

#include <string>
#include <string_view>

#include "profile/profile.h"
#include "store/packing.h"

namespace heaptally::store {

struct ProfileBlobs {
  std::string facts;
  std::string modules;
  std::string frames;
  std::string sites;
};

ProfileBlobs Pack(const profile::Profile& profile);

// Returns false iff a blob is damaged; *profile is then incomplete.
bool Unpack(const std::string_view facts, std::string_view modules, std::string_view frames, std::string_view sites,
            profile::Profile* profile);

// What proves that blobs are as they were written. Not against forgery.
uint64_t SealOf(std::string_view facts, std::string_view modules, std::string_view frames, std::string_view sites);

// ---- parts (sites_blob.cc)
std::string PackSites(const profile::Profile& profile);
bool UnpackSites(std::string_view blob, profile::Profile* profile);  // needs profile->frames
void PackMeasures(const profile::Measures& measures, Packer* packer);
profile::Measures UnpackMeasures(Unpacker* unpacker);

}  // namespace heaptally::store
