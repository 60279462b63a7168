// How exports name frames, and which they hide: as reports do.
#pragma once

#include "exporters/shown_stack.h"

namespace heaptally::cli {

// `full`: the allocator's own frames stay. `places`: all plumbing at the leaf goes.
exporters::Wording ExportWording(bool full, bool places = false);

}  // namespace heaptally::cli
