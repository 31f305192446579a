// Operators that give the same elements other dimensions: Reshape, Flatten, Squeeze, Unsqueeze. Their
// reference is Identity's.
#include "base/checked.h"
#include "graph/operators/elements.h"
#include "graph/operators/operators.h"

namespace fuselane {
namespace {

// The product of dimensions: of the known extents, and which dimensions are not known.
struct Product {
  int64_t known = 1;
  DimVector open;

  // The product as one dimension, where it is one.
  Dim dim() const {
    if (known == 0 || open.empty()) return Dim(known);
    return known == 1 && open.size() == 1 ? open[0] : Dim();
  }
};

Status multiply(const Inference& i, Product& product, const Dim& dim) {
  if (!dim.known()) {
    product.open.push_back(dim);
    return {};
  }
  auto known = checked_mul(product.known, dim.extent);
  if (!known) return i.refuse("the product of its extents is too large");
  product.known = *known;
  return {};
}

struct Request {
  std::vector<int64_t> extents;
  bool zero_copies;                // 0 takes the operand's extent; otherwise it is an extent
  std::optional<size_t> inferred;  // where -1 stands

  bool copies(size_t axis) const { return zero_copies && axis < extents.size() && extents[axis] == 0; }
};

Result<Request> read_request(const Inference& i, std::vector<int64_t> extents) {
  Request request{std::move(extents), !i.node.flag(Attr::AllowZero), {}};
  bool empty = false;
  for (size_t axis = 0; axis < request.extents.size(); ++axis) {
    int64_t extent = request.extents[axis];
    bool again = extent == -1 && request.inferred;
    if (extent < -1 || again) {
      return i.refuse(cat("cannot reshape to [", join(request.extents, ","), "]",
                          again ? ", which leaves more than one extent open" : ""));
    }
    if (extent == -1) request.inferred = axis;
    empty = empty || (extent == 0 && !request.zero_copies);
    if (request.copies(axis) && i.dims(0) && axis >= i.dims(0)->size()) {
      return i.refuse(cat("extent ", axis, " of [", join(request.extents, ","), "] copies an axis that rank ",
                          i.dims(0)->size(), " does not have"));
    }
  }
  if (empty && request.inferred) {
    return i.refuse(cat("with allowzero, [", join(request.extents, ","), "] leaves -1 undetermined"));
  }
  return request;
}

std::unexpected<Error> refuse_reshape(const Inference& i, const Request& request) {
  std::string dims;
  for (const Dim& dim : *i.dims(0)) {
    append(dims, dims.empty() ? "" : ",");
    append(dims, dim.known() ? cat(dim.extent) : "?");
  }
  return i.refuse(cat("cannot reshape [", dims, "] to [", join(request.extents, ","), "]"));
}

// The extent where the request says -1. A copied dimension is a factor of both sides and takes no part, so
// that the rest decides even where a copied extent is a symbol or 0.
Result<Dim> infer_extent(const Inference& i, const Request& request) {
  if (!i.dims(0)) return Dim();
  const DimVector& dims = *i.dims(0);
  Product from;
  Product to;
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    if (!request.copies(axis)) TRY(multiply(i, from, dims[axis]));
  }
  for (size_t axis = 0; axis < request.extents.size(); ++axis) {
    if (request.extents[axis] > 0) TRY(multiply(i, to, Dim(request.extents[axis])));
  }
  if (from.known % to.known == 0) {
    from.known /= to.known;
    return from.dim();
  }
  if (!from.open.empty()) return Dim();
  return refuse_reshape(i, request);
}

// Refuses extents that, all known, hold another number of elements than the operand.
Status check_count(const Inference& i, const Request& request, const DimVector& result) {
  auto from = i.dims(0) ? concrete(*i.dims(0)) : std::nullopt;
  auto to = concrete(result);
  if (!from || !to) return {};
  auto from_count = element_count(*from);
  auto to_count = element_count(*to);
  if (from_count && to_count && *from_count == *to_count) return {};
  return refuse_reshape(i, request);
}

// The dimensions left when those of extent 1, or those named, go.
Result<std::optional<DimVector>> squeezed(const Inference& i, const DimVector& dims) {
  std::vector<bool> goes(dims.size());
  if (i.has(1)) {
    auto axes = i.integers(1);
    auto length = length_of_list(i, 1);
    if (!axes && !length) return std::optional<DimVector>();
    if (!axes) {
      auto rank = static_cast<int64_t>(dims.size());
      if (*length > rank) return i.refuse(cat("cannot remove ", *length, " axes of rank ", rank));
      return std::optional<DimVector>(static_cast<size_t>(rank - *length));
    }
    for (int64_t axis : TRY(distinct_axes(i, *std::move(axes), static_cast<int64_t>(dims.size())))) {
      const Dim& dim = dims[static_cast<size_t>(axis)];
      if (dim.known() && dim.extent != 1) {
        return i.refuse(cat("cannot remove axis ", axis, ", whose extent is ", dim.extent));
      }
      goes[static_cast<size_t>(axis)] = true;
    }
  } else {
    for (size_t axis = 0; axis < dims.size(); ++axis) {
      if (!dims[axis].known()) return std::optional<DimVector>();  // it may be 1
      goes[axis] = dims[axis].extent == 1;
    }
  }
  DimVector result;
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    if (!goes[axis]) result.push_back(dims[axis]);
  }
  return std::optional<DimVector>(std::move(result));
}

}  // namespace

