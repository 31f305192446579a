// Resize: every element is a weighted mean of the input's elements around its place, axis by axis
// (resize_axis.h). Operands: x, roi (begins, then ends; only tf_crop_and_resize reads it), scales, sizes; an
// empty list counts as left out, and exactly one of scales and sizes is given.
#include <cmath>

#include "graph/operators/elements.h"
#include "graph/operators/operators.h"
#include "graph/operators/resize_axis.h"
#include "graph/operators/window.h"

namespace fuselane {
namespace {

constexpr size_t kRoi = 1, kScales = 2, kSizes = 3;

// Whether a list operand is given; unknown while its length is.
std::optional<bool> given(const Inference& i, size_t operand) {
  if (!i.has(operand)) return false;
  auto length = length_of_list(i, operand);
  if (!length) return std::nullopt;
  return *length > 0;
}

Status require_length(const Inference& i, size_t operand, int64_t length) {
  auto known = length_of_list(i, operand);
  if (!known || *known == length) return {};
  return i.refuse(cat("input ", operand, " must have ", length, " elements, not ", *known));
}

Status check_operands(const Inference& i, const ResizeMode& mode) {
  bool moves =
      mode.interpolation == Interpolation::Nearest && mode.coordinates != CoordinateMode::TfCropAndResize;
  TRY(require_fixed_size(i, 0));
  if (!moves) TRY(i.require_number(0));  // sums, or stores the extrapolation value
  TRY(i.require_float(kRoi));
  TRY(i.require_rank(kRoi, 1, 1));
  if (i.has(kScales) && i.dtype(kScales) != DType::Float32) {
    return i.refuse(cat("input ", kScales, " must be float32, not ", name_of(i.dtype(kScales))));
  }
  TRY(i.require_rank(kScales, 1, 1));
  TRY(require_list(i, kSizes));
  auto scales = given(i, kScales);
  auto sizes = given(i, kSizes);
  if (scales == false && sizes == false) return i.refuse("needs scales or sizes");
  if (scales == true && sizes == true) return i.refuse("takes scales or sizes, not both");
  if (mode.coordinates == CoordinateMode::TfCropAndResize && given(i, kRoi) == false) {
    return i.refuse("needs a region (input 1) for tf_crop_and_resize");
  }
  return {};
}

// floor(extent * scale), of the region's share with tf_crop_and_resize. In float32, the scales' own type, so
// that 3 times the float32 nearest to 7/3 is 7.
Result<Dim> scaled(const Inference& i, const ResizeMode& mode, size_t axis, const Dim& input) {
  double scale = i.value(kScales)->number(static_cast<int64_t>(axis));
  if (!(scale > 0) || std::isinf(scale))
    return i.refuse(cat("a scale must be positive and finite, not ", scale));
  bool crop = mode.coordinates == CoordinateMode::TfCropAndResize;
  if (!crop && scale == 1) return input;
  if (!input.known() || (crop && !i.value(kRoi))) return Dim();
  auto extent = static_cast<float>(input.extent);
  if (crop) {
    const Tensor& roi = *i.value(kRoi);
    auto at = static_cast<int64_t>(axis);
    extent *= static_cast<float>(roi.number(roi.count() / 2 + at) - roi.number(at));
  }
  float product = std::floor(extent * static_cast<float>(scale));
  if (product >= 0 && product < 0x1p62f) return Dim(static_cast<int64_t>(product));
  return i.refuse(cat("its region and scale give axis ", axis, " an extent of ", product));
}

Result<DimVector> resized(const Inference& i, const ResizeMode& mode, const DimVector& x) {
  DimVector y(x.size());
  auto sizes = given(i, kSizes);
  auto target = i.integers(kSizes);
  for (size_t axis = 0; axis < x.size(); ++axis) {
    if (sizes == true && target) {
      if ((*target)[axis] < 0) return i.refuse(cat("a size must be at least 0, not ", (*target)[axis]));
      y[axis] = (*target)[axis];
    } else if (sizes == false && i.value(kScales)) {
      y[axis] = TRY(scaled(i, mode, axis, x[axis]));
    }
    if (x[axis].extent == 0 && y[axis].extent > 0) {
      return i.refuse(cat("axis ", axis, " has extent 0 and cannot become ", y[axis].extent));
    }
  }
  return y;
}

}  // namespace

Status shape_of_resize(Inference& i) {
  ResizeMode mode = TRY(resize_mode(i.node));
  TRY(check_operands(i, mode));
  auto rank = i.dims(0) ? std::optional(static_cast<int64_t>(i.dims(0)->size())) : std::nullopt;
  for (size_t operand : {kScales, kSizes}) {
    if (given(i, operand) != true) continue;
    if (!rank) rank = length_of_list(i, operand);
    TRY(require_length(i, operand, *rank));
  }
  i.set(0, i.dtype(0), std::nullopt);
  if (!rank) return {};
  if (mode.coordinates == CoordinateMode::TfCropAndResize) TRY(require_length(i, kRoi, 2 * *rank));
  DimVector x = i.dims(0) ? *i.dims(0) : DimVector(static_cast<size_t>(*rank));
  i.set(0, i.dtype(0), TRY(resized(i, mode, x)));
  return {};
}

namespace {

// The samples of each axis.
std::vector<std::vector<Sample>> all_samples(const ReferenceCall& call, const ResizeMode& mode) {
  std::vector<std::vector<Sample>> samples;
  const TensorView& x = call.inputs[0];
  bool by_scales = call.has_input(kScales) && call.inputs[kScales].count > 0;
  for (int64_t a = 0; a < x.rank(); ++a) {
    ResizeAxis axis{.input = x.extent(a), .output = call.outputs[0].extent(a)};
    if (by_scales) axis.scale = call.inputs[kScales].number(a);
    if (mode.coordinates == CoordinateMode::TfCropAndResize) {
      axis.roi_begin = call.inputs[kRoi].number(a);
      axis.roi_end = call.inputs[kRoi].number(x.rank() + a);
    }
    samples.push_back(samples_of(mode, axis));
  }
  return samples;
}

// The input's rows (stretches of the last axis) that output row `row` is made of, with their weights: the
// products over the outer axes. `index` is where a row begins. None if an axis lies outside.
std::vector<Sample::Tap> rows_of(const std::vector<std::vector<Sample>>& samples, DimsView input,
                                 const Odometer& row) {
  std::vector<Sample::Tap> rows = {{0, 1.0}};
  for (size_t a = 0; a + 1 < samples.size(); ++a) {
    std::vector<Sample::Tap> products;
    for (const Sample::Tap& outer : rows) {
      for (const Sample::Tap& tap : samples[a][static_cast<size_t>(row[a])].taps) {
        products.push_back({outer.index * input[a] + tap.index, outer.weight * tap.weight});
      }
    }
    rows = std::move(products);
  }
  for (Sample::Tap& tap : rows) tap.index *= input.back();
  return rows;
}

}  // namespace

Status reference_resize(const ReferenceCall& call) {
  const TensorView& x = call.inputs[0];
  const TensorView& y = call.outputs[0];
  if (y.count == 0) return {};
  ResizeMode mode = TRY(resize_mode(call.node));
  std::vector<std::vector<Sample>> samples = all_samples(call, mode);
  double extrapolation = call.node.number(Attr::ExtrapolationValue);
  int64_t width = y.dims.back();
  Odometer row(Dims(y.dims.begin(), y.dims.end() - 1));
  for (int64_t start = 0; start < y.count; start += width, row.next()) {
    std::vector<Sample::Tap> rows = rows_of(samples, x.dims, row);
    for (int64_t o = 0; o < width; ++o) {
      const std::vector<Sample::Tap>& taps = samples.back()[static_cast<size_t>(o)].taps;
      if (rows.empty() || taps.empty()) {
        y.set_number(start + o, extrapolation);
      } else if (mode.interpolation == Interpolation::Nearest) {
        copy_run(x, {rows[0].index + taps[0].index}, y, {start + o}, 1);
      } else {
        double sum = 0;
        for (const Sample::Tap& outer : rows) {
          double inner = 0;
          for (const Sample::Tap& tap : taps) inner += tap.weight * x.number(outer.index + tap.index);
          sum += outer.weight * inner;
        }
        y.set_number(start + o, sum);
      }
    }
  }
  return {};
}

}  // namespace fuselane
