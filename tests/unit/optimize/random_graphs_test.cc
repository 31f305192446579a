// Small random graphs compute the same before and after the passes: every pass alone, and all in their order.
// Constants hold zeros of both signs, ones, infinities and NaN among ordinary numbers; dimensions are known
// or symbols. A failure names its seed; FUSELANE_SEED runs that one alone and prints the graphs.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "base/rng.h"
#include "graph/interpret.h"
#include "graph/print.h"
#include "graph/verify.h"
#include "optimize/optimize.h"

namespace fuselane {
namespace {

class Generator {
 public:
  explicit Generator(uint64_t seed) : rng_(seed) {}

  Graph run() {
    bool symbols = chance(2);
    DimVector dims = symbolic(kImage);
    if (symbols) {
      dims[0] = Dim(graph_.symbol("batch"));
      dims[2] = Dim(graph_.symbol("height"));
      dims[3] = Dim(graph_.symbol("width"));
    }
    values_.push_back(graph_.add_input(Graph::kMain, "x", tensor_type(DType::Float32, dims)));
    condition_ = graph_.add_input(Graph::kMain, "c", tensor_type(DType::Bool, DimVector()));
    known_condition_ =
        graph_.add_constant("known", *Tensor::of_ints(DType::Bool, {}, std::vector<int64_t>{chance(2)}));
    for (uint64_t left = 4 + rng_.below(10); left > 0; --left) grow(Graph::kMain);
    for (size_t i = 0; i < 2; ++i) {
      graph_.at(Graph::kMain).outputs.push_back(i == 0 ? values_.back() : any());
      graph_.output_names.push_back(cat("y", i));
    }
    return std::move(graph_);
  }

  static std::vector<Tensor> feeds(uint64_t seed) {
    Rng rng(seed);
    std::vector<double> numbers(2 * 4 * 5 * 5);
    for (double& number : numbers) number = 4 * rng.unit() - 2;
    std::vector<Tensor> tensors;
    tensors.push_back(*Tensor::of_numbers(DType::Float32, Dims(kImage.begin(), kImage.end()), numbers));
    tensors.push_back(*Tensor::of_ints(DType::Bool, {}, std::vector<int64_t>{seed % 2 == 0}));
    return tensors;
  }

 private:
  static constexpr std::array<int64_t, 4> kImage = {2, 4, 5, 5};

  bool chance(uint64_t of) { return rng_.below(of) == 0; }
  // Mostly a recent value, so that chains come about.
  ValueId any() {
    size_t recent = std::min<size_t>(values_.size(), 3);
    return chance(4) ? values_[rng_.below(values_.size())] : values_[values_.size() - 1 - rng_.below(recent)];
  }
  size_t rank(ValueId value) const { return graph_[value].type.dims ? graph_[value].type.dims->size() : 0; }
  int64_t extent(ValueId value, size_t axis) const { return (*graph_[value].type.dims)[axis].extent; }

  double number() {
    constexpr double kSpecial[] = {0.0, -0.0, 1.0, 1.0, -1.0, INFINITY, -INFINITY, NAN};
    if (chance(12)) return kSpecial[rng_.below(std::size(kSpecial))];
    double magnitude = 0.5 + rng_.unit();
    return chance(2) ? magnitude : -magnitude;
  }
  ValueId constant(Dims dims, bool uniform = false) {
    std::vector<double> numbers(static_cast<size_t>(*element_count(dims)));
    double first = number();
    for (double& n : numbers) n = uniform ? first : number();
    return graph_.add_constant(graph_.fresh_name("k"),
                               *Tensor::of_numbers(DType::Float32, std::move(dims), numbers));
  }
  ValueId positive(Dims dims) {
    std::vector<double> numbers(static_cast<size_t>(*element_count(dims)));
    for (double& n : numbers) n = 0.5 + rng_.unit();
    return graph_.add_constant(graph_.fresh_name("k"),
                               *Tensor::of_numbers(DType::Float32, std::move(dims), numbers));
  }
  ValueId integers(std::vector<int64_t> list) {
    Dims dims{static_cast<int64_t>(list.size())};
    return graph_.add_constant(graph_.fresh_name("i"), *Tensor::of_ints(DType::Int64, std::move(dims), list));
  }

