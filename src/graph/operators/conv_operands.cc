#include "graph/operators/conv_operands.h"

#include "graph/ops.h"

namespace fuselane {

Result<std::optional<ConvOperands>> conv_operands(const Inference& i) {
  for (size_t k = 0; k < 3; ++k) {
    TRY(i.require_float(k));
    TRY(i.require_same_dtype(0, k));
  }
  TRY(i.require_rank(0, 3, kMany));
  TRY(i.require_rank(1, 3, kMany));
  TRY(i.require_rank(2, 1, 1));
  ConvOperands operands;
  operands.group = i.node.integer(Attr::Group);
  if (operands.group < 1) return i.refuse(cat("attribute 'group' must be at least 1, not ", operands.group));
  const DimVector* x = i.dims(0);
  const DimVector* w = i.dims(1);
  if (!x && !w) return std::nullopt;
  if (x && w && x->size() != w->size()) {
    return i.refuse(cat("inputs 0 and 1 must have one rank, not ", x->size(), " and ", w->size()));
  }
  operands.x = x ? *x : DimVector(w->size());
  operands.w = w ? *w : DimVector(x->size());
  if (const DimVector* bias = i.dims(2)) operands.bias = (*bias)[0];
  return operands;
}

}  // namespace fuselane
