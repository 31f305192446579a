#include "tests/unit/schedule/cases.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/printer.h"
#include "loop/evaluate.h"

namespace fuselane {
namespace {

using loop::MapTask;
using loop::MatMulTask;
using loop::ReduceTask;

constexpr float kUntouched = -77;

int64_t extent(Rng& rng) {
  constexpr int64_t kExtents[] = {0, 1, 2, 3, 5, 7, 8, 13, 16, 17, 24, 33};
  return kExtents[rng.below(std::size(kExtents))];
}

std::vector<float> random_elements(Rng& rng, int64_t count) {
  std::vector<float> elements(static_cast<size_t>(count));
  for (float& element : elements) element = static_cast<float>(rng.below(7)) - 3;
  return elements;
}

Case make(const MatMulTask& task, Rng& rng) {
  Case c;
  int64_t batches = 1 + static_cast<int64_t>(rng.below(2));
  int64_t rows = task.one_row ? 1 : extent(rng);
  int64_t depth = extent(rng);
  int64_t whole = static_cast<int64_t>(rng.below(4));
  int64_t columns = whole * 8 + task.columns_tail;
  int64_t a_row = depth + static_cast<int64_t>(rng.below(3));
  int64_t c_row = columns + static_cast<int64_t>(rng.below(3));
  int64_t w_batch = (whole + 1) * 8 * (1 + depth) * static_cast<int64_t>(rng.below(2));
  c.sizes = {{"batches", batches},      {"rows", rows},   {"depth", depth},     {"whole_panels", whole},
             {"a_batch", rows * a_row}, {"a_row", a_row}, {"w_batch", w_batch}, {"c_batch", rows * c_row},
             {"c_row", c_row}};
  c.buffers = {random_elements(rng, batches * rows * a_row),
               random_elements(rng, (batches - 1) * w_batch +
                                        (whole + (task.columns_tail > 0 ? 1 : 0)) * 8 * (1 + depth)),
               std::vector<float>(static_cast<size_t>(batches * rows * c_row), kUntouched)};
  return c;
}

std::vector<float> result_of(const MatMulTask& task, const Case& c) {
  auto s = [&](const char* name) { return c.sizes.at(name); };
  std::vector<float> y = c.buffers[2];
  int64_t columns = s("whole_panels") * 8 + task.columns_tail;
  for (int64_t b = 0; b < s("batches"); ++b) {
    for (int64_t i = 0; i < s("rows"); ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        const float* panel = c.buffers[1].data() + b * s("w_batch") + j / 8 * 8 * (1 + s("depth")) + j % 8;
        double sum = *panel;
        for (int64_t k = 0; k < s("depth"); ++k)
          sum +=
              c.buffers[0][static_cast<size_t>(b * s("a_batch") + i * s("a_row") + k)] * panel[(k + 1) * 8];
        y[static_cast<size_t>(b * s("c_batch") + i * s("c_row") + j)] =
            static_cast<float>(apply(task.activation, sum));
      }
    }
  }
  return y;
}

Case make(const MapTask& task, Rng& rng) {
  Case c;
  int64_t inner = extent(rng);
  int64_t outer = 1;
  for (int d = 0; d < task.outer; ++d) outer *= c.sizes[cat("n", d)] = 1 + static_cast<int64_t>(rng.below(4));
  c.sizes["n"] = inner;
  auto strides = [&](const std::string& name, int64_t stride) {
    for (int d = task.outer; d-- > 0;) {
      c.sizes[cat(name, "_", d)] = stride;
      stride *= c.sizes[cat("n", d)];
    }
  };
  for (size_t x = 0; x < task.strides.size(); ++x) {
    strides(cat("x", x), task.strides[x] == 0 ? 1 : inner);
    c.buffers.push_back(random_elements(rng, outer * (task.strides[x] == 0 ? 1 : inner)));
  }
  strides("y", inner);
  c.buffers.push_back(std::vector<float>(static_cast<size_t>(outer * inner), kUntouched));
  return c;
}

double step(const loop::Step& step, double a, double b) {
  using loop::Function;
  if (step.function == Function::Add) return a + b;
  if (step.function == Function::Mul) return a * b;
  if (step.function == Function::Square) return a * a;
  if (step.function == Function::Abs) return std::abs(a);
  if (step.function == Function::PRelu) return a < 0 ? a * b : a;
  if (step.function == Function::Constant) return step.number;
  if (step.function == Function::Activate) return apply(step.activation, a);
  ADD_FAILURE() << "the formula lacks " << text_of(step.function);
  return 0;
}

double steps(const std::vector<loop::Step>& list, std::vector<double> values) {
  for (const loop::Step& one : list) values.push_back(step(one, values[one.a], values[one.b]));
  return list.empty() ? values[0] : values.back();
}

std::vector<float> result_of(const MapTask& task, const Case& c) {
  std::vector<float> y = c.buffers.back();
  auto inner = static_cast<size_t>(c.sizes.at("n"));
  for (size_t i = 0; i < y.size(); ++i) {
    std::vector<double> values;
    for (size_t x = 0; x < task.strides.size(); ++x)
      values.push_back(c.buffers[x][task.strides[x] == 0 ? i / inner : i]);
    y[i] = static_cast<float>(steps(task.steps, std::move(values)));
  }
  return y;
}

Case make(const ReduceTask& task, Rng& rng) {
  Case c;
  int64_t outer = extent(rng);
  int64_t reduced = extent(rng);
  int64_t inner = task.contiguous ? 1 : extent(rng);
  c.sizes = {{"outer", outer}, {"reduced", reduced}, {"inner", inner}};
  c.buffers = {random_elements(rng, outer * reduced * inner),
               std::vector<float>(static_cast<size_t>(outer * inner), kUntouched)};
  return c;
}

std::vector<float> result_of(const ReduceTask& task, const Case& c) {
  std::vector<float> y = c.buffers[1];
  int64_t reduced = c.sizes.at("reduced");
  int64_t inner = c.sizes.at("inner");
  for (int64_t i = 0; i < static_cast<int64_t>(y.size()); ++i) {
    using loop::Combine;
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    double sum = task.combine == Combine::Add   ? 0
                 : task.combine == Combine::Mul ? 1
                 : task.combine == Combine::Max ? -kInfinity
                                                : kInfinity;
    for (int64_t k = 0; k < reduced; ++k) {
      double x = steps(task.prologue,
                       {c.buffers[0][static_cast<size_t>((i / inner * reduced + k) * inner + i % inner)]});
      sum = task.combine == Combine::Add   ? sum + x
            : task.combine == Combine::Mul ? sum * x
            : task.combine == Combine::Max ? std::max(sum, x)
                                           : std::min(sum, x);
    }
    y[static_cast<size_t>(i)] = static_cast<float>(steps(task.finish, {sum}));
  }
  return y;
}

}  // namespace

