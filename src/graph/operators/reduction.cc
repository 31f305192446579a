// Reductions along the axes that operand 1 lists.
//
// Over no elements a sum and a norm are 0, the largest element is -infinity (of integers the type's least)
// and the smallest +infinity (the type's greatest), a mean is NaN (of integers 0). Without axes to reduce
// (noop_with_empty_axes), each element is reduced alone: ReduceL2 gives magnitudes, the others the elements.
// NaN among the elements gives NaN. Sums of integers wrap at 64 bits before the store wraps them to their
// type; their means divide toward zero.
#include <cmath>
#include <vector>

#include "base/checked.h"
#include "graph/operators/arithmetic.h"
#include "graph/operators/broadcast.h"
#include "graph/operators/elements.h"
#include "graph/operators/operators.h"

namespace fuselane {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// What the elements are folded into, and what becomes of that and their count in the end.
struct FloatMeaning {
  double start;
  double (*fold)(double folded, double x);
  double (*finish)(double folded, double count);
};
struct IntMeaning {
  int64_t (*start)(DType dtype);
  int64_t (*fold)(int64_t folded, int64_t x);
  int64_t (*finish)(int64_t folded, int64_t count);
};

struct Reduction {
  Op op;
  FloatMeaning floats;
  IntMeaning integers;   // no fold: computed as floats, which the store truncates
  IntMeaning unsigneds;  // of uint64
};

double add(double a, double b) { return a + b; }
double keep_float(double folded, double) { return folded; }
int64_t keep_int(int64_t folded, int64_t) { return folded; }
int64_t zero(DType) { return 0; }
int64_t least_of(DType dtype) {
  return kind_of(dtype) == DTypeKind::Unsigned ? 0
                                               : static_cast<int64_t>(~uint64_t{0} << (bits_of(dtype) - 1));
}
int64_t greatest_of(DType dtype) {
  return ~least_of(dtype) & static_cast<int64_t>(~uint64_t{0} >> (64 - bits_of(dtype)));
}

constexpr Reduction kReductions[] = {
    {Op::ReduceSum, {0, add, keep_float}, {zero, wrapping_add, keep_int}, {zero, wrapping_add, keep_int}},
    {Op::ReduceMean,
     {0, add, [](double sum, double count) { return sum / count; }},
     {zero, wrapping_add, divide_signed},
     {zero, wrapping_add, divide_unsigned}},
    {Op::ReduceMax,
     {-kInfinity, greatest, keep_float},
     {least_of, greatest_signed, keep_int},
     {least_of, greatest_unsigned, keep_int}},
    {Op::ReduceMin,
     {kInfinity, least, keep_float},
     {greatest_of, least_signed, keep_int},
     {greatest_of, least_unsigned, keep_int}},
    {Op::ReduceL2,
     {0, [](double sum, double x) { return sum + x * x; }, [](double sum, double) { return std::sqrt(sum); }},
     {},
     {}},
};

const Reduction* reduction_of(Op op) {
  for (const Reduction& reduction : kReductions) {
    if (reduction.op == op) return &reduction;
  }
  return nullptr;
}

// For each axis of the operand whether it is reduced; `axes` are in range.
std::vector<bool> reduced_axes(const Node& node, const std::vector<int64_t>& axes, int64_t rank) {
  bool all = axes.empty() && !node.flag(Attr::NoopWithEmptyAxes);
  std::vector<bool> reduced(static_cast<size_t>(rank), all);
  for (int64_t axis : axes) reduced[static_cast<size_t>(*normalize_axis(axis, rank))] = true;
  return reduced;
}

// The result's shape when it is not known which axes are reduced, only how many are listed, if that.
std::optional<DimVector> shape_without_axes(const Inference& i, std::optional<int64_t> length) {
  if (!i.dims(0)) return std::nullopt;
  size_t rank = i.dims(0)->size();
  if (i.node.flag(Attr::KeepDims)) return DimVector(rank);
  if (!length || *length == 0 || static_cast<uint64_t>(*length) > rank) return std::nullopt;
  return DimVector(rank - static_cast<size_t>(*length));
}

void reduce_floats(const FloatMeaning& meaning, const TensorView& x, const Dims& kept, const TensorView& y) {
  std::vector<double> folded(static_cast<size_t>(y.count), meaning.start);
  BroadcastWalk walk(x.dims, {kept});
  while (const BroadcastRun* run = walk.next()) {
    for (int64_t k = 0; k < run->count; ++k) {
      double& into = folded[static_cast<size_t>(run->offsets[0] + k * run->strides[0])];
      into = meaning.fold(into, x.number(run->first + k));
    }
  }
  double count = y.count == 0 ? 0 : static_cast<double>(x.count / y.count);
  for (int64_t i = 0; i < y.count; ++i) {
    y.set_number(i, meaning.finish(folded[static_cast<size_t>(i)], count));
  }
}

void reduce_integers(const IntMeaning& meaning, const TensorView& x, const Dims& kept, const TensorView& y) {
  std::vector<int64_t> folded(static_cast<size_t>(y.count), meaning.start(x.dtype));
  BroadcastWalk walk(x.dims, {kept});
  while (const BroadcastRun* run = walk.next()) {
    for (int64_t k = 0; k < run->count; ++k) {
      int64_t& into = folded[static_cast<size_t>(run->offsets[0] + k * run->strides[0])];
      into = meaning.fold(into, x.integer(run->first + k));
    }
  }
  int64_t count = y.count == 0 ? 0 : x.count / y.count;
  for (int64_t i = 0; i < y.count; ++i) {
    y.set_integer(i, meaning.finish(folded[static_cast<size_t>(i)], count));
  }
}

}  // namespace

