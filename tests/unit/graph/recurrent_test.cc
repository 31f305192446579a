// LSTM and GRU by hand: with activations that leave their argument as it is, all values are small exact
// numbers.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/unit/graph/operator_case.h"

namespace fuselane {
namespace {

using Texts = std::vector<std::string>;
using Doubles = std::vector<double>;

Attributes cell(int64_t hidden, Texts activations,
                std::initializer_list<std::pair<Attr, AttrValue>> more = {}) {
  Attributes attributes = {{Attr::HiddenSize, hidden}};
  if (!activations.empty()) attributes.set(Attr::Activations, std::move(activations));
  for (const auto& [attr, value] : more) attributes.set(attr, value);
  return attributes;
}
const Texts kPlainLstm = {"Affine", "Affine", "Affine"};
const Texts kPlainGru = {"Affine", "Affine"};

// Weights of the gates i, o, f, c for one input and one unit.
const Elements kW = f32({1, 4, 1}, {1, 2, 3, 4});
const Elements kNoR = f32({1, 4, 1}, {0, 0, 0, 0});
const Elements kOne = f32({1, 1, 1}, {1});
const Elements kTwo = f32({1, 1, 1}, {2});

TEST(Lstm, OneUnit) {
  expect_all({
      // i 1, o 2, f 3, c 4; then i 1 + 0.5 * 8, f 3 - 0.25 * 8.
      {"two steps",
       Op::LSTM,
       cell(1, kPlainLstm),
       {f32({2, 1, 1}, {1, 1}), kW, f32({1, 4, 1}, {0.5, 0, -0.25, 0})},
       {f32({2, 1, 1, 1}, {8, 48}), f32({1, 1, 1}, {48}), f32({1, 1, 1}, {24})}},
      {"biases of both products",
       Op::LSTM,
       cell(1, kPlainLstm),
       {kOne, kW, kNoR, f32({1, 8}, {1, 0, 0, 0, 0, -1, 0, 2})},
       {f32({1, 1, 1, 1}, {12}), f32({1, 1, 1}, {12}), f32({1, 1, 1}, {12})}},
      {"initial states",
       Op::LSTM,
       cell(1, kPlainLstm),
       {kOne, kW, f32({1, 4, 1}, {0, 1, 0, 0}), absent(), absent(), f32({1, 1, 1}, {10}), kTwo},
       {f32({1, 1, 1, 1}, {120}), f32({1, 1, 1}, {120}), f32({1, 1, 1}, {10})}},
      // i 1 + 2, f 3 - 2, c' 2 + 12, o 2 + 7.
      {"peepholes: the output's sees the new cell",
       Op::LSTM,
       cell(1, kPlainLstm),
       {kOne, kW, kNoR, absent(), absent(), absent(), kTwo, f32({1, 3}, {1, 0.5, -1})},
       {f32({1, 1, 1, 1}, {126}), f32({1, 1, 1}, {126}), f32({1, 1, 1}, {14})}},
      {"input_forget: f is 1 - i",
       Op::LSTM,
       cell(1, kPlainLstm, {{Attr::InputForget, int64_t{1}}}),
       {f32({1, 1, 1}, {3}), kW, kNoR, absent(), absent(), absent(), kTwo},
       {f32({1, 1, 1, 1}, {192}), f32({1, 1, 1}, {192}), f32({1, 1, 1}, {32})}},
      {"clip bounds what activations see, not the cell",
       Op::LSTM,
       cell(1, kPlainLstm, {{Attr::Clip, 1.5}}),
       {kOne, kW, kNoR, absent(), absent(), absent(), kTwo},
       {f32({1, 1, 1, 1}, {2.25}), f32({1, 1, 1}, {2.25}), f32({1, 1, 1}, {4.5})}},
      {"only the states are wanted",
       Op::LSTM,
       cell(1, kPlainLstm),
       {kOne, kW, kNoR},
       {absent(), f32({1, 1, 1}, {8}), f32({1, 1, 1}, {4})}},
      {"only the sequence is wanted",
       Op::LSTM,
       cell(1, kPlainLstm),
       {kOne, kW, kNoR},
       {f32({1, 1, 1, 1}, {8})}},
      {"no steps",
       Op::LSTM,
       cell(1, kPlainLstm),
       {f32({0, 1, 1}, {}), kW, kNoR, absent(), absent(), kOne, kTwo},
       {f32({0, 1, 1, 1}, {}), f32({1, 1, 1}, {1}), f32({1, 1, 1}, {2})}},
      {"no sequences",
       Op::LSTM,
       cell(1, kPlainLstm),
       {f32({2, 0, 1}, {}), kW, kNoR},
       {f32({2, 1, 0, 1}, {}), f32({1, 0, 1}, {}), f32({1, 0, 1}, {})}},
      {"float64",
       Op::LSTM,
       cell(1, kPlainLstm),
       {f64({1, 1, 1}, {0.1}), f64({1, 4, 1}, {1, 2, 3, 4}), f64({1, 4, 1}, {0, 0, 0, 0})},
       {f64({1, 1, 1, 1}, {0.2 * (0.1 * 0.4)})}},
  });
}

TEST(Lstm, DefaultActivations) {
  auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  double c = sigmoid(3) * 2 + sigmoid(1) * std::tanh(4);
  double h = sigmoid(2) * std::tanh(c);
  double nan = std::numeric_limits<double>::quiet_NaN();
  expect_all({
      {"Sigmoid, Tanh, Tanh",
       Op::LSTM,
       cell(1, {}),
       {kOne, kW, kNoR, absent(), absent(), absent(), kTwo},
       {f32({1, 1, 1, 1}, {h}), f32({1, 1, 1}, {h}), f32({1, 1, 1}, {c})},
       1e-7},
      {"NaN stays with its sequence",
       Op::LSTM,
       cell(1, {}),
       {f32({1, 2, 1}, {nan, 0}), kW, kNoR},
       {f32({1, 1, 2, 1}, {nan, 0})}},
  });
}

// i, o and f are 1, c is w x + r h: h is the sum of all candidates.
TEST(Lstm, ManyUnits) {
  Doubles w(16), r(16), b(16);
  for (size_t row = 0; row < 6; ++row) b[row] = 1;
  w[12] = 1, w[13] = 2, w[14] = 3, w[15] = 4;
  r[13] = 1, r[14] = 1;  // each unit sees the other
  expect_results({"two units, two inputs",
                  Op::LSTM,
                  cell(2, kPlainLstm),
                  {f32({2, 1, 2}, {1, 1, 1, 0}), f32({1, 8, 2}, w), f32({1, 8, 2}, r), f32({1, 16}, b)},
                  {f32({2, 1, 1, 2}, {3, 7, 11, 13}), f32({1, 1, 2}, {11, 13}), f32({1, 1, 2}, {11, 13})}});
}

struct Sums {
  Elements w, r, b;
};
// A cell whose state is the sum of its inputs, once for each direction.
Sums lstm_sums(int64_t directions) {
  Doubles w, b;
  for (int64_t d = 0; d < directions; ++d) {
    w.insert(w.end(), {0, 0, 0, 1});
    b.insert(b.end(), {1, 1, 1, 0, 0, 0, 0, 0});
  }
  return {f32({directions, 4, 1}, w), f32({directions, 4, 1}, Doubles(w.size())), f32({directions, 8}, b)};
}
Sums gru_sums(int64_t directions) {
  Doubles w, r, b;
  for (int64_t d = 0; d < directions; ++d) {
    w.insert(w.end(), {0, 0, 1});
    r.insert(r.end(), {0, 0, 1});
    b.insert(b.end(), {0, 1, 0, 0, 0, 0});
  }
  return {f32({directions, 3, 1}, w), f32({directions, 3, 1}, r), f32({directions, 6}, b)};
}

TEST(Recurrent, DirectionsLengthsAndLayouts) {
  Elements x = f32({3, 2, 1}, {1, 10, 2, 20, 4, 40});
  Elements x_batch_first = f32({2, 3, 1}, {1, 2, 4, 10, 20, 40});
  Elements lengths = i32({2}, {3, 2});
  for (Op op : {Op::LSTM, Op::GRU}) {
    Sums one = op == Op::LSTM ? lstm_sums(1) : gru_sums(1);
    Sums two = op == Op::LSTM ? lstm_sums(2) : gru_sums(2);
    Texts plain = op == Op::LSTM ? kPlainLstm : kPlainGru;
    Texts plain_twice = plain;
    plain_twice.insert(plain_twice.end(), plain.begin(), plain.end());
    AttrValue both = "bidirectional";
    expect_all({
        {"forward",
         op,
         cell(1, plain),
         {x, one.w, one.r, one.b},
         {f32({3, 1, 2, 1}, {1, 10, 3, 30, 7, 70}), f32({1, 2, 1}, {7, 70})}},
        {"reverse",
         op,
         cell(1, plain, {{Attr::Direction, "reverse"}}),
         {x, one.w, one.r, one.b},
         {f32({3, 1, 2, 1}, {7, 70, 6, 60, 4, 40}), f32({1, 2, 1}, {7, 70})}},
        {"lengths",
         op,
         cell(1, plain),
         {x, one.w, one.r, one.b, lengths},
         {f32({3, 1, 2, 1}, {1, 10, 3, 30, 7, 0}), f32({1, 2, 1}, {7, 30})}},
        {"reverse starts at each sequence's end",
         op,
         cell(1, plain, {{Attr::Direction, "reverse"}}),
         {x, one.w, one.r, one.b, lengths},
         {f32({3, 1, 2, 1}, {7, 30, 6, 20, 4, 0}), f32({1, 2, 1}, {7, 30})}},
        {"bidirectional",
         op,
         cell(1, plain_twice, {{Attr::Direction, both}}),
         {x, two.w, two.r, two.b, lengths},
         {f32({3, 2, 2, 1}, {1, 10, 7, 30, 3, 30, 6, 20, 7, 0, 4, 0}), f32({2, 2, 1}, {7, 30, 7, 30})}},
        {"batch first, with initial states of each direction",
         op,
         cell(1, plain_twice, {{Attr::Direction, both}, {Attr::Layout, int64_t{1}}}),
         {x_batch_first, two.w, two.r, two.b, lengths, f32({2, 2, 1}, {0, 0, 0, 0})},
         {f32({2, 3, 2, 1}, {1, 7, 3, 6, 7, 4, 10, 30, 30, 20, 0, 0}), f32({2, 2, 1}, {7, 7, 30, 30})}},
        {"an empty sequence keeps its state",
         op,
         cell(1, plain),
         {x, one.w, one.r, one.b, i32({2}, {0, 1})},
         {f32({3, 1, 2, 1}, {0, 10, 0, 0, 0, 0}), f32({1, 2, 1}, {0, 10})}},
    });
  }
  Sums two = gru_sums(2);
  Texts plain = {"Affine", "Affine", "Affine", "Affine"};
  expect_all({
      {"initial states by direction, then sequence",
       Op::GRU,
       cell(1, plain, {{Attr::Direction, "bidirectional"}}),
       {f32({1, 2, 1}, {1, 2}), two.w, two.r, two.b, absent(), f32({2, 2, 1}, {100, 200, 300, 400})},
       {f32({1, 2, 2, 1}, {101, 202, 301, 402}), f32({2, 2, 1}, {101, 202, 301, 402})}},
      {"initial states by sequence, then direction",
       Op::GRU,
       cell(1, plain, {{Attr::Direction, "bidirectional"}, {Attr::Layout, int64_t{1}}}),
       {f32({2, 1, 1}, {1, 2}), two.w, two.r, two.b, absent(), f32({2, 2, 1}, {100, 200, 300, 400})},
       {f32({2, 1, 2, 1}, {101, 201, 302, 402}), f32({2, 2, 1}, {101, 201, 302, 402})}},
  });
}

TEST(Gru, GatesByHand) {
  Elements w = f32({1, 3, 1}, {0.5, 2, 3});
  Elements r = f32({1, 3, 1}, {0, 0, 4});
  Elements b = f32({1, 6}, {0, 0, 1, 0, 0, 10});
  AttrValue on = int64_t{1};
  auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  double z = sigmoid(0.5);
  double defaults = (1 - z) * std::tanh(4 + 4 * sigmoid(2) * 0.25 + 10 - 14) + z * 0.25;
  expect_all({
      // z 0.5, r 2; the candidate is 3 + 1 + 4 (2 * 2) + 10.
      {"reset before the product",
       Op::GRU,
       cell(1, kPlainGru),
       {kOne, w, r, b, absent(), kTwo},
       {f32({1, 1, 1, 1}, {16}), f32({1, 1, 1}, {16})}},
      // 3 + 1 + 2 (4 * 2 + 10).
      {"reset after the product and its bias",
       Op::GRU,
       cell(1, kPlainGru, {{Attr::LinearBeforeReset, on}}),
       {kOne, w, r, b, absent(), kTwo},
       {f32({1, 1, 1, 1}, {21}), f32({1, 1, 1}, {21})}},
      // z 0.5, r 1.5, candidate 1.5.
      {"clip",
       Op::GRU,
       cell(1, kPlainGru, {{Attr::Clip, 1.5}}),
       {kOne, w, r, b, absent(), kTwo},
       {f32({1, 1, 1, 1}, {1.75})}},
      {"Sigmoid and Tanh",
       Op::GRU,
       cell(1, {}),
       {kOne, w, r, f32({1, 6}, {0, 0, 1, 0, 0, -4}), absent(), f32({1, 1, 1}, {0.25})},
       {f32({1, 1, 1, 1}, {defaults})},
       1e-7},
      // z 0; r 2 and 3 from biases; each unit's candidate is the other's r * h.
      {"each unit is reset before the product",
       Op::GRU,
       cell(2, kPlainGru),
       {kOne, f32({1, 6, 1}, Doubles(6)), f32({1, 6, 2}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0}),
        f32({1, 12}, {0, 0, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0}), absent(), f32({1, 1, 2}, {10, 100})},
       {f32({1, 1, 1, 2}, {300, 20})}},
      {"and by its own gate after it",
       Op::GRU,
       cell(2, kPlainGru, {{Attr::LinearBeforeReset, on}}),
       {kOne, f32({1, 6, 1}, Doubles(6)), f32({1, 6, 2}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0}),
        f32({1, 12}, {0, 0, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0}), absent(), f32({1, 1, 2}, {10, 100})},
       {f32({1, 1, 1, 2}, {200, 30})}},
  });
}

