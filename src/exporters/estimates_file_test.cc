// The page makes its intervals itself (page/estimates.js). Both sides are held to one file of examples: this test says that
// the tool agrees with it, page/estimates_test.js that the page does. HEAPTALLY_WRITE_ESTIMATES=1 writes it anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "analysis/ranking.h"
#include "profile/estimates.h"

namespace heaptally::exporters {
namespace {

using Json = nlohmann::ordered_json;

Json EstimateJson(const sampling::Estimate& estimate) {
  return {{"v", estimate.v}, {"lo", estimate.lo}, {"hi", estimate.hi_known ? Json(estimate.hi) : Json(nullptr)}, {"exact", estimate.exact}};
}

Json MomentsJson(const profile::Amount& amount) {
  return {{"proven", amount.proven}, {"inferred", amount.inferred}, {"variance", amount.variance}, {"samples", amount.samples}};
}

// One sample, few, many; small and large blocks; shapes below 1, in the hundreds, above 1,000 and above 10^12.
std::vector<profile::Amount> Amounts(double period) {
  std::vector<profile::Amount> out = {{0, 0, 0, 0}, {1'000'000, 0, 0, 3}};
  for (const double size : {16.0, 65536.0, 4e6}) {
    for (const uint64_t samples : {1, 3, 40, 2000, 5'000'000}) {
      const double p = -std::expm1(-(size + 1) / period), q = (1 - p) / p, n = static_cast<double>(samples);
      out.push_back({static_cast<uint64_t>(size * n), size * q * n, size * size * q / p * n, samples});
    }
  }
  out.push_back({10, 1e18, 1e10, 12});
  return out;
}

Json Cases() {
  Json out = Json::array();
  for (const double period : {0.0, 524288.0}) {
    for (const profile::Amount& amount : Amounts(period == 0 ? 524288 : period)) {
      for (const uint64_t floor : {uint64_t{16}, UINT64_MAX}) {
        profile::Measures measures;
        measures.period = period;
        measures.floor_bytes = floor;
        measures.live.bytes = measures.peak.bytes = measures.temporary = amount;
        profile::Measures whole = measures;
        whole.peak_whole.bytes = {amount.proven + 7, amount.inferred * 1.25, amount.variance * 1.5, amount.samples + 1};
        whole.peak_most_proven = amount.proven + 5;
        whole.live.bytes.proven += 1000;
        out.push_back({{"period", period},
                       {"floor", floor == UINT64_MAX ? Json(nullptr) : Json(floor)},
                       {"moments", MomentsJson(amount)},
                       {"whole", MomentsJson(whole.peak_whole.bytes)},
                       {"bytes", EstimateJson(Ranked(measures, analysis::By::kLive))},
                       {"calls", EstimateJson(Ranked(measures, analysis::By::kTemporary))},
                       {"peak", EstimateJson(Ranked(measures, analysis::By::kPeak))},
                       {"process_peak", EstimateJson(analysis::ProcessPeak(whole))}});
      }
    }
  }
  return out;
}

TEST(EstimatesFile, TheToolAgreesWithTheExamplesOfThePage) {
  const std::string path = HEAPTALLY_ESTIMATES;
  const Json cases = Cases();
  if (std::getenv("HEAPTALLY_WRITE_ESTIMATES") != nullptr) {
    std::ofstream out(path);
    out << "[\n";
    for (size_t i = 0; i < cases.size(); ++i) out << cases[i].dump() << (i + 1 < cases.size() ? ",\n" : "\n]\n");
  }
  std::ifstream file(path);
  const Json kept = Json::parse(file);
  ASSERT_EQ(kept.size(), cases.size());
  for (size_t i = 0; i < cases.size(); ++i) {
    for (const char* kind : {"bytes", "calls", "peak", "process_peak"}) {
      for (const char* end : {"v", "lo", "hi"}) {
        const Json &a = kept[i][kind][end], &b = cases[i][kind][end];
        ASSERT_EQ(a.is_null(), b.is_null()) << cases[i].dump();
        if (a.is_null()) continue;
        ASSERT_NEAR(a.get<double>(), b.get<double>(), std::abs(a.get<double>()) * 1e-9) << cases[i].dump();
      }
    }
  }
}

}  // namespace
}  // namespace heaptally::exporters
