// The flame page: one HTML file that needs no network and no server, made of page/ and the data of flame_data.h.
#pragma once

#include <string>
#include <vector>

#include "exporters/flame_data.h"

namespace heaptally::exporters {

std::string FlamePage(const std::vector<profile::Profile>& profiles, const Wording& wording, const FlamePageOptions& options);

}  // namespace heaptally::exporters
