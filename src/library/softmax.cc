#include "library/softmax.h"

#include <algorithm>
#include <cmath>

#include "library/row_sum.h"
#include "library/vector_math.h"

namespace fuselane {
namespace {

// Lanes of inner that go along the axis together: a cache line.
constexpr uint32_t kBlock = 16;

// What is left of numbers below the largest by 87.7 and more counts as zero.
[[gnu::noinline]] void softmax_row(const float* x, float* y, uint32_t count) {
  v128_t max = wasm_f32x4_splat(row_max(x, count));
  const ExpOfNormal exp;
  each_vector(count, [&](uint32_t i, uint32_t lanes) {
    store_lanes(y + i, exp(wasm_f32x4_sub(load_lanes(x + i, lanes), max)), lanes);
  });
  v128_t scale = wasm_f32x4_splat(1 / row_sum(y, count, [](v128_t v) { return v; }));
  each_vector(count, [&](uint32_t i, uint32_t lanes) {
    store_lanes(y + i, wasm_f32x4_mul(load_lanes(y + i, lanes), scale), lanes);
  });
}

[[gnu::noinline]] void log_softmax_row(const float* x, float* y, uint32_t count) {
  v128_t max = wasm_f32x4_splat(row_max(x, count));
  const ExpOfNormal exp;
  float sum = row_sum(x, count, [&](v128_t v) { return exp(wasm_f32x4_sub(v, max)); });
  v128_t log = wasm_f32x4_splat(std::log(sum));
  each_vector(count, [&](uint32_t i, uint32_t lanes) {
    v128_t shifted = wasm_f32x4_sub(load_lanes(x + i, lanes), max);
    store_lanes(y + i, wasm_f32x4_sub(shifted, log), lanes);
  });
}

// Steps along the axis that are added up before their sum joins the total.
constexpr uint32_t kLine = 64;

// Up to four lines side by side.
[[gnu::noinline]] void softmax_lines(const SoftmaxArgs& args, const float* x, float* y, uint32_t lanes) {
  v128_t max = load_lanes(x, lanes);
  for (uint32_t i = 1; i < args.axis; ++i)
    max = wasm_f32x4_max(max, load_lanes(x + size_t{i} * args.inner, lanes));
  v128_t total = wasm_f32x4_splat(0);
  const ExpOfNormal exp;
  for (uint32_t first = 0; first < args.axis; first += kLine) {
    v128_t sum = wasm_f32x4_splat(0);
    uint32_t last = std::min(args.axis, first + kLine);
    for (uint32_t i = first; i < last; ++i) {
      size_t at = size_t{i} * args.inner;
      v128_t shifted = wasm_f32x4_sub(load_lanes(x + at, lanes), max);
      v128_t e = exp(shifted);
      sum = wasm_f32x4_add(sum, e);
      store_lanes(y + at, args.logarithm ? shifted : e, lanes);
    }
    total = wasm_f32x4_add(total, sum);
  }
  v128_t last_term = args.logarithm ? log_f32x4(total) : wasm_f32x4_div(wasm_f32x4_splat(1), total);
  for (uint32_t i = 0; i < args.axis; ++i) {
    float* to = y + size_t{i} * args.inner;
    v128_t v = load_lanes(to, lanes);
    v = args.logarithm ? wasm_f32x4_sub(v, last_term) : wasm_f32x4_mul(v, last_term);
    store_lanes(to, v, lanes);
  }
}

}  // namespace

uint32_t softmax_extent(const SoftmaxArgs& args) { return args.outer * ((args.inner + kBlock - 1) / kBlock); }

uint32_t softmax(const void* raw, uint32_t begin, uint32_t end) {
  const auto& args = *static_cast<const SoftmaxArgs*>(raw);
  uint32_t blocks = (args.inner + kBlock - 1) / kBlock;
  for (uint32_t i = begin; i < end; ++i) {
    size_t at = size_t{i / blocks} * args.axis * args.inner;
    if (args.inner == 1) {
      (args.logarithm ? log_softmax_row : softmax_row)(args.x + at, args.y + at, args.axis);
      continue;
    }
    uint32_t first = i % blocks * kBlock;
    uint32_t last = std::min(args.inner, first + kBlock);
    for (uint32_t j = first; j < last; j += kLanes)
      softmax_lines(args, args.x + at + j, args.y + at + j, std::min(kLanes, last - j));
  }
  return kDone;
}

}  // namespace fuselane