Status shape_of_reshape(Inference& i) {
  TRY(require_fixed_size(i, 0));
  TRY(require_list(i, 1));
  i.set(0, i.dtype(0), std::nullopt);
  auto rank = TRY(rank_by_list(i, 1));
  auto extents = i.integers(1);
  if (!extents) {
    if (rank) i.outputs[0].dims = DimVector(*rank);
    return {};
  }
  Request request = TRY(read_request(i, *std::move(extents)));
  DimVector result;
  for (size_t axis = 0; axis < request.extents.size(); ++axis) {
    if (request.inferred == axis) {
      result.push_back(TRY(infer_extent(i, request)));
    } else if (request.copies(axis)) {
      result.push_back(i.dims(0) ? (*i.dims(0))[axis] : Dim());
    } else {
      result.emplace_back(request.extents[axis]);
    }
  }
  TRY(check_count(i, request, result));
  i.outputs[0].dims = std::move(result);
  return {};
}

Status shape_of_flatten(Inference& i) {
  TRY(require_fixed_size(i, 0));
  i.set(0, i.dtype(0), DimVector(2));
  int64_t axis = i.node.integer(Attr::Axis);
  if (axis == 0) (*i.outputs[0].dims)[0] = Dim(1);
  const DimVector* dims = i.dims(0);
  if (!dims) return {};
  auto rank = static_cast<int64_t>(dims->size());
  // Unlike elsewhere, the rank itself is an axis too: everything goes to the left.
  if (axis < -rank || axis > rank) return i.refuse(cat("axis ", axis, " is outside a tensor of rank ", rank));
  if (axis < 0) axis += rank;
  Product left;
  Product right;
  for (int64_t k = 0; k < rank; ++k) {
    TRY(multiply(i, k < axis ? left : right, (*dims)[static_cast<size_t>(k)]));
  }
  i.outputs[0].dims = DimVector{left.dim(), right.dim()};
  return {};
}

Status shape_of_squeeze(Inference& i) {
  TRY(require_fixed_size(i, 0));
  TRY(require_list(i, 1, true));
  i.set(0, i.dtype(0), std::nullopt);
  if (i.dims(0)) i.outputs[0].dims = TRY(squeezed(i, *i.dims(0)));
  return {};
}

Status shape_of_unsqueeze(Inference& i) {
  TRY(require_fixed_size(i, 0));
  TRY(require_list(i, 1, true));
  i.set(0, i.dtype(0), std::nullopt);
  auto length = TRY(rank_by_list(i, 1));
  if (!i.dims(0) || !length) return {};
  const DimVector& dims = *i.dims(0);
  DimVector result(dims.size() + *length);
  if (auto axes = i.integers(1)) {
    std::vector<bool> added(result.size());
    for (int64_t axis : TRY(distinct_axes(i, *std::move(axes), static_cast<int64_t>(result.size())))) {
      added[static_cast<size_t>(axis)] = true;
    }
    size_t next = 0;
    for (size_t axis = 0; axis < result.size(); ++axis) result[axis] = added[axis] ? Dim(1) : dims[next++];
  }
  i.outputs[0].dims = std::move(result);
  return {};
}

}  // namespace fuselane
