#include "assemble/kernels/matrices.h"

#include <algorithm>

#include "assemble/kernels/planners.h"

namespace fuselane {
namespace {

constexpr Layout kPixels = Layout::ChannelsLast;

// Nothing where pixels have no stride. One pixel alone has no next one.
std::optional<uint32_t> stride_of(const Dims& dims, const Dims& strides) {
  auto matrices = matrix_strides(dims, strides, kPixels, 0);
  if (!matrices || !fits32(static_cast<int64_t>(matrices->row))) return std::nullopt;
  return static_cast<uint32_t>(std::max(matrices->row, static_cast<uint64_t>(dims[1])));
}

}  // namespace

std::optional<MatrixStrides> matrix_strides(DimsView dims, DimsView strides, Layout layout,
                                            size_t batch_axes) {
  Dims extents = memory_dims(dims, layout), order = memory_dims(strides, layout);
  if (extents.empty() || (extents.back() > 1 && order.back() != 1)) return std::nullopt;
  auto joint = [&](size_t first, size_t last) {
    return joint_stride(DimsView(extents).subspan(first, last - first),
                        DimsView(order).subspan(first, last - first));
  };
  auto batch = joint(0, batch_axes);
  auto row = joint(batch_axes, extents.size() - 1);
  if (!batch || !row || *batch < 0 || *row < 0) return std::nullopt;
  return MatrixStrides{static_cast<uint64_t>(*batch), static_cast<uint64_t>(*row)};
}

MatrixStrides dense_matrices(uint64_t rows, uint64_t columns) { return {rows * columns, columns}; }

uint32_t pixel_stride(const Site& site, size_t input) {
  const Dims& dims = site.dims(input);
  return stride_of(dims, site.strides(input, kPixels)).value_or(static_cast<uint32_t>(dims[1]));
}

Pixels take_pixels(Site& site, size_t input) {
  const bool as_it_lies = stride_of(site.dims(input), site.strides(input, kPixels)).has_value();
  const uint32_t stride = pixel_stride(site, input);
  return {as_it_lies ? site.strided(input, kPixels) : site.input(input, kPixels), stride};
}

uint32_t result_stride(const Site& site) {
  const Dims& y = site.result_dims(0);
  return stride_of(y, site.output_strides(0, kPixels)).value_or(static_cast<uint32_t>(y[1]));
}

Pixels make_pixels(Site& site, std::span<const size_t> over) {
  const bool where_wanted = stride_of(site.result_dims(0), site.output_strides(0, kPixels)).has_value();
  const uint32_t stride = result_stride(site);
  return {where_wanted ? site.output_strided_over(0, over, kPixels) : site.output(0, kPixels), stride};
}

}  // namespace fuselane
