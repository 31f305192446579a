// Where Resize samples one axis: the formulas of ONNX for the coordinate of each output position in the
// input, and the elements around it with their weights.
#pragma once

#include <vector>

#include "base/result.h"
#include "graph/node.h"

namespace fuselane {

enum class Interpolation : uint8_t { Nearest, Linear, Cubic };
enum class CoordinateMode : uint8_t {
  HalfPixel,
  HalfPixelSymmetric,
  PytorchHalfPixel,
  AlignCorners,
  Asymmetric,
  TfHalfPixelForNn,
  TfCropAndResize,
};
enum class NearestMode : uint8_t { RoundPreferFloor, RoundPreferCeil, Floor, Ceil };

struct ResizeMode {
  Interpolation interpolation = Interpolation::Nearest;
  CoordinateMode coordinates = CoordinateMode::HalfPixel;
  NearestMode nearest = NearestMode::RoundPreferFloor;
  double cubic_a = -0.75;
  bool exclude_outside = false;
};

// Error: a text that names no mode.
Result<ResizeMode> resize_mode(const Node& node);

struct ResizeAxis {
  int64_t input = 1;
  int64_t output = 1;
  double scale = 0;  // 0 when the sizes are given: then it is output / input, without a rounding of its own
  double roi_begin = 0;
  double roi_end = 1;
};

// One output position of an axis: the elements it is made of. None when the position lies outside of the
// input and takes the extrapolation value.
struct Sample {
  struct Tap {
    int64_t index;
    double weight;
  };
  std::vector<Tap> taps;
};

// The samples of all output positions; the input is not empty.
std::vector<Sample> samples_of(const ResizeMode& mode, const ResizeAxis& axis);

}  // namespace fuselane