  // Adds the node if its shape rule takes the operands.
  ValueId add(BlockId block, Op op, std::vector<ValueId> inputs, Attributes attributes = {}) {
    Node node{.op = op,
              .name = {},
              .inputs = std::move(inputs),
              .outputs = {},
              .attributes = std::move(attributes),
              .blocks = {}};
    node.outputs.resize(1, ValueId(size_t{0}));
    auto types = infer(node, operands_of(graph_, node), {});
    if (!types) return ValueId();
    node.outputs[0] = graph_.add_value(graph_.fresh_name("v"), (*types)[0]);
    ValueId result = node.outputs[0];
    graph_.append(block, std::move(node));
    return result;
  }

  void grow(BlockId block) {
    ValueId x = chance(12) ? unary(block, constant({4, 1, 1})) : any();
    ValueId result = chance(8) && block == Graph::kMain ? branch() : grown(block, x);
    if (result) values_.push_back(result);
  }

  ValueId branch() {
    Node node{.op = Op::If,
              .name = {},
              .inputs = {chance(2) ? condition_ : known_condition_},
              .outputs = {},
              .attributes = {},
              .blocks = {}};
    ValueId x = any();
    std::vector<ValueType> types;
    for (int k = 0; k < 2; ++k) {
      BlockId block = graph_.add_block();
      ValueId inner = unary(block, x);
      if (chance(2)) inner = unary(block, inner);
      graph_.at(block).outputs.push_back(inner);
      node.blocks.push_back(block);
    }
    node.outputs.push_back(graph_.add_value(graph_.fresh_name("v"), graph_[x].type));
    ValueId result = node.outputs[0];
    graph_.append(Graph::kMain, std::move(node));
    return result;
  }

  ValueId unary(BlockId block, ValueId x) {
    constexpr Op kOps[] = {Op::Relu, Op::Neg,       Op::Abs,         Op::Sigmoid,   Op::Tanh,
                           Op::Erf,  Op::HardSwish, Op::HardSigmoid, Op::LeakyRelu, Op::Identity};
    if (chance(6)) return add(block, Op::Clip, {x, scalar(-1), scalar(1 + rng_.unit())});
    return add(block, kOps[rng_.below(std::size(kOps))], {x});
  }
  ValueId scalar(double value) {
    return graph_.add_constant(graph_.fresh_name("k"),
                               *Tensor::of_numbers(DType::Float32, {}, std::vector<double>{value}));
  }

  ValueId binary(BlockId block, ValueId x) {
    constexpr Op kOps[] = {Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Add, Op::Mul};
    Op op = kOps[rng_.below(std::size(kOps))];
    ValueId other;
    switch (rng_.below(5)) {
      case 0:
        other = constant({}, true);
        break;
      case 1:
        other = constant({1}, true);
        break;
      case 2:
        other = rank(x) == 4 ? constant({4, 1, 1}) : constant({4});
        break;
      case 3:
        other = constant({1, 1, 1, 1}, true);
        break;
      default:
        other = any();
    }
    // A divisor near 0 that is rounded differently would be another answer, so that it is a constant.
    if (op == Op::Div) return graph_.constant_of(other) ? add(block, op, {x, other}) : ValueId();
    return chance(2) ? add(block, op, {x, other}) : add(block, op, {other, x});
  }

  // x * sigmoid(x) and its like.
  ValueId gate(BlockId block, ValueId x) {
    ValueId g;
    double scale = 1;
    switch (rng_.below(5)) {
      case 0:
        g = add(block, Op::Sigmoid, {x});
        break;
      case 1:
        g = add(block, Op::HardSigmoid, {x}, {{Attr::Alpha, static_cast<double>(1.0f / 6)}});
        break;
      case 2:
        g = add(block, Op::Clip, {add(block, Op::Add, {x, scalar(3)}), scalar(0), scalar(6)});
        scale = 1.0 / 6;
        break;
      case 3: {
        ValueId cube = add(block, Op::Mul, {x, add(block, Op::Pow, {x, scalar(2)})});
        ValueId sum = add(block, Op::Add, {add(block, Op::Mul, {cube, scalar(0.044715)}), x});
        g = add(block, Op::Tanh, {add(block, Op::Mul, {sum, scalar(0.79788456)})});
        g = add(block, Op::Add, {g, scalar(1)});
        scale = 0.5;
        break;
      }
      default:
        g = add(block, Op::Add,
                {add(block, Op::Erf, {add(block, Op::Div, {x, scalar(std::sqrt(2.0))})}), scalar(1)});
        scale = 0.5;
    }
    if (scale == 1) return add(block, Op::Mul, {x, g});
    if (chance(2)) return add(block, Op::Mul, {scalar(scale), add(block, Op::Mul, {g, x})});
    return add(block, Op::Mul, {add(block, Op::Mul, {x, scalar(scale)}), g});
  }

