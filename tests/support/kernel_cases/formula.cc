#include "tests/support/kernel_cases/formula.h"

#include <gtest/gtest.h>

#include "base/printer.h"
#include "loop/interpret.h"
#include "schedule/schedule.h"
#include "tests/support/kernel_cases/steps.h"
#include "tests/support/kernel_cases/sums.h"
#include "tests/support/kernel_cases/tasks.h"

namespace fuselane {
namespace {

using loop::ConvTask;
using loop::DepthwiseTask;
using loop::MapTask;
using loop::MatMulTask;
using loop::ReduceTask;

bool is_same(float got, float wanted) {
  auto bits = [](float x) { return std::bit_cast<uint32_t>(x); };
  if (bits(got) == bits(wanted)) return true;
  return std::isnan(got) && std::isnan(wanted) && bits(got) != kGapBits && bits(wanted) != kGapBits;
}

std::vector<float> gather(const std::vector<float>& buffer, const std::vector<size_t>& places) {
  std::vector<float> elements;
  for (size_t place : places) elements.push_back(buffer[place]);
  return elements;
}

std::vector<float> scatter(const Case& c, const std::vector<float>& elements) {
  std::vector<float> buffer = c.buffers.back();
  for (size_t i = 0; i < elements.size(); ++i) buffer[c.results[i]] = elements[i];
  return buffer;
}

// Of the result at `place`: a product of a row and a column, and a bias.
void add_terms(const MatMulTask& task, const Case& c, size_t at, Sum& sum) {
  auto columns = static_cast<size_t>(c.size("whole_panels") * 8 + task.columns_tail);
  auto rows = static_cast<size_t>(c.size("rows"));
  auto depth = static_cast<size_t>(c.size("depth"));
  size_t j = at % columns, i = at / columns % rows, b = at / columns / rows;
  size_t a = b * static_cast<size_t>(c.size("a_batch")) + i * static_cast<size_t>(c.size("a_row"));
  size_t w = b * static_cast<size_t>(c.size("w_batch")) + j / 8 * 8 * (1 + depth) + j % 8;
  sum.add(c.buffers[1][w]);
  for (size_t k = 0; k < depth; ++k) sum.add(double{c.buffers[0][a + k]} * c.buffers[1][w + (k + 1) * 8]);
}

// Likewise, of a window and a column.
void add_terms(const ConvTask& task, const Case& c, size_t at, Sum& sum) {
  auto size = [&](const char* name) { return static_cast<size_t>(c.size(name)); };
  size_t columns = size("whole_panels") * 8 + task.columns_tail;
  size_t j = at % columns, i = at / columns % size("rows"), both = at / columns / size("rows");
  size_t g = both % size("groups"), b = both / size("groups");
  size_t rows = size("kernel_lines") * size("kernel_columns") * size("depth");
  size_t a = b * size("a_batch") + g * size("a_group") + i / size("columns") * size("a_line") +
             i % size("columns") * size("a_column");
  size_t w = g * size("w_group") + j / 8 * 8 * (1 + rows) + j % 8;
  sum.add(c.buffers[1][w]);
  for (size_t ky = 0; ky < size("kernel_lines"); ++ky) {
    for (size_t kx = 0; kx < size("kernel_columns"); ++kx) {
      size_t from = a + ky * size("a_kernel_line") + kx * size("a_kernel_column");
      for (size_t k = 0; k < size("depth"); ++k)
        sum.add(double{c.buffers[0][from + k]} * c.buffers[1][w += 8]);
    }
  }
}

// A channel's filter over its window, without what lies outside of x.
void add_terms(const DepthwiseTask& task, const Case& c, size_t at, Sum& sum) {
  auto size = [&](const char* name) { return c.sizes.contains(name) ? c.size(name) : 0; };
  int64_t left = task.borders ? (task.borders->left + task.stride - 1) / task.stride : size("left_columns");
  int64_t right =
      task.borders ? (task.borders->right + task.stride - 1) / task.stride : size("right_columns");
  int64_t columns = left + size("inner_columns") + right;
  int64_t channels = size("whole_blocks") * 4 + task.channels_tail;
  int64_t pad = task.borders ? task.borders->left : size("pad_left");
  int64_t width = size("width");
  if (task.borders)
    width = (columns - 1) * task.stride + (task.width - 1) * task.dilation + 1 - pad - task.borders->right;
  auto i = static_cast<int64_t>(at);
  int64_t j = i % channels, column = i / channels % columns, r = i / channels / columns % size("rows"),
          b = i / channels / columns / size("rows");
  int64_t block = 4 * (1 + size("kernel_height") * task.width);
  int64_t w = b * size("w_batch") + j / 4 * block + j % 4;
  sum.add(c.buffers[1][static_cast<size_t>(w)]);
  for (int64_t p = 0; p < size("kernel_height"); ++p) {
    for (int64_t q = 0; q < task.width; ++q) {
      int64_t row = r * size("stride_height") + p * size("dilation_height") - size("pad_top");
      int64_t place = column * task.stride + q * task.dilation - pad;
      if (row < 0 || row >= size("height") || place < 0 || place >= width) continue;
      int64_t x = b * size("x_batch") + row * size("x_row") + place * size("x_column") + j;
      sum.add(double{c.buffers[0][static_cast<size_t>(x)]} *
              c.buffers[1][static_cast<size_t>(w + 4 * (1 + p * task.width + q))]);
    }
  }
}

template <class Family>
void expect_terms(const Family& task, const Case& c, const std::vector<float>& y) {
  for (size_t i = 0; i < c.results.size(); ++i) {
    Sum sum;
    add_terms(task, c, i, sum);
    ASSERT_TRUE(sum.allows(y[c.results[i]]))
        << "result " << i << " is " << y[c.results[i]] << ", " << sum.text();
  }
}

void expect_sums(const MatMulTask& task, const Case& c, const std::vector<float>& y, bool) {
  expect_terms(task, c, y);
}

void expect_sums(const ConvTask& task, const Case& c, const std::vector<float>& y, bool) {
  expect_terms(task, c, y);
}

void expect_sums(const DepthwiseTask& task, const Case& c, const std::vector<float>& y, bool) {
  expect_terms(task, c, y);
}

template <class Combination>
void expect_combined(const ReduceTask& task, const Case& c, const std::vector<float>& y, bool fuses) {
  std::vector<float> terms = values_of(task.prologue, {c.buffers[0]}, fuses);
  auto reduced = static_cast<size_t>(c.size("reduced"));
  auto inner = static_cast<size_t>(c.size("inner"));
  for (size_t i = 0; i < y.size(); ++i) {
    Combination all;
    for (size_t k = 0; k < reduced; ++k) {
      size_t at = (i / inner * reduced + k) * inner + i % inner;
      // Multiply and add in one rounding may be finite where the product alone is not.
      if (std::isinf(terms[at]) && std::isfinite(c.buffers[0][at])) all.allow_all();
      all.add(terms[at]);
    }
    ASSERT_TRUE(all.allows(y[i])) << "result " << i << " is " << y[i] << ", " << all.text();
  }
}

void expect_sums(const ReduceTask& task, const Case& c, const std::vector<float>& y, bool fuses) {
  switch (task.combine) {
    case loop::Combine::Add:
      return expect_combined<Sum>(task, c, y, fuses);
    case loop::Combine::Mul:
      return expect_combined<Product>(task, c, y, fuses);
    case loop::Combine::Max:
      return expect_combined<Most>(task, c, y, fuses);
    case loop::Combine::Min:
      return expect_combined<Least>(task, c, y, fuses);
  }
}

template <class Family>
void expect_family(const Family& task, const Case& c, const RunTask& run, bool fuses) {
  auto [sums, finish] = without_finish(task);
  std::vector<float> y = run(sums);
  ASSERT_EQ(y.size(), c.buffers.back().size());
  expect_same(y, scatter(c, gather(y, c.results)));
  ASSERT_NO_FATAL_FAILURE(expect_sums(std::get<Family>(sums), c, y, fuses));
  if (finish.empty()) return;
  std::vector<std::vector<float>> operands = {gather(y, c.results)};
  constexpr size_t kOfProducts = 2;  // after a or x, and w
  for (size_t x = kOfProducts; x < c.operands.size(); ++x)
    operands.push_back(gather(c.buffers[x], c.operands[x]));
  expect_same(run(task), scatter(c, values_of(finish, std::move(operands), fuses)));
}

void expect_family(const MapTask& task, const Case& c, const RunTask& run, bool fuses) {
  std::vector<std::vector<float>> operands;
  for (size_t x = 0; x < c.operands.size(); ++x) operands.push_back(gather(c.buffers[x], c.operands[x]));
  expect_same(run(task), scatter(c, values_of(task.steps, std::move(operands), fuses)));
}

}  // namespace

void expect_right(const loop::Task& task, const Case& c, const RunTask& run, bool fuses) {
  std::visit([&](const auto& family) { expect_family(family, c, run, fuses); }, task);
}

void expect_same(const std::vector<float>& got, const std::vector<float>& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_TRUE(is_same(got[i], wanted[i])) << "element " << i << " is " << got[i] << ", not " << wanted[i];
}

}  // namespace fuselane
