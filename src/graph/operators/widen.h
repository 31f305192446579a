// An operand's elements as doubles, for references whose loops read each element many times.
#pragma once

#include <vector>

#include "types/tensor.h"

namespace fuselane {

inline std::vector<double> widen(const TensorView& view) {
  std::vector<double> numbers(static_cast<size_t>(view.count));
  for (int64_t i = 0; i < view.count; ++i) numbers[static_cast<size_t>(i)] = view.number(i);
  return numbers;
}

}  // namespace fuselane
