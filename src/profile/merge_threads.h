// Views that do not ask who allocated see a stack once, whatever the threads were called that came along it.
#pragma once

#include "profile/profile.h"

namespace heaptally::profile {

// Makes one site of those that differ by the names of their threads alone: measures and histograms are added, the oldest
// block is the oldest of them, the id is the first one's; `thread` is left where there was only one name, else "".
// Totals stay.
void MergeThreads(Profile* profile);

}  // namespace heaptally::profile
