#include "cli/export_wording.h"

#include "cli/frame_names.h"

namespace heaptally::cli {

exporters::Wording ExportWording(bool full, bool places) {
  return {.taste = ReportTaste(),
          .short_name = ShownName,
          .whole_name = ShownWholeName,
          .allocator_frames = full,
          .end_at_places = places};
}

}  // namespace heaptally::cli
