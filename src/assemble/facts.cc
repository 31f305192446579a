#include "assemble/facts.h"

namespace fuselane {

const Fact& Facts::operator[](ValueId id) {
  Fact& fact = facts_[id.index];
  const Constant* constant = fact.defined ? nullptr : graph_->constant_of(id);
  if (!constant) return fact;
  bool is_small = constant->data && constant->data->count() <= kMostFolded;
  define(id, constant->dtype, constant->dims, is_small ? constant->data : nullptr);
  return fact;
}

}  // namespace fuselane
