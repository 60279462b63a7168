// The flame page: one HTML file that needs no network and no server, made of page/ and the data of flame_data.h.
#pragma once

#include <string>
#include <vector>

#include "exporters/shown_stack.h"

namespace heaptally::exporters {

// `title` is plain text.
std::string FlamePage(const std::vector<profile::Profile>& profiles, const std::string& title, const Wording& wording);

}  // namespace heaptally::exporters
