#include "graph/operators/resize_axis.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/printer.h"
#include "graph/ops.h"

namespace fuselane {
namespace {

template <class Mode>
struct ModeName {
  std::string_view text;
  Mode mode;
};
constexpr ModeName<Interpolation> kInterpolations[] = {
    {"nearest", Interpolation::Nearest}, {"linear", Interpolation::Linear}, {"cubic", Interpolation::Cubic}};
constexpr ModeName<CoordinateMode> kCoordinateModes[] = {
    {"half_pixel", CoordinateMode::HalfPixel},
    {"half_pixel_symmetric", CoordinateMode::HalfPixelSymmetric},
    {"pytorch_half_pixel", CoordinateMode::PytorchHalfPixel},
    {"align_corners", CoordinateMode::AlignCorners},
    {"asymmetric", CoordinateMode::Asymmetric},
    {"tf_half_pixel_for_nn", CoordinateMode::TfHalfPixelForNn},
    {"tf_crop_and_resize", CoordinateMode::TfCropAndResize}};
constexpr ModeName<NearestMode> kNearestModes[] = {{"round_prefer_floor", NearestMode::RoundPreferFloor},
                                                   {"round_prefer_ceil", NearestMode::RoundPreferCeil},
                                                   {"floor", NearestMode::Floor},
                                                   {"ceil", NearestMode::Ceil}};

template <class Mode, size_t kCount>
Result<Mode> mode_of(const Node& node, Attr attr, const ModeName<Mode> (&names)[kCount]) {
  std::string_view text = node.text(attr);
  std::vector<std::string_view> allowed;
  for (const ModeName<Mode>& name : names) {
    if (name.text == text) return name.mode;
    allowed.push_back(name.text);
  }
  return fail(ErrorCode::InvalidModel,
              cat("attribute '", text_of(attr), "' must be one of ", join(allowed), ", not '", text, "'"));
}

// The input coordinate of output position `x`. "length_resized" of the formulas is the output's extent, a
// whole number also where a scale was given that makes it none.
double coordinate(CoordinateMode mode, const ResizeAxis& axis, int64_t x) {
  auto input = static_cast<double>(axis.input);
  auto output = static_cast<double>(axis.output);
  auto at = static_cast<double>(x);
  auto unscaled = [&](double position) {
    return axis.scale == 0 ? position * input / output : position / axis.scale;
  };
  switch (mode) {
    case CoordinateMode::HalfPixel:
      return unscaled(at + 0.5) - 0.5;
    case CoordinateMode::HalfPixelSymmetric: {
      // Keeps the middle in the middle where the output was rounded down.
      double whole = axis.scale == 0 ? output : axis.scale * input;
      return input / 2 * (1 - output / whole) + unscaled(at + 0.5) - 0.5;
    }
    case CoordinateMode::PytorchHalfPixel:
      return axis.output > 1 ? unscaled(at + 0.5) - 0.5 : 0;
    case CoordinateMode::AlignCorners:
      return axis.output > 1 ? at * (input - 1) / (output - 1) : 0;
    case CoordinateMode::Asymmetric:
      return unscaled(at);
    case CoordinateMode::TfHalfPixelForNn:
      return unscaled(at + 0.5);
    case CoordinateMode::TfCropAndResize:
      if (axis.output == 1) return 0.5 * (axis.roi_begin + axis.roi_end) * (input - 1);
      return axis.roi_begin * (input - 1) + at * (axis.roi_end - axis.roi_begin) * (input - 1) / (output - 1);
  }
  return 0;
}

bool rounds_up(NearestMode mode, double ratio) {
  switch (mode) {
    case NearestMode::RoundPreferFloor:
      return ratio > 0.5;
    case NearestMode::RoundPreferCeil:
      return ratio >= 0.5;
    case NearestMode::Floor:
      return false;
    case NearestMode::Ceil:
      return true;
  }
  return false;
}

// Keys' cubic convolution kernel at distance d from the coordinate.
double cubic_weight(double a, double d) {
  d = std::fabs(d);
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
}

// Weights of the elements at base - 1, base, base + 1, base + 2 for a coordinate between base and base + 1.
std::array<double, 4> weights_of(const ResizeMode& mode, double ratio) {
  switch (mode.interpolation) {
    case Interpolation::Nearest:
      return rounds_up(mode.nearest, ratio) ? std::array<double, 4>{0, 0, 1, 0}
                                            : std::array<double, 4>{0, 1, 0, 0};
    case Interpolation::Linear:
      return {0, 1 - ratio, ratio, 0};
    case Interpolation::Cubic:
      return {cubic_weight(mode.cubic_a, 1 + ratio), cubic_weight(mode.cubic_a, ratio),
              cubic_weight(mode.cubic_a, 1 - ratio), cubic_weight(mode.cubic_a, 2 - ratio)};
  }
  return {};
}

// Elements past an edge are those of the edge. With exclude_outside they weigh nothing and the others make up
// for it, unless there are no others.
Sample sample_at(const ResizeMode& mode, double x, int64_t extent) {
  double floor = std::floor(x);
  // All elements around a coordinate further out are the edge's.
  auto base = static_cast<int64_t>(std::clamp(floor, -4.0, static_cast<double>(extent) + 3));
  // On an element, that element alone counts: infinity in a neighbour of weight 0 is not to make NaN of it.
  std::array<double, 4> weights =
      x == floor ? std::array<double, 4>{0, 1, 0, 0} : weights_of(mode, x - floor);
  double inside = 0;
  for (int64_t k = 0; k < 4; ++k) {
    int64_t index = base - 1 + k;
    if (index >= 0 && index < extent) inside += weights[static_cast<size_t>(k)];
  }
  bool exclude = mode.exclude_outside && inside != 0;
  Sample sample;
  for (int64_t k = 0; k < 4; ++k) {
    int64_t index = base - 1 + k;
    double weight = weights[static_cast<size_t>(k)];
    if (weight == 0 || (exclude && (index < 0 || index >= extent))) continue;
    sample.taps.push_back({std::clamp<int64_t>(index, 0, extent - 1), exclude ? weight / inside : weight});
  }
  return sample;
}

}  // namespace

Result<ResizeMode> resize_mode(const Node& node) {
  ResizeMode mode;
  mode.interpolation = TRY(mode_of(node, Attr::Mode, kInterpolations));
  mode.coordinates = TRY(mode_of(node, Attr::CoordinateMode, kCoordinateModes));
  mode.nearest = TRY(mode_of(node, Attr::NearestMode, kNearestModes));
  mode.cubic_a = node.number(Attr::CubicCoeffA);
  mode.exclude_outside = node.flag(Attr::ExcludeOutside);
  return mode;
}

std::vector<Sample> samples_of(const ResizeMode& mode, const ResizeAxis& axis) {
  std::vector<Sample> samples;
  for (int64_t position = 0; position < axis.output; ++position) {
    double x = coordinate(mode.coordinates, axis, position);
    // Not negated, so that a region of NaN is outside too.
    bool inside = x >= 0 && x <= static_cast<double>(axis.input - 1);
    bool extrapolate = mode.coordinates == CoordinateMode::TfCropAndResize && !inside;
    samples.push_back(extrapolate ? Sample() : sample_at(mode, x, axis.input));
  }
  return samples;
}

}  // namespace fuselane
