#include "cli/export_wording.h"

#include "cli/frame_names.h"

namespace heaptally::cli {

exporters::Wording ExportWording(bool full) {
  return {.taste = ReportTaste(), .short_name = ShownName, .whole_name = ShownWholeName, .allocator_frames = full};
}

}  // namespace heaptally::cli