  // The arithmetic of a layer or RMS normalization, in one of the ways there are; seldom along other axes, or
  // with a scale that is not one of rows.
  ValueId normalized(BlockId block, ValueId x) {
    if (rank(x) == 0) return ValueId();
    std::vector<int64_t> list{-1};
    if (rank(x) > 1 && chance(3)) list.push_back(chance(3) ? 0 : -2);
    ValueId axes = integers(list);
    Attributes keep{{Attr::KeepDims, int64_t{chance(10) ? 0 : 1}}};
    ValueId d = chance(3) ? x : add(block, Op::Sub, {x, add(block, Op::ReduceMean, {x, axes}, keep)});
    if (!d) return ValueId();
    ValueId square = chance(2) ? add(block, Op::Pow, {d, scalar(2)}) : add(block, Op::Mul, {d, d});
    ValueId mean = add(block, Op::ReduceMean, {square, axes}, keep);
    ValueId root = add(block, Op::Sqrt, {add(block, Op::Add, {mean, scalar(0.5)})});
    ValueId scale =
        chance(3) ? constant({4, 1, 1}) : constant({std::max<int64_t>(extent(x, rank(x) - 1), 1)});
    if (chance(3)) d = add(block, Op::Mul, {scale, d});
    if (!d) return ValueId();
    ValueId y = chance(2) ? add(block, Op::Div, {d, root})
                          : add(block, Op::Mul, {add(block, Op::Div, {scalar(1), root}), d});
    if (y && chance(2)) y = add(block, Op::Mul, {y, scale});
    return y && chance(2) ? add(block, Op::Add, {scale, y}) : y;
  }

  ValueId product(BlockId block, ValueId x) {
    if (rank(x) == 4 && chance(3)) {
      return add(block, Op::ConvTranspose, {x, constant({4, 2, 2, 2}), constant({4})},
                 {{Attr::Group, int64_t{2}}});
    }
    if (rank(x) == 4) {
      std::vector<ValueId> inputs{x, chance(2) ? constant({4, 4, 1, 1}) : constant({4, 1, 3, 3})};
      bool depthwise = graph_[inputs[1]].type.dims->at(1) == Dim(1);
      if (chance(2)) inputs.push_back(constant({4}));
      Attributes attributes{{Attr::Group, int64_t{depthwise ? 4 : 1}}};
      if (depthwise) attributes.set(Attr::Pads, std::vector<int64_t>{1, 1, 1, 1});
      return add(block, Op::Conv, std::move(inputs), std::move(attributes));
    }
    if (rank(x) < 2) return ValueId();
    int64_t inner = extent(x, rank(x) - 1);
    if (inner < 1) return ValueId();
    if (rank(x) == 2 && chance(2)) {
      bool trans = chance(2);
      std::vector<ValueId> inputs{x, constant(trans ? Dims{4, inner} : Dims{inner, 4})};
      if (chance(2)) inputs.push_back(constant({4}));
      return add(block, Op::Gemm, std::move(inputs),
                 {{Attr::TransB, int64_t{trans}}, {Attr::Alpha, 0.5}, {Attr::Beta, 2.0}});
    }
    return add(block, Op::MatMul, {x, constant({inner, 4})});
  }

  ValueId rearranged(BlockId block, ValueId x) {
    size_t r = rank(x);
    switch (rng_.below(5)) {
      case 0: {
        std::vector<int64_t> permutation;
        for (size_t i = 0; i < r; ++i)
          permutation.insert(permutation.begin() + static_cast<int64_t>(rng_.below(i + 1)),
                             static_cast<int64_t>(i));
        return add(block, Op::Transpose, {x}, {{Attr::Permutation, permutation}});
      }
      case 1:
        return add(block, Op::Flatten, {x});
      case 2:
        return add(block, Op::Unsqueeze, {x, integers({static_cast<int64_t>(rng_.below(r + 1))})});
      case 3:
        return add(block, Op::Squeeze, {x});
      default:
        return reshaped_by_shape(block, x);
    }
  }

  // Reshape to [first dimension, -1], or to all dimensions in their order, taken from the shape.
  ValueId reshaped_by_shape(BlockId block, ValueId x) {
    ValueId shape = add(block, Op::Shape, {x});
    if (chance(3)) return add(block, Op::Reshape, {x, shape});
    ValueId first = add(block, Op::Unsqueeze, {add(block, Op::Gather, {shape, index(0)}), integers({0})});
    return add(block, Op::Reshape,
               {x, add(block, Op::Concat, {first, integers({-1})}, {{Attr::Axis, int64_t{0}}})});
  }
  ValueId index(int64_t value) {
    return graph_.add_constant(graph_.fresh_name("i"),
                               *Tensor::of_ints(DType::Int64, {}, std::vector<int64_t>{value}));
  }

