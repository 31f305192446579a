// Transpose: axis k of the result is axis perm[k] of the operand; without perm the axes are reversed.
#include <numeric>

#include "graph/operators/elements.h"
#include "graph/operators/operators.h"

namespace fuselane {
namespace {

std::vector<int64_t> permutation_of(const Node& node, size_t rank) {
  auto stated = node.integers(Attr::Permutation);
  if (!stated.empty()) return {stated.begin(), stated.end()};
  std::vector<int64_t> reversed(rank);
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  return reversed;
}

}  // namespace

Status shape_of_transpose(Inference& i) {
  TRY(require_fixed_size(i, 0));
  i.set(0, i.dtype(0), std::nullopt);
  auto stated = i.node.integers(Attr::Permutation);
  const DimVector* dims = i.dims(0);
  if (!dims && stated.empty()) return {};
  size_t rank = dims ? dims->size() : stated.size();
  std::vector<int64_t> permutation = permutation_of(i.node, rank);
  std::vector<bool> named(rank);
  bool complete = permutation.size() == rank;
  for (int64_t axis : permutation) {
    complete = complete && axis >= 0 && static_cast<size_t>(axis) < rank && !named[static_cast<size_t>(axis)];
    if (complete) named[static_cast<size_t>(axis)] = true;
  }
  if (!complete) {
    return i.refuse(cat("perm [", join(permutation), "] is not a permutation of the axes of rank ", rank));
  }
  DimVector result;
  for (int64_t axis : permutation) result.push_back(dims ? (*dims)[static_cast<size_t>(axis)] : Dim());
  i.outputs[0].dims = std::move(result);
  return {};
}

Status reference_transpose(const ReferenceCall& call) {
  const TensorView& x = call.inputs[0];
  const TensorView& y = call.outputs[0];
  if (!y.present()) return {};
  Dims strides = strides_of(x.dims);
  StridedCopy copy{
      .extents = Dims(y.dims.begin(), y.dims.end()), .from_strides = {}, .to_strides = strides_of(y.dims)};
  for (int64_t axis : permutation_of(call.node, x.dims.size())) {
    copy.from_strides.push_back(strides[static_cast<size_t>(axis)]);
  }
  copy_strided(x, y, copy);
  return {};
}

}  // namespace fuselane
