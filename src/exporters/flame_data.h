// What the flame page draws, as compact JSON that may stand inside of a <script> element: every `<` of a name is
// written as an escape, and all text is ASCII. See page/page.js for the reader.
//
//   strings    every name, file and module, once; all other texts are numbers in it
//   profiles   one for each image; of several images one more that merges them, first in the list
//     functions, nodes, places, leaves   parallel arrays (call_tree.h); a node's parent stands before it, node 0 is the
//                                        root; leaves hold the whole numbers of each measure
//     ends       sampled only: lower and upper end of the 95 % interval of each node and place, per measure;
//                -1: not known
// Numbers are integers; a browser holds them exactly up to 2^53.
#pragma once

#include <string>
#include <vector>

#include "exporters/shown_stack.h"

namespace heaptally::exporters {

std::string FlameData(const std::vector<profile::Profile>& profiles, const Wording& wording);

}  // namespace heaptally::exporters