// With i and o 1 the result is h(x).
TEST(Recurrent, Activations) {
  struct Row {
    const char* name;
    Doubles at;  // -2, 0.5, 1, 3
  };
  const Row rows[] = {
      {"Relu", {0, 0.5, 1, 3}},
      {"Tanh", {-0.9640275800758169, 0.46211715726000975, 0.7615941559557649, 0.9950547536867305}},
      {"Sigmoid", {0.11920292202211755, 0.6224593312018546, 0.7310585786300049, 0.9525741268224334}},
      {"Affine", {-2, 0.5, 1, 3}},
      {"LeakyRelu", {-0.02, 0.5, 1, 3}},
      {"ThresholdedRelu", {0, 0, 1, 3}},
      {"ScaledTanh", {-0.9640275800758169, 0.46211715726000975, 0.7615941559557649, 0.9950547536867305}},
      {"HardSigmoid", {0.1, 0.6, 0.7, 1}},
      {"Elu", {-0.8646647167633873, 0.5, 1, 3}},
      {"Softsign", {-2.0 / 3, 1.0 / 3, 0.5, 0.75}},
      {"Softplus", {0.1269280110429726, 0.9740769841801067, 1.3132616875182228, 3.048587351573742}},
  };
  Sums sums = lstm_sums(1);
  for (const Row& row : rows) {
    expect_results({row.name,
                    Op::LSTM,
                    cell(1, {"Affine", "Affine", row.name}),
                    {f32({1, 4, 1}, {-2, 0.5, 1, 3}), sums.w, sums.r, sums.b},
                    {f32({1, 1, 4, 1}, row.at)},
                    1e-7});
  }
  double nan = std::numeric_limits<double>::quiet_NaN();
  expect_all({
      {"far arguments of Softplus",
       Op::LSTM,
       cell(1, {"Affine", "Affine", "Softplus"}),
       {f32({1, 4, 1}, {1000, -1000, 800, nan}), sums.w, sums.r, sums.b},
       {f32({1, 1, 4, 1}, {1000, 0, 800, nan})}},
      // HardSigmoid: i 0.5 * -1 + 1, o 0.5 * 2 + 1 bounded by 1, f 0; LeakyRelu: c -0.4; Affine: 2 * -0.2
      // + 1.
      {"parameters go to the functions that take them",
       Op::LSTM,
       cell(1, {"HardSigmoid", "LeakyRelu", "Affine"},
            {{Attr::ActivationAlpha, Doubles{0.5, 0.1, 2}}, {Attr::ActivationBeta, Doubles{1, 1}}}),
       {f32({1, 1, 1}, {-1}), f32({1, 4, 1}, {1, -2, 3, 4}), kNoR},
       {f32({1, 1, 1, 1}, {0.6}), f32({1, 1, 1}, {0.6}), f32({1, 1, 1}, {-0.2})},
       1e-7},
      // z 3 by Affine(3 x), the candidate by Affine(2 x + 5) of 1; the second direction falls back to
      // defaults: z 1.
      {"parameters run out",
       Op::GRU,
       cell(1, {"Affine", "Affine", "Affine", "Affine"},
            {{Attr::Direction, "bidirectional"},
             {Attr::ActivationAlpha, Doubles{3, 2}},
             {Attr::ActivationBeta, Doubles{0, 5}}}),
       {kOne, f32({2, 3, 1}, {1, 0, 1, 1, 0, 1}), f32({2, 3, 1}, Doubles(6))},
       {f32({1, 2, 1, 1}, {-14, 0})}},
  });
}

