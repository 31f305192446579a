// MaxPool and AveragePool: the largest element, or the mean, of each window. NaN in a window gives NaN.
// Padding never counts for the maximum (a window of padding alone gives -inf, or the type's least integer),
// and for the mean only with count_include_pad, and then only as far as pads reach: cells that ceil_mode adds
// past them do not count.
#include <algorithm>
#include <cmath>
#include <limits>

#include "graph/operators/operators.h"
#include "graph/operators/window.h"

namespace fuselane {

Status shape_of_pool(Inference& i) {
  if (i.node.op == Op::MaxPool && i.dtype(0) != DType::Int8 && i.dtype(0) != DType::UInt8) {
    TRY(i.require_float(0));
  } else if (i.node.op == Op::AveragePool) {
    TRY(i.require_float(0));
  }
  std::span<const int64_t> kernel = i.node.integers(Attr::KernelShape);
  auto rank = static_cast<int64_t>(kernel.size());
  if (rank == 0) return i.refuse("attribute 'kernel_shape' must name at least one spatial axis");
  if (std::ranges::min(kernel) < 1) {
    return i.refuse(cat("attribute 'kernel_shape' must be at least 1, not ", std::ranges::min(kernel)));
  }
  TRY(i.require_rank(0, rank + 2, rank + 2));
  DimVector x = i.dims(0) ? *i.dims(0) : DimVector(kernel.size() + 2);
  DimVector y = {x[0], x[1]};
  DimVector outputs = TRY(window_outputs(i.node, std::span(x).subspan(2), symbolic(kernel)));
  y.insert(y.end(), outputs.begin(), outputs.end());
  i.set(0, i.dtype(0), y);
  if (i.wants(1)) i.set(1, DType::Int64, std::move(y));
  return {};
}

namespace {

// The cells under one window: where those of the input lie in a plane, in row-major order, and how many lie
// in the input or its pads.
struct Cells {
  std::vector<int64_t> offsets;
  double padded =
      0;  // a double because the attributes alone decide it, and may ask for more than int64 holds
};

void find_cells(const std::vector<WindowAxis>& axes, const Odometer& position, Cells& cells) {
  cells.offsets.clear();
  cells.padded = 1;
  std::vector<IndexRange> taps;
  Dims counts;
  for (size_t a = 0; a < axes.size(); ++a) {
    const WindowAxis& axis = axes[a];
    int64_t start = axis.at(position[a], 0);
    taps.push_back(indices_inside(start, axis.dilation, axis.kernel, axis.input));
    counts.push_back(taps[a].end - taps[a].begin);
    IndexRange padded = indices_inside(start + axis.pad_begin, axis.dilation, axis.kernel,
                                       axis.pad_begin + axis.input + axis.pad_end);
    cells.padded *= static_cast<double>(padded.end - padded.begin);
  }
  if (std::ranges::find(counts, 0) != counts.end()) return;
  Odometer tap(counts);
  do {
    int64_t offset = 0;
    for (size_t a = 0; a < axes.size(); ++a) {
      offset = offset * axes[a].input + axes[a].at(position[a], taps[a].begin + tap[a]);
    }
    cells.offsets.push_back(offset);
  } while (tap.next());
}

// Calls visit(cells, first element of the input plane, output element) for each window of each plane.
template <class Visit>
Status each_window(const ReferenceCall& call, Visit visit) {
  const TensorView& x = call.inputs[0];
  size_t wanted = call.has_output(0) ? 0 : 1;
  if (!call.has_output(wanted) || call.outputs[wanted].count == 0) return {};
  const TensorView& y = call.outputs[wanted];
  std::vector<WindowAxis> axes =
      TRY(windows_of(call.node, x.dims.subspan(2), call.node.integers(Attr::KernelShape)));
  int64_t planes = x.extent(0) * x.extent(1);
  int64_t plane_in = x.count / planes;
  int64_t plane_out = y.count / planes;
  Odometer position(Dims(y.dims.begin() + 2, y.dims.end()));
  Cells cells;
  for (int64_t o = 0; o < plane_out; ++o, position.next()) {
    find_cells(axes, position, cells);
    for (int64_t plane = 0; plane < planes; ++plane) visit(cells, plane * plane_in, plane * plane_out + o);
  }
  return {};
}

// An offset of the row-major plane as it would be with the first spatial axis fastest.
int64_t column_major(int64_t offset, DimsView spatial) {
  int64_t result = 0;
  int64_t place = 1;
  for (int64_t extent : spatial) place *= extent;
  for (size_t a = spatial.size(); a-- > 0;) {
    place /= spatial[a];
    result += offset % spatial[a] * place;
    offset /= spatial[a];
  }
  return result;
}

double least_of(DType dtype) {
  if (dtype == DType::Int8) return -128;
  return dtype == DType::UInt8 ? 0 : -std::numeric_limits<double>::infinity();
}

}  // namespace

// The second result is where each maximum was found (the first of equals), counted through all of x as if
// without pads; -1 where a window holds padding alone.
Status reference_max_pool(const ReferenceCall& call) {
  const TensorView& x = call.inputs[0];
  bool by_columns = call.node.flag(Attr::StorageOrder);
  return each_window(call, [&](const Cells& cells, int64_t plane, int64_t out) {
    double largest = least_of(x.dtype);
    int64_t found = -1;
    for (int64_t offset : cells.offsets) {
      double value = x.number(plane + offset);
      if (found >= 0 && !(value > largest) && (!std::isnan(value) || std::isnan(largest))) continue;
      largest = value;
      found = offset;
    }
    if (call.has_output(0)) call.outputs[0].set_number(out, largest);
    if (!call.has_output(1)) return;
    if (found >= 0) found = plane + (by_columns ? column_major(found, x.dims.subspan(2)) : found);
    call.outputs[1].set_integer(out, found);
  });
}

Status reference_average_pool(const ReferenceCall& call) {
  const TensorView& x = call.inputs[0];
  bool with_pads = call.node.flag(Attr::CountIncludePad);
  return each_window(call, [&](const Cells& cells, int64_t plane, int64_t out) {
    double sum = 0;
    for (int64_t offset : cells.offsets) sum += x.number(plane + offset);
    // NaN where a window holds nothing that counts.
    call.outputs[0].set_number(out,
                               sum / (with_pads ? cells.padded : static_cast<double>(cells.offsets.size())));
  });
}

}  // namespace fuselane
