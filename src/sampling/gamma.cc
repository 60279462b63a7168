// Above a shape of 1,000 the Cornish-Fisher expansion of the distribution (Fisher and Cornish 1960, given there for
// chi-square) is better than 1e-9. Below, Halley's method on the distribution function, kept in a bracket, from the
// cube of Wilson and Hilferty (1931) or, for small quantiles, from the first term of the series.
#include "sampling/gamma.h"

#include <algorithm>
#include <cmath>

namespace heaptally::sampling {
namespace {

// ln Gamma(a), a > 0: Stirling's series from 12 up. (std::lgamma writes a global variable, so threads race for it.)
double LogGamma(double a) {
  double product = 1;
  while (a < 12) product *= a++;
  const double r = 1 / a, r2 = r * r;
  const double series = r * (1.0 / 12 - r2 * (1.0 / 360 - r2 * (1.0 / 1260 - r2 * (1.0 / 1680 - r2 / 1188))));
  return (a - 0.5) * std::log(a) - a + 0.91893853320467274 + series - std::log(product);
}

// P(a, x), the regularised lower incomplete gamma function (Abramowitz and Stegun 6.5.29 and 6.5.31).
double GammaP(double a, double x, double log_gamma) {
  if (x <= 0) return 0;
  const double lead = std::exp(a * std::log(x) - x - log_gamma);
  if (x < a + 1) {
    double term = 1 / a, sum = term;
    for (double k = a + 1; term > sum * 1e-17; ++k) sum += term *= x / k;
    return std::min(1.0, sum * lead);
  }
  constexpr double kTiny = 1e-300;
  double b = x + 1 - a, c = 1 / kTiny, d = 1 / b, fraction = d;  // Lentz's evaluation of the continued fraction
  for (int i = 1; i < 10000; ++i) {
    const double numerator = -i * (i - a);
    b += 2;
    d = numerator * d + b;
    if (std::fabs(d) < kTiny) d = kTiny;
    c = b + numerator / c;
    if (std::fabs(c) < kTiny) c = kTiny;
    d = 1 / d;
    fraction *= d * c;
    if (std::fabs(d * c - 1) < 1e-15) break;
  }
  return std::max(0.0, 1 - lead * fraction);
}

double CornishFisher(double a, double z) {
  const double z2 = z * z, root = std::sqrt(a);
  const double terms = z * root + (z2 - 1) / 3 + z * (z2 - 7) / (36 * root) - ((3 * z2 + 7) * z2 - 16) / (810 * a) +
                       z * ((9 * z2 + 256) * z2 - 433) / (38880 * a * root);
  return a + terms;
}

}  // namespace

double GammaQuantile(double shape, Tail tail) {
  if (!(shape > 0)) return 0;
  if (shape >= 1000) return CornishFisher(shape, tail.normal);
  const double log_gamma = LogGamma(shape);
  // P(a, x) is x^a / Gamma(a+1) for small x.
  const double small = std::exp((std::log(tail.probability) + log_gamma + std::log(shape)) / shape);
  if (small < 1e-9) return small < 1e-300 ? 0 : small;
  const double r = 1 / (9 * shape), root = 1 - r + tail.normal * std::sqrt(r);
  double low = 0, high = shape + 10 * std::sqrt(shape) + 20;
  double x = shape < 1 || root < 0.1 ? std::min(small, high / 2) : shape * root * root * root;
  for (int i = 0; i < 60; ++i) {
    const double miss = GammaP(shape, x, log_gamma) - tail.probability;
    (miss > 0 ? high : low) = x;
    const double density = std::exp((shape - 1) * std::log(x) - x - log_gamma);
    const double newton = miss / density;
    const double bend = std::clamp(newton * ((shape - 1) / x - 1) / 2, -0.5, 0.5);
    double next = x - newton / (1 - bend);
    if (!(next > low && next < high)) next = (low + high) / 2;
    if (std::fabs(next - x) < 1e-11 * x) return next;
    x = next;
  }
  return x;
}

}  // namespace heaptally::sampling
