#include "analysis/histograms.h"

#include <algorithm>
#include <cmath>

namespace heaptally::analysis {

using profile::Bucket;

void AddHistogram(const std::vector<Bucket>& more, std::vector<Bucket>* sum) {
  for (const Bucket& bucket : more) {
    const auto at = std::find_if(sum->begin(), sum->end(), [&](const Bucket& one) {
      return one.from == bucket.from && one.to == bucket.to;
    });
    if (at == sum->end()) {
      sum->push_back(bucket);
    } else {
      at->objects += bucket.objects;
    }
  }
  std::sort(sum->begin(), sum->end(), [](const Bucket& a, const Bucket& b) { return a.from < b.from; });
}

std::vector<Bucket> WithoutGaps(const std::vector<Bucket>& sizes) {
  std::vector<Bucket> out;
  for (const Bucket& bucket : sizes) {
    while (!out.empty() && out.back().to < UINT64_MAX / 2 && out.back().to + 1 < bucket.from) {
      const uint64_t from = out.back().to + 1;
      out.push_back({.from = from, .to = 2 * from - 1});
    }
    out.push_back(bucket);
  }
  return out;
}

std::vector<double> LifetimeDecades(const std::vector<Bucket>& lifetimes_ns) {
  std::vector<double> out(kDecades);
  for (const Bucket& bucket : lifetimes_ns) {
    const double middle = std::sqrt(std::max<double>(static_cast<double>(bucket.from), 1) *
                                    std::max<double>(static_cast<double>(bucket.to), 1));
    const double decade = std::floor(std::log10(middle)) - 2;  // 1 us is 10^3 ns
    out[static_cast<size_t>(std::clamp<double>(decade, 0, kDecades - 1))] += bucket.objects.value();
  }
  return out;
}

std::vector<MainSize> MainSizes(const std::vector<Bucket>& sizes) {
  constexpr double kEnough = 0.85;
  constexpr size_t kMost = 3;
  double all = 0;
  for (const Bucket& bucket : sizes) all += bucket.objects.value();
  std::vector<const Bucket*> order;
  for (const Bucket& bucket : sizes) order.push_back(&bucket);
  std::stable_sort(order.begin(), order.end(),
                   [](const Bucket* a, const Bucket* b) { return a->objects.value() > b->objects.value(); });
  std::vector<const Bucket*> chosen;
  double held = 0;
  for (size_t at = 0; at < order.size() && held < kEnough * all; ++at) {
    chosen.push_back(order[at]);
    held += order[at]->objects.value();
  }
  std::sort(chosen.begin(), chosen.end(), [](const Bucket* a, const Bucket* b) { return a->from < b->from; });
  std::vector<MainSize> out;
  for (const Bucket* bucket : chosen) {
    const double share = bucket->objects.value() / all;
    if (!out.empty() && out.back().to + 1 == bucket->from) {
      out.back().to = bucket->to;
      out.back().share += share;
    } else {
      out.push_back({bucket->from, bucket->to, share});
    }
  }
  if (out.size() > kMost) return {};
  std::stable_sort(out.begin(), out.end(), [](const MainSize& a, const MainSize& b) { return a.share > b.share; });
  return out;
}

}  // namespace heaptally::analysis
