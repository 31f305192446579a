// If: runs one of two blocks; both give the same number of results, of the same types.
#include "graph/operators/operators.h"

namespace fuselane {

Status shape_of_if(Inference& i) {
  TRY(i.require_kind(0, {DTypeKind::Bool}));
  if (i.block_results.size() != 2) return i.refuse("must have a then and an else branch");
  const auto& then_types = i.block_results[0];
  const auto& else_types = i.block_results[1];
  if (then_types.size() != i.outputs.size() || else_types.size() != i.outputs.size()) {
    return i.refuse(cat("has ", i.outputs.size(), " outputs, its branches ", then_types.size(), " and ",
                        else_types.size()));
  }
  for (size_t k = 0; k < i.outputs.size(); ++k) {
    const ValueType& a = then_types[k];
    const ValueType& b = else_types[k];
    if (a.kind != b.kind || a.dtype != b.dtype)
      return i.refuse(cat("the branches give output ", k, " different types"));
    ValueType joined{a.kind, a.dtype, std::nullopt};
    if (a.dims && b.dims && a.dims->size() == b.dims->size()) {
      joined.dims = a.dims;
      for (size_t d = 0; d < a.dims->size(); ++d) {
        if (!same_extent((*a.dims)[d], (*b.dims)[d])) (*joined.dims)[d] = Dim();
      }
    }
    i.outputs[k] = std::move(joined);
  }
  return {};
}

Status reference_none(const ReferenceCall& call) {
  return fail(ErrorCode::InternalError, cat(describe(call.node), " is run by whoever walks the graph"));
}

}  // namespace fuselane
