// Everything that may have happened and is not in the numbers: stable names for scripts, sentences for people.
#pragma once

#include <string_view>

namespace heaptally::profile {

// What the events of a reason mean for the numbers, as the end of "N events: ...". The key itself if it is not known
// (written by a newer version).
std::string_view LossSentence(std::string_view reason);

}  // namespace heaptally::profile