  ValueId grown(BlockId block, ValueId x) {
    switch (rng_.below(9)) {
      case 0:
      case 1:
        return unary(block, x);
      case 2:
      case 3:
        return binary(block, x);
      case 4: {
        ValueId result = product(block, x);
        return result && chance(2) ? binary(block, result) : result;
      }
      case 5:
        return rearranged(block, x);
      case 6:
        return gate(block, x);
      case 7:
        return normalized(block, x);
      default:
        return add(block, Op::BatchNormalization,
                   {x, constant({4}), constant({4}), constant({4}), positive({4})});
    }
  }

  Rng rng_;
  Graph graph_;
  ValueId condition_;
  ValueId known_condition_;
  std::vector<ValueId> values_;
};

struct Answer {
  std::vector<Tensor> results;
  double largest = 0;  // finite magnitude of any value on the way: rounding is relative to it
};

std::optional<Answer> answer_of(const Graph& graph, uint64_t seed) {
  Answer answer;
  auto results = interpret(graph, {}, Generator::feeds(seed), [&](ValueId, const Tensor& tensor) {
    if (!is_float(tensor.dtype())) return;
    for (int64_t i = 0; i < tensor.count(); ++i) {
      double magnitude = std::fabs(tensor.number(i));
      if (std::isfinite(magnitude)) answer.largest = std::max(answer.largest, magnitude);
    }
  });
  if (!results) return std::nullopt;
  answer.results = *std::move(results);
  return answer;
}

void expect_same(const Answer& before, const Answer& after) {
  double slack = 1e-5 * before.largest;
  for (size_t k = 0; k < before.results.size(); ++k) {
    const Tensor& want = before.results[k];
    const Tensor& got = after.results[k];
    ASSERT_EQ(text_of(got.dtype(), got.dims()), text_of(want.dtype(), want.dims()));
    for (int64_t i = 0; i < want.count(); ++i) {
      double a = want.number(i);
      double b = got.number(i);
      bool same = std::isnan(a) ? std::isnan(b) : a == b || std::fabs(a - b) <= slack;
      ASSERT_TRUE(same) << "result " << k << ", element " << i << " was " << cat(a) << ", is " << cat(b);
    }
  }
}

// Fails the test, or counts the passes that changed something.
void check(uint64_t seed, const std::optional<Pass>& only, bool verbose, size_t& changed) {
  Graph graph = Generator(seed).run();
  ASSERT_TRUE(verify(graph)) << verify(graph).error().message;
  std::string text = print(graph);
  auto before = answer_of(graph, seed);
  if (!before) return;  // a model that fails need not fail alike
  OptimizeOptions options;
  options.verify = true;
  if (only) options.passes = PassSet::none().with(*only);
  auto done = optimize(graph, options);
  ASSERT_TRUE(done) << done.error().message << "\n" << text;
  if (verbose) std::puts((text + print(graph)).c_str());
  if (print(graph) == text) return;
  ++changed;
  auto after = answer_of(graph, seed);
  ASSERT_TRUE(after) << text << print(graph);
  expect_same(*before, *after);
  if (testing::Test::HasFatalFailure()) FAIL() << text << print(graph);
}

void check_seeds(const std::optional<Pass>& only, uint64_t count) {
  size_t changed = 0;
  const char* one = std::getenv("FUSELANE_SEED");
  uint64_t first = one ? std::strtoull(one, nullptr, 10) : 0;
  for (uint64_t seed = first; seed < (one ? first + 1 : count); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    check(seed, only, one != nullptr, changed);
    if (testing::Test::HasFatalFailure()) return;
  }
  if (!one) EXPECT_GT(changed, count / 100) << "the graphs hardly have what the pass looks for";
}

TEST(RandomGraphs, AllPasses) { check_seeds(std::nullopt, 1000); }

class RandomGraphs : public testing::TestWithParam<size_t> {};
TEST_P(RandomGraphs, OnePass) { check_seeds(static_cast<Pass>(GetParam()), 300); }
INSTANTIATE_TEST_SUITE_P(All, RandomGraphs, testing::Range<size_t>(0, pass_count()), [](const auto& info) {
  return std::string(text_of(static_cast<Pass>(info.param)));
});

}  // namespace
}  // namespace fuselane
