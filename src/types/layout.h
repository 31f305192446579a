// In which order a tensor's elements lie in memory. Dimensions keep their meaning and order whatever the
// layout is.
#pragma once

#include <cstdint>
#include <string_view>

#include "types/shape.h"

namespace fuselane {

enum class Layout : uint8_t {
  RowMajor,      // the last dimension is contiguous
  ChannelsLast,  // dimension 1 is moved behind the others: [n, c, h, w] lies as [n, h, w, c]; rank 3 and more
};

inline std::string_view text_of(Layout layout) { return layout == Layout::RowMajor ? "" : " channels-last"; }

// Extents in the order they lie in memory, outermost first.
inline Dims memory_dims(DimsView dims, Layout layout) {
  Dims order(dims.begin(), dims.end());
  if (layout == Layout::ChannelsLast) {
    for (size_t i = 1; i + 1 < dims.size(); ++i) order[i] = dims[i + 1];
    order.back() = dims[1];
  }
  return order;
}

// Whether both layouts put every element at the same place: one channel, or one position.
inline bool layouts_agree(DimsView dims) {
  if (dims.size() < 3) return true;
  int64_t positions = 1;
  for (size_t i = 2; i < dims.size(); ++i) positions *= dims[i] > 1 ? 2 : 1;
  return dims[1] <= 1 || positions == 1;
}

}  // namespace fuselane