TEST(Recurrent, RefusesWhatDoesNotFit) {
  auto refused = [](Attributes attributes, std::vector<Elements> inputs, std::string message) {
    expect_error({message, Op::LSTM, attributes, inputs, ErrorCode::InvalidModel, "a LSTM node: " + message});
  };
  Attributes one = cell(1, {});
  refused(cell(0, {}), {kOne, kW, kNoR}, "attribute 'hidden_size' cannot be 0");
  refused(cell(1, {}, {{Attr::Direction, "backward"}}), {kOne, kW, kNoR},
          "attribute 'direction' must be forward, reverse or bidirectional, not 'backward'");
  refused(cell(1, {}, {{Attr::Layout, int64_t{2}}}), {kOne, kW, kNoR},
          "attribute 'layout' must be 0 or 1, not 2");
  refused(cell(1, {}, {{Attr::Clip, -1.0}}), {kOne, kW, kNoR}, "attribute 'clip' must be at least 0, not -1");
  refused(cell(1, {"Tanh", "Tanh"}), {kOne, kW, kNoR}, "attribute 'activations' must have 3 elements, not 2");
  refused(cell(1, {"Tanh", "Tanh", "Gelu"}), {kOne, kW, kNoR},
          "an activation must be one of Relu, Tanh, Sigmoid, Affine, LeakyRelu, ThresholdedRelu, ScaledTanh, "
          "HardSigmoid, Elu, "
          "Softsign, Softplus, not 'Gelu'");
  refused(cell(2, {}), {kOne, kW, kNoR}, "input 1 must have extent 8 at axis 1, not 4");
  refused(cell(1, {}, {{Attr::Direction, "bidirectional"}}), {kOne, kW, kNoR},
          "input 1 must have extent 2 at axis 0, not 1");
  refused(one, {f32({1, 1, 2}, {1, 2}), kW, kNoR}, "input 1 must have extent 2 at axis 2, not 1");
  refused(one, {kOne, kW, f32({1, 4, 2}, Doubles(8))}, "input 2 must have extent 1 at axis 2, not 2");
  refused(one, {kOne, kW, kNoR, f32({1, 4}, Doubles(4))}, "input 3 must have extent 8 at axis 1, not 4");
  refused(one, {kOne, kW, kNoR, absent(), i32({2}, {1, 1})}, "input 4 must have extent 1 at axis 0, not 2");
  refused(one, {kOne, kW, kNoR, absent(), f32({1}, {1})}, "input 4 must be int32 or int64, not float32");
  refused(one, {kOne, kW, kNoR, absent(), absent(), absent(), f32({1, 2, 1}, {1, 2})},
          "input 6 must have extent 1 at axis 1, not 2");
  refused(one, {kOne, kW, kNoR, absent(), absent(), absent(), absent(), f32({1, 4}, Doubles(4))},
          "input 7 must have extent 3 at axis 1, not 4");
  refused(one, {kOne, kW, f64({1, 4, 1}, Doubles(4))},
          "inputs 0 and 2 must have one type, not float32 and float64");
  refused(one, {f32({1, 1}, {1}), kW, kNoR}, "input 0 must have rank 3, not 2");
  expect_error({"a length",
                Op::GRU,
                one,
                {kOne, f32({1, 3, 1}, Doubles(3)), f32({1, 3, 1}, Doubles(3)), absent(), i32({1}, {2})},
                ErrorCode::InvalidData,
                "a GRU node: sequence 0 has length 2, which is outside 0 to 1"});
}

}  // namespace
}  // namespace fuselane
