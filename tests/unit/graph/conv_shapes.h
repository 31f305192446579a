// Convolutions of random shape, and the plainest statement of what they sum.
#pragma once

#include <algorithm>
#include <vector>

#include "base/rng.h"
#include "types/shape.h"

namespace fuselane {

// A convolution with its attributes, and the two operators as sums over all pairs of positions: for each
// input and output position it asks whether a tap connects them, where the references walk taps and rows.
struct ConvShape {
  Dims x, w, y;  // x and y as Conv sees them
  std::vector<int64_t> strides, dilations, pads;
  int64_t group = 1;
};

// The positions of all elements, as indices.
inline std::vector<Dims> positions_of(const Dims& dims) {
  std::vector<Dims> positions;
  for (int64_t i = 0; i < *element_count(dims); ++i) {
    Dims index(dims.size());
    int64_t rest = i;
    for (size_t a = dims.size(); a-- > 0;) {
      index[a] = rest % dims[a];
      rest /= dims[a];
    }
    positions.push_back(std::move(index));
  }
  return positions;
}

inline int64_t count_of(const Dims& dims) { return *element_count(dims); }

// The element of w through which y's element sees x's; -1 if none.
inline int64_t connecting_weight(const ConvShape& s, const Dims& x, const Dims& y) {
  int64_t channels = s.w[1];
  int64_t group = y[1] / (s.w[0] / s.group);
  if (x[0] != y[0] || x[1] / channels != group) return -1;
  int64_t index = y[1] * channels + x[1] % channels;
  for (size_t a = 2; a < x.size(); ++a) {
    int64_t distance = x[a] + s.pads[a - 2] - y[a] * s.strides[a - 2];
    int64_t tap = distance / s.dilations[a - 2];
    if (distance < 0 || distance % s.dilations[a - 2] != 0 || tap >= s.w[a]) return -1;
    index = index * s.w[a] + tap;
  }
  return index;
}

inline ConvShape random_shape(Rng& rng) {
  ConvShape s;
  s.group = rng.between(1, 2);
  int64_t channels = rng.between(1, 2);
  auto rank = static_cast<size_t>(rng.between(1, 4));
  s.x = {rng.between(1, 2), channels * s.group};
  s.w = {s.group * rng.between(1, 2), channels};
  s.y = {s.x[0], s.w[0]};
  s.pads.resize(2 * rank);
  for (size_t a = 0; a < rank; ++a) {
    s.strides.push_back(rng.between(1, 3));
    s.dilations.push_back(rng.between(1, 2));
    s.pads[a] = rng.between(0, 2);
    s.pads[rank + a] = rng.between(0, 2);
    s.w.push_back(rng.between(1, 3));
    int64_t span = (s.w.back() - 1) * s.dilations.back() + 1;
    s.x.push_back(rng.between(std::max<int64_t>(span - s.pads[a] - s.pads[rank + a], 1), span + 3));
    s.y.push_back((s.x.back() + s.pads[a] + s.pads[rank + a] - span) / s.strides.back() + 1);
  }
  return s;
}

inline std::vector<double> random_integers(Rng& rng, const Dims& dims) {
  std::vector<double> values;
  for (int64_t i = 0; i < count_of(dims); ++i) values.push_back(static_cast<double>(rng.between(-8, 8)));
  return values;
}

}  // namespace fuselane
