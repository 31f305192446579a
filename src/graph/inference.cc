#include "graph/inference.h"

#include <algorithm>

#include "graph/ops.h"

namespace fuselane {

std::string describe(const Node& node) {
  if (node.name.empty()) return cat("a ", text_of(node.op), " node");
  return cat(text_of(node.op), " node '", node.name, "'");
}

std::unexpected<Error> Inference::refuse(std::string_view sentence) const {
  return fail(ErrorCode::InvalidModel, cat(describe(node), ": ", sentence));
}

std::optional<std::vector<int64_t>> Inference::integers(size_t i) const {
  const Tensor* known = value(i);
  if (!known) return std::nullopt;
  return known->integers();
}

Status Inference::require_kind(size_t i, std::initializer_list<DTypeKind> kinds) const {
  if (!has(i)) return {};
  for (DTypeKind kind : kinds) {
    if (kind_of(dtype(i)) == kind) return {};
  }
  return refuse(cat("input ", i, " may not be ", name_of(dtype(i))));
}
Status Inference::require_number(size_t i) const {
  return require_kind(i, {DTypeKind::Float, DTypeKind::Signed, DTypeKind::Unsigned, DTypeKind::Bool});
}
Status Inference::require_float(size_t i) const { return require_kind(i, {DTypeKind::Float}); }

Status Inference::require_integers(size_t i) const {
  if (!has(i) || dtype(i) == DType::Int32 || dtype(i) == DType::Int64) return {};
  return refuse(cat("input ", i, " must be int32 or int64, not ", name_of(dtype(i))));
}

Status Inference::require_same_dtype(size_t i, size_t j) const {
  if (!has(i) || !has(j) || dtype(i) == dtype(j)) return {};
  return refuse(cat("inputs ", i, " and ", j, " must have one type, not ", name_of(dtype(i)), " and ",
                    name_of(dtype(j))));
}

Status Inference::require_rank(size_t i, int64_t least, int64_t most) const {
  const DimVector* known = dims(i);
  if (!known) return {};
  auto rank = static_cast<int64_t>(known->size());
  if (rank >= least && rank <= most) return {};
  std::string range = least == most   ? cat(least)
                      : most >= kMany ? cat("at least ", least)
                                      : cat(least, " to ", most);
  return refuse(cat("input ", i, " must have rank ", range, ", not ", rank));
}

Result<int64_t> Inference::axis(int64_t axis, int64_t rank) const {
  auto normal = normalize_axis(axis, rank);
  if (!normal) return refuse(cat("axis ", axis, " is outside a tensor of rank ", rank));
  return *normal;
}

Result<Dim> broadcast(const Dim& a, const Dim& b) {
  if (a.extent == 1) return b;
  if (b.extent == 1) return a;
  if (a.known() && b.known()) {
    if (a.extent == b.extent) return a;
    return fail(ErrorCode::InvalidModel, cat("extents ", a.extent, " and ", b.extent, " do not broadcast"));
  }
  // One extent greater than 1 decides: the other must be it, or 1. A known 0 decides likewise.
  if (a.known()) return a;
  if (b.known()) return b;
  return a == b ? a : Dim();
}

Result<std::optional<DimVector>> broadcast(const std::optional<DimVector>& a,
                                           const std::optional<DimVector>& b) {
  if (!a || !b) return std::optional<DimVector>();
  size_t rank = std::max(a->size(), b->size());
  DimVector dims(rank);
  for (size_t i = 0; i < rank; ++i) {
    Dim left = i + a->size() >= rank ? (*a)[i + a->size() - rank] : Dim(1);
    Dim right = i + b->size() >= rank ? (*b)[i + b->size() - rank] : Dim(1);
    dims[i] = TRY(broadcast(left, right));
  }
  return std::optional<DimVector>(std::move(dims));
}

namespace {

Status check_count(const Inference& inference, std::string_view what, size_t count, int least, int most) {
  auto n = static_cast<int64_t>(count);
  if (n >= least && n <= most) return {};
  std::string range = least == most   ? cat(least)
                      : most == kMany ? cat("at least ", least)
                                      : cat(least, " to ", most);
  return inference.refuse(cat("takes ", range, " ", what, ", not ", n));
}

Status run_rule(Inference& inference) {
  const OpRow& row = row_of(inference.node.op);
  TRY(check_count(inference, "inputs", inference.inputs.size(), row.inputs_least, row.inputs_most));
  TRY(check_count(inference, "outputs", inference.outputs.size(), row.outputs_least, row.outputs_most));
  for (int i = 0; i < row.inputs_least; ++i) {
    if (!inference.has(static_cast<size_t>(i))) return inference.refuse(cat("input ", i, " is missing"));
  }
  for (size_t i = 0; i < inference.inputs.size(); ++i) {
    if (inference.has(i) && inference.inputs[i].type.kind != ValueKind::Tensor) {
      return inference.refuse(cat("input ", i, " must be a tensor"));
    }
  }
  return row.shape_rule(inference);
}

// What of a type is too large, in words; empty where all fits.
std::string excess_of(const ValueType& type) {
  if (!type.dims) return {};
  if (type.dims->size() > static_cast<size_t>(kMostRank)) return cat("of rank ", type.dims->size());
  auto extents = concrete(*type.dims);
  if (!extents) return {};
  auto count = element_count(*extents);
  return count && bytes_of(type.dtype, *count) ? "" : text_of(type.dtype, *extents);
}

}  // namespace

Result<std::vector<ValueType>> infer(const Node& node, std::span<const Operand> inputs,
                                     std::span<const std::vector<ValueType>> block_results,
                                     uint64_t* missing) {
  Inference inference(node, inputs, block_results);
  if (Status status = run_rule(inference); !status) {
    Error error = std::move(status.error());
    std::string who = describe(node);
    if (!error.message.starts_with(who)) error.message = cat(who, ": ", error.message);
    error.node = node.name;
    return std::unexpected(std::move(error));
  }
  // What is too large is refused here once, for every operator.
  for (const ValueType& type : inference.outputs) {
    std::string excess = excess_of(type);
    if (excess.empty()) continue;
    Error error = inference.refuse(cat("its result ", excess, " is too large")).error();
    error.node = node.name;
    return std::unexpected(std::move(error));
  }
  if (missing) *missing = inference.missing;
  return std::move(inference.outputs);
}

}  // namespace fuselane
