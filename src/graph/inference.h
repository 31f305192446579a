// What a shape rule works with: the operands' types and, where they are known, their values; it sets the
// results' types. The same rules serve symbolic shapes (import, passes) and concrete ones (planning).
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "graph/node.h"
#include "types/tensor.h"

namespace fuselane {

struct Operand {
  bool present = false;
  ValueType type;
  const Tensor* value = nullptr;  // null while not known
};

class Inference {
 public:
  Inference(const Node& n, std::span<const Operand> in, std::span<const std::vector<ValueType>> blocks)
      : node(n), inputs(in), block_results(blocks), outputs(n.outputs.size()) {}

  const Node& node;
  std::span<const Operand> inputs;
  std::span<const std::vector<ValueType>> block_results;  // of each of the node's blocks
  std::vector<ValueType> outputs;                         // set by the rule, as many as the node has
  mutable uint64_t missing = 0;  // a bit for each operand whose elements would have helped

  bool has(size_t i) const { return i < inputs.size() && inputs[i].present; }
  bool wants(size_t i) const { return i < node.outputs.size() && node.outputs[i]; }
  DType dtype(size_t i) const { return inputs[i].type.dtype; }
  // The dimensions of operand i; null when absent or when not even the rank is known.
  const DimVector* dims(size_t i) const {
    return has(i) && inputs[i].type.dims ? &*inputs[i].type.dims : nullptr;
  }
  // The elements of operand i; null when absent or not known. Asking for what is not known is recorded in
  // `missing`.
  const Tensor* value(size_t i) const {
    if (!has(i)) return nullptr;
    if (!inputs[i].value) missing |= uint64_t{1} << i;
    return inputs[i].value;
  }
  // The integers of operand i, if its value is known.
  std::optional<std::vector<int64_t>> integers(size_t i) const;

  void set(size_t i, DType dtype, std::optional<DimVector> dims) {
    if (i < outputs.size()) outputs[i] = tensor_type(dtype, std::move(dims));
  }

  // An error that names the operator and the operand: "input 1 must be ..., not ...". Code: invalid-model.
  std::unexpected<Error> refuse(std::string_view sentence) const;
  Status require_kind(size_t i, std::initializer_list<DTypeKind> kinds) const;
  Status require_number(size_t i) const;  // any type that loads as a number
  Status require_float(size_t i) const;
  Status require_integers(size_t i) const;                           // int32 or int64
  Status require_same_dtype(size_t i, size_t j) const;               // where both are present
  Status require_rank(size_t i, int64_t least, int64_t most) const;  // where the rank is known
  // The axis in [0, rank); error when outside.
  Result<int64_t> axis(int64_t axis, int64_t rank) const;
};

// The two dimensions broadcast together (one is 1, or they agree); error when they cannot.
Result<Dim> broadcast(const Dim& a, const Dim& b);
// Numpy broadcasting of two shapes; unknown rank if either is unknown.
Result<std::optional<DimVector>> broadcast(const std::optional<DimVector>& a,
                                           const std::optional<DimVector>& b);

// More axes than any model has; without a bound, a few nodes whose ranks add up (Gather) would fill the
// memory.
inline constexpr int64_t kMostRank = 64;

// Runs the operator's shape rule after checking the number of operands and results and that all are tensors.
// Errors carry the node's name. `missing` gets Inference::missing.
Result<std::vector<ValueType>> infer(const Node& node, std::span<const Operand> inputs,
                                     std::span<const std::vector<ValueType>> block_results,
                                     uint64_t* missing = nullptr);

// "Conv node 'conv1'" or "Conv node computing 'x'": how messages name a node.
std::string describe(const Node& node);

}  // namespace fuselane
