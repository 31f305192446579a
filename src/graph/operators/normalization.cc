// Normalization: elements minus a mean, over the square root of a variance plus epsilon, times a scale, plus
// a bias. What differs is where mean and variance come from: operands for each channel (batch), the elements
// of one channel of one image (instance), the trailing axes (layer; RMS: the mean is 0). Variances are those
// of the population.
#include <cmath>
#include <vector>

#include "graph/operators/broadcast.h"
#include "graph/operators/operators.h"

namespace fuselane {
namespace {

// Of axis 1; a tensor of rank 1 has one channel.
Dim channels_of(const DimVector& x) { return x.size() > 1 ? x[1] : Dim(1); }

// An operand with one number for each channel of operand 0.
Status require_channels(const Inference& i, size_t operand) {
  TRY(i.require_float(operand));
  TRY(i.require_rank(operand, 1, 1));
  if (!i.dims(0) || !i.dims(operand)) return {};
  Dim channels = channels_of(*i.dims(0));
  Dim own = (*i.dims(operand))[0];
  if (!channels.known() || !own.known() || channels.extent == own.extent) return {};
  return i.refuse(
      cat("input ", operand, " has ", own.extent, " elements for ", channels.extent, " channels"));
}

struct Affine {
  double mean;
  double deviation;
  double scale;
  double bias;
};

void apply(const TensorView& x, const TensorView& y, int64_t first, int64_t count, const Affine& f) {
  for (int64_t i = first; i < first + count; ++i) {
    y.set_number(i, (x.number(i) - f.mean) / f.deviation * f.scale + f.bias);
  }
}

struct Moments {
  double mean = 0;
  double deviation = 0;  // the square root of the variance plus epsilon
};

// In two passes, because the difference of two sums of squares cancels. NaN without elements. The mean is 0
// unless `centered`.
Moments moments_of(const TensorView& x, int64_t first, int64_t count, double epsilon, bool centered = true) {
  double sum = 0;
  for (int64_t i = first; centered && i < first + count; ++i) sum += x.number(i);
  double mean = sum / static_cast<double>(count);
  double squares = 0;
  for (int64_t i = first; i < first + count; ++i) {
    double difference = x.number(i) - mean;
    squares += difference * difference;
  }
  return {mean, std::sqrt(squares / static_cast<double>(count) + epsilon)};
}

// How a tensor [N, C, ...] lies: N * C blocks of `size` elements.
struct Channels {
  int64_t count = 1;
  int64_t blocks = 0;
  int64_t size = 1;
};

Channels channels_of(const TensorView& x) {
  Channels channels{.count = x.rank() > 1 ? x.extent(1) : 1};
  for (size_t d = 2; d < x.dims.size(); ++d) channels.size *= x.dims[d];
  channels.blocks = channels.size == 0 ? 0 : x.count / channels.size;
  return channels;
}

}  // namespace

Status shape_of_batch_normalization(Inference& i) {
  TRY(i.require_float(0));
  TRY(i.require_rank(0, 1, kMany));
  for (size_t k = 1; k < 5; ++k) TRY(require_channels(i, k));
  i.set(0, i.dtype(0), i.inputs[0].type.dims);
  return {};
}

Status reference_batch_normalization(const ReferenceCall& call) {
  if (!call.has_output(0)) return {};
  const TensorView& x = call.inputs[0];
  double epsilon = call.node.number(Attr::Epsilon);
  Channels channels = channels_of(x);
  for (int64_t block = 0; block < channels.blocks; ++block) {
    int64_t channel = block % channels.count;
    apply(x, call.outputs[0], block * channels.size, channels.size,
          {.mean = call.inputs[3].number(channel),
           .deviation = std::sqrt(call.inputs[4].number(channel) + epsilon),
           .scale = call.inputs[1].number(channel),
           .bias = call.inputs[2].number(channel)});
  }
  return {};
}

Status shape_of_instance_normalization(Inference& i) {
  TRY(i.require_float(0));
  TRY(i.require_rank(0, 2, kMany));
  for (size_t k = 1; k < 3; ++k) {
    TRY(require_channels(i, k));
    TRY(i.require_same_dtype(0, k));
  }
  i.set(0, i.dtype(0), i.inputs[0].type.dims);
  return {};
}

Status reference_instance_normalization(const ReferenceCall& call) {
  if (!call.has_output(0)) return {};
  const TensorView& x = call.inputs[0];
  double epsilon = call.node.number(Attr::Epsilon);
  Channels channels = channels_of(x);
  for (int64_t block = 0; block < channels.blocks; ++block) {
    int64_t channel = block % channels.count;
    Moments moments = moments_of(x, block * channels.size, channels.size, epsilon);
    apply(x, call.outputs[0], block * channels.size, channels.size,
          {.mean = moments.mean,
           .deviation = moments.deviation,
           .scale = call.inputs[1].number(channel),
           .bias = call.inputs[2].number(channel)});
  }
  return {};
}

// Also that of RMSNormalization. Results 1 and 2, the means and the reciprocal deviations, have extent 1 on
// the normalized axes.
Status shape_of_layer_normalization(Inference& i) {
  TRY(i.require_float(0));
  DType stash = i.node.dtype(Attr::StashType);
  if (stash != DType::Float32 && stash != DType::BFloat16) {
    return i.refuse(cat("stash_type must be float32 or bfloat16, not ", name_of(stash)));
  }
  for (size_t k = 1; k < i.inputs.size(); ++k) {
    TRY(i.require_same_dtype(0, k));
    TRY(require_broadcast_to(i, k, i.inputs[0].type.dims));
  }
  i.set(0, i.dtype(0), i.inputs[0].type.dims);
  std::optional<DimVector> reduced = i.inputs[0].type.dims;
  if (reduced) {
    auto axis = TRY(i.axis(i.node.integer(Attr::Axis), static_cast<int64_t>(reduced->size())));
    for (size_t d = static_cast<size_t>(axis); d < reduced->size(); ++d) (*reduced)[d] = Dim(1);
  }
  i.set(1, stash, reduced);
  i.set(2, stash, std::move(reduced));
  return {};
}

Status reference_layer_normalization(const ReferenceCall& call) {
  const TensorView& x = call.inputs[0];
  double epsilon = call.node.number(Attr::Epsilon);
  auto axis = normalize_axis(call.node.integer(Attr::Axis), x.rank()).value_or(0);
  int64_t rows = element_count(x.dims.first(static_cast<size_t>(axis))).value_or(0);
  int64_t size = element_count(x.dims.subspan(static_cast<size_t>(axis))).value_or(0);
  // Rows of no elements are as many as results 1 and 2 have, and unbounded when nobody wants these.
  if (x.count == 0 && !call.has_output(1) && !call.has_output(2)) return {};
  bool centered = call.node.op == Op::LayerNormalization;
  std::vector<Moments> moments;
  for (int64_t row = 0; row < rows; ++row) {
    moments.push_back(moments_of(x, row * size, size, epsilon, centered));
    if (call.has_output(1)) call.outputs[1].set_number(row, moments.back().mean);
    if (call.has_output(2)) call.outputs[2].set_number(row, 1 / moments.back().deviation);
  }
  if (!call.has_output(0)) return {};
  const TensorView& scale = call.has_input(1) ? call.inputs[1] : x;
  const TensorView& bias = call.has_input(2) ? call.inputs[2] : x;
  BroadcastWalk walk(x.dims, {scale.dims, bias.dims});
  while (const BroadcastRun* run = walk.next()) {
    for (int64_t k = 0; k < run->count; ++k) {
      int64_t at = run->first + k;
      const Moments& m = moments[static_cast<size_t>(at / size)];
      apply(x, call.outputs[0], at, 1,
            {.mean = m.mean,
             .deviation = m.deviation,
             .scale = call.has_input(1) ? scale.number(run->offsets[0] + k * run->strides[0]) : 1,
             .bias = call.has_input(2) ? bias.number(run->offsets[1] + k * run->strides[1]) : 0});
    }
  }
  return {};
}

}  // namespace fuselane
