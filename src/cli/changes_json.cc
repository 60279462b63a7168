// `heaptally diff --json`.
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/measure_option.h"
#include "cli/render_changes.h"

namespace heaptally::cli {
namespace {

using Json = nlohmann::ordered_json;

Json NumberJson(double value) { return std::isfinite(value) ? Json(std::llround(std::clamp(value, -9e18, 9e18))) : Json(nullptr); }

Json ChangeJson(const sampling::Change& change) {
  return {{"v", NumberJson(change.v)},
          {"lo", change.lo_known ? NumberJson(std::floor(change.lo)) : Json(nullptr)},
          {"hi", change.hi_known ? NumberJson(std::ceil(change.hi)) : Json(nullptr)},
          {"exact", change.exact}};
}

Json EstimateJson(const sampling::Estimate& estimate) {
  return {{"v", NumberJson(estimate.v)},
          {"lo", NumberJson(std::floor(estimate.lo))},
          {"hi", estimate.hi_known ? NumberJson(std::ceil(estimate.hi)) : Json(nullptr)},
          {"n", estimate.exact ? Json(nullptr) : Json(estimate.n)}};
}

Json FrameJson(const analysis::StackFrame& frame) {
  return {{"function", frame.function.empty() ? Json(nullptr) : Json(frame.function)},
          {"file", frame.file.empty() ? Json(nullptr) : Json(frame.file)},
          {"line", frame.line},
          {"module", frame.module}};
}

Json PlaceJson(const analysis::PlaceChange& place) {
  constexpr const char* kKinds[] = {"new", "gone", "grown", "shrunk", "noise", "same"};
  Json json;
  json["kind"] = kKinds[static_cast<size_t>(place.kind)];
  json["change"] = ChangeJson(place.change);
  json["before"] = EstimateJson(place.before);
  json["after"] = EstimateJson(place.after);
  if (place.has_frame) json["frame"] = FrameJson(place.frame);
  if (!place.unnamed.empty()) json["unnamed"] = place.unnamed;
  if (place.has_caller) json["caller"] = FrameJson(place.caller);
  return json;
}

}  // namespace

std::string ChangesJson(const analysis::Changes& changes, const ChangesView& view) {
  Json json;
  json["schema"] = 1;
  json["before"] = view.before_title;
  json["after"] = view.after_title;
  json["narrowed"] = view.narrowed;
  json["by"] = MeasureName(view.by);
  json["one_image"] = changes.one_image;
  json["total"] = PlaceJson(changes.total);
  json["places"] = Json::array();
  for (size_t i = 0; i < std::min(view.limit, changes.ranked.size()); ++i)
    json["places"].push_back(PlaceJson(changes.ranked[i]));
  json["noise"] = {{"places", changes.noisy}, {"change", ChangeJson(changes.noise.change)}};
  json["unchanged"] = changes.same;
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace heaptally::cli
