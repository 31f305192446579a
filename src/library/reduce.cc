#include "library/reduce.h"

#include <algorithm>
#include <cmath>

#include "library/row_sum.h"

namespace fuselane {
namespace {

// Lanes of inner that are reduced together: a cache line.
constexpr uint32_t kBlock = 16;

constexpr auto same = [](v128_t x) { return x; };
constexpr auto square = [](v128_t x) { return wasm_f32x4_mul(x, x); };

float reduce_row(ReduceKind kind, const float* x, uint32_t count) {
  switch (kind) {
    case ReduceKind::Sum:
      return row_sum(x, count, same);
    case ReduceKind::Mean:
      return row_sum(x, count, same) / static_cast<float>(count);
    case ReduceKind::Max:
      return row_max(x, count);
    case ReduceKind::Min:
      return row_min(x, count);
    case ReduceKind::L2:
      return std::sqrt(row_sum(x, count, square));
  }
  return 0;
}

// Steps that are combined one after the other; longer lines go in halves, as in row_sum.
constexpr uint32_t kLine = 64;

// `kVectors` vectors side by side along `count` steps of `stride` floats; `lanes` of them when there is one
// vector only.
template <uint32_t kVectors, class Term, class Combine>
void combine_lines(const float* x, uint32_t count, size_t stride, uint32_t lanes, Term term, Combine combine,
                   v128_t* results) {
  if (count > kLine) {
    v128_t others[kVectors];
    uint32_t half = count / 2;
    combine_lines<kVectors>(x, half, stride, lanes, term, combine, results);
    combine_lines<kVectors>(x + half * stride, count - half, stride, lanes, term, combine, others);
    for (uint32_t v = 0; v < kVectors; ++v) results[v] = combine(results[v], others[v]);
    return;
  }
  v128_t values[kVectors];
  for (uint32_t v = 0; v < kVectors; ++v) values[v] = term(load_lanes(x + v * kLanes, lanes));
  for (uint32_t i = 1; i < count; ++i) {
    x += stride;
    for (uint32_t v = 0; v < kVectors; ++v)
      values[v] = combine(values[v], term(load_lanes(x + v * kLanes, lanes)));
  }
  for (uint32_t v = 0; v < kVectors; ++v) results[v] = values[v];
}

template <uint32_t kVectors>
void reduce_lines(const ReduceArgs& args, const float* x, float* y, uint32_t lanes) {
  auto add = [](v128_t a, v128_t b) { return wasm_f32x4_add(a, b); };
  v128_t totals[kVectors];
  auto lines = [&](auto term, auto combine) {
    combine_lines<kVectors>(x, args.reduced, args.inner, lanes, term, combine, totals);
  };
  switch (args.kind) {
    case ReduceKind::Sum:
    case ReduceKind::Mean:
      lines(same, add);
      break;
    case ReduceKind::Max:
      lines(same, [](v128_t a, v128_t b) { return wasm_f32x4_max(a, b); });
      break;
    case ReduceKind::Min:
      lines(same, [](v128_t a, v128_t b) { return wasm_f32x4_min(a, b); });
      break;
    case ReduceKind::L2:
      lines(square, add);
      break;
  }
  for (uint32_t v = 0; v < kVectors; ++v) {
    v128_t result = totals[v];
    if (args.kind == ReduceKind::Mean)
      result = wasm_f32x4_div(result, wasm_f32x4_splat(static_cast<float>(args.reduced)));
    if (args.kind == ReduceKind::L2) result = wasm_f32x4_sqrt(result);
    store_lanes(y + v * kLanes, result, lanes);
  }
}

// The best value so far in each lane, and where it is.
struct Best {
  v128_t value;
  v128_t index;
};

// Whether element a is to be found rather than element b.
bool prefers(const float* x, uint32_t a, uint32_t b, bool last) {
  bool nan_a = std::isnan(x[a]);
  bool nan_b = std::isnan(x[b]);
  if (nan_a != nan_b) return nan_a;
  if (!nan_a && x[a] != x[b]) return x[a] > x[b];
  return last ? a > b : a < b;
}

uint32_t arg_max_row(const float* x, uint32_t length, bool last) {
  uint32_t best = 0;
  uint32_t i = 0;
  if (length >= 2 * kLanes) {
    Best lanes{wasm_v128_load(x), wasm_i32x4_make(0, 1, 2, 3)};
    v128_t index = lanes.index;
    for (i = kLanes; i + kLanes <= length; i += kLanes) {
      v128_t value = wasm_v128_load(x + i);
      index = wasm_i32x4_add(index, wasm_i32x4_splat(kLanes));
      v128_t worse = last ? wasm_f32x4_lt(value, lanes.value) : wasm_f32x4_le(value, lanes.value);
      // Neither worse nor, where the best is NaN, a number; among NaNs the last one if that is asked for.
      v128_t number = wasm_f32x4_eq(lanes.value, lanes.value);
      if (last) number = wasm_v128_or(number, wasm_f32x4_ne(value, value));
      v128_t take = wasm_v128_andnot(number, worse);
      lanes.value = wasm_v128_bitselect(value, lanes.value, take);
      lanes.index = wasm_v128_bitselect(index, lanes.index, take);
    }
    uint32_t indices[kLanes];
    wasm_v128_store(indices, lanes.index);
    best = indices[0];
    for (uint32_t at : indices) best = prefers(x, at, best, last) ? at : best;
  }
  for (; i < length; ++i) best = prefers(x, i, best, last) ? i : best;
  return best;
}

}  // namespace

uint32_t reduce_extent(const ReduceArgs& args) { return args.outer * ((args.inner + kBlock - 1) / kBlock); }

uint32_t reduce(const void* raw, uint32_t begin, uint32_t end) {
  const auto& args = *static_cast<const ReduceArgs*>(raw);
  uint32_t blocks = (args.inner + kBlock - 1) / kBlock;
  for (uint32_t i = begin; i < end; ++i) {
    const float* x = args.x + size_t{i / blocks} * args.reduced * args.inner;
    float* y = args.y + size_t{i / blocks} * args.inner;
    if (args.inner == 1) {
      *y = reduce_row(args.kind, x, args.reduced);
      continue;
    }
    uint32_t first = i % blocks * kBlock;
    uint32_t last = std::min(args.inner, first + kBlock);
    if (last - first == kBlock) {
      reduce_lines<kBlock / kLanes>(args, x + first, y + first, kLanes);
      continue;
    }
    for (uint32_t j = first; j < last; j += kLanes)
      reduce_lines<1>(args, x + j, y + j, std::min(kLanes, last - j));
  }
  return kDone;
}

uint32_t arg_max(const void* raw, uint32_t begin, uint32_t end) {
  const auto& args = *static_cast<const ArgMaxArgs*>(raw);
  for (uint32_t row = begin; row < end; ++row)
    args.y[row] = arg_max_row(args.x + size_t{row} * args.length, args.length, args.last);
  return kDone;
}

}  // namespace fuselane
