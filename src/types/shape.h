// Dimensions, concrete and symbolic, and what they multiply to.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/printer.h"
#include "base/result.h"

namespace fuselane {

// Concrete extents, outermost first; every one >= 0.
using Dims = std::vector<int64_t>;
using DimsView = std::span<const int64_t>;

// Product of the extents (1 for a scalar); nothing if it overflows int64 or an extent is negative.
std::optional<int64_t> element_count(DimsView dims);
// "[1,3,224,224]"
std::string text_of(DimsView dims);
// Row-major strides in elements.
Dims strides_of(DimsView dims);
// The axis in [0, rank) that `axis` in [-rank, rank) names; nothing outside.
std::optional<int64_t> normalize_axis(int64_t axis, int64_t rank);

// A named dimension whose extent is known only at run time, such as "batch"; the name stands in the graph's
// table.
using SymbolId = Id<struct SymbolTag>;

// One dimension of a value in the graph: an extent, a symbol, or unknown (neither).
struct Dim {
  int64_t extent = -1;
  SymbolId symbol;

  constexpr Dim() = default;
  constexpr Dim(int64_t e) : extent(e) {}  // NOLINT: an extent is a dimension
  constexpr explicit Dim(SymbolId s) : symbol(s) {}
  bool known() const { return extent >= 0; }
  // Equal unknown dimensions are not known to be the same extent; see same_extent.
  bool operator==(const Dim&) const = default;
};

// Whether two dimensions are certain to have the same extent.
inline bool same_extent(const Dim& a, const Dim& b) { return (a.known() || a.symbol) && a == b; }

using DimVector = std::vector<Dim>;

std::optional<Dims> concrete(std::span<const Dim> dims);  // nothing if one is not known
DimVector symbolic(DimsView dims);

}  // namespace fuselane
