// Which columns mean anything. Mode `count` knows no bytes, and not the moment when the bytes were most: its zeros there
// are none, and are not to be written.
#pragma once

#include <vector>

#include "exporters/stack_table.h"

namespace heaptally::exporters {

bool Knows(const profile::Profile& profile, Column column);

// A column of a file is of all its profiles: known iff each of them knows it.
bool AllKnow(const std::vector<profile::Profile>& profiles, Column column);

// All that there is; a format of bytes cannot do with less.
bool AllKnowBytes(const std::vector<profile::Profile>& profiles);

}  // namespace heaptally::exporters
