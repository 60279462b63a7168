// Quantiles of the gamma distribution, which the intervals are made of. Tool side.
#pragma once

namespace heaptally::sampling {

// The two ends of a 95 % interval, each with the standard normal quantile of the same probability.
struct Tail {
  double probability;
  double normal;
};
inline constexpr Tail kLowerTail = {0.025, -1.959963984540054};
inline constexpr Tail kUpperTail = {0.975, 1.959963984540054};

// x with P(Gamma(shape, 1) <= x) = tail.probability. Relative error below 1e-7 for shapes from 0.01 up (1e-9 in most
// places); smaller results than 1e-300 come out as 0. Total: 0 for a shape that is not positive, finite for any other.
double GammaQuantile(double shape, Tail tail);

}  // namespace heaptally::sampling