std::vector<int64_t> Case::sizes_for(const loop::Kernel& kernel, Rng& rng) {
  given.clear();
  for (loop::SymbolId size : loop::sizes_of(kernel)) {
    auto at = sizes.find(kernel[size].name);
    given.push_back(at != sizes.end() ? at->second : 1 + static_cast<int64_t>(rng.below(20)));
  }
  return given;
}

std::vector<float> Case::run(const loop::Kernel& kernel, Rng& rng, int pieces) const {
  std::vector<std::vector<float>> copies = buffers;
  loop::Arguments arguments;
  for (std::vector<float>& copy : copies) arguments.buffers.push_back(std::span<float>(copy));
  arguments.sizes = given;
  int64_t extent = loop::parallel_extent(kernel, given);
  int64_t begin = 0;
  for (int piece = 0; piece < pieces; ++piece) {
    int64_t end = piece + 1 == pieces
                      ? extent
                      : begin + static_cast<int64_t>(rng.below(static_cast<uint64_t>(extent - begin + 1)));
    auto status = loop::interpret(kernel, arguments, begin, end);
    EXPECT_TRUE(status) << status.error().message;
    begin = end;
  }
  return copies.back();
}

Case random_case(const loop::Task& task, Rng& rng) {
  return std::visit([&](const auto& family) { return make(family, rng); }, task);
}

std::vector<float> expected(const loop::Task& task, const Case& c) {
  return std::visit([&](const auto& family) { return result_of(family, c); }, task);
}

const std::vector<std::string>& exact_tasks() {
  static const std::vector<std::string> tasks = {
      "matmul tail 0",
      "matmul tail 3 then clamp -4 6",
      "matmul tail 7 one_row",
      "matmul tail 0 one_row then leaky_relu 2 0",
      "map outer 0 strides 1 steps activate 0 clamp 0 inf",
      "map outer 2 strides 1 0 steps add 0 1, prelu 2 0",
      "map outer 1 strides 1 1 steps constant 2, mul 2 1, add 3 0, square 4, abs 5",
      "map outer 0 strides 1 steps",
      "reduce add contiguous prologue square 0",
      "reduce max contiguous finish abs 0",
      "reduce min strided",
      "reduce add strided",
  };
  return tasks;
}

}  // namespace fuselane
