// What a flame page says about images beside their numbers: as reports say it.
#pragma once

#include "exporters/flame_data.h"

namespace heaptally::cli {

// Of several only what is not in their numbers.
exporters::ImageWords FlameWords(const std::vector<const profile::Profile*>& profiles);

}  // namespace heaptally::cli