Status shape_of_reduce(Inference& i) {
  TRY(i.require_kind(0, {DTypeKind::Float, DTypeKind::Signed, DTypeKind::Unsigned}));
  TRY(require_list(i, 1));
  bool keeps = i.node.flag(Attr::KeepDims);
  auto length = i.has(1) ? length_of_list(i, 1) : 0;
  auto axes = length == 0 ? std::vector<int64_t>() : i.integers(1);
  if (!axes) {
    i.set(0, i.dtype(0), shape_without_axes(i, length));
    return {};
  }
  const DimVector* dims = i.dims(0);
  if (!dims) {
    bool scalar = axes->empty() && !keeps && !i.node.flag(Attr::NoopWithEmptyAxes);
    i.set(0, i.dtype(0), scalar ? std::optional(DimVector()) : std::nullopt);
    return {};
  }
  auto rank = static_cast<int64_t>(dims->size());
  std::vector<bool> reduced = reduced_axes(i.node, TRY(distinct_axes(i, *axes, rank)), rank);
  DimVector result;
  for (size_t d = 0; d < dims->size(); ++d) {
    if (!reduced[d]) result.push_back((*dims)[d]);
    if (reduced[d] && keeps) result.push_back(Dim(1));
  }
  i.set(0, i.dtype(0), std::move(result));
  return {};
}

Status reference_reduce(const ReferenceCall& call) {
  const Reduction* reduction = reduction_of(call.node.op);
  if (!reduction || !call.has_output(0)) return {};
  const TensorView& x = call.inputs[0];
  auto axes = call.has_input(1) ? integers_of(call.inputs[1]) : std::vector<int64_t>();
  std::vector<bool> reduced = reduced_axes(call.node, axes, x.rank());
  Dims kept(x.dims.begin(), x.dims.end());
  for (size_t d = 0; d < kept.size(); ++d) {
    if (reduced[d]) kept[d] = 1;
  }
  const IntMeaning& integers = x.dtype == DType::UInt64 ? reduction->unsigneds : reduction->integers;
  if (is_float(x.dtype) || !integers.fold) {
    reduce_floats(reduction->floats, x, kept, call.outputs[0]);
  } else {
    reduce_integers(integers, x, kept, call.outputs[0]);
  }
  return {};
}

}  // namespace fuselane
