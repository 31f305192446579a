// Recurrent cells against the same recurrence in double.
#include "library/recurrent.h"

#include "library/matmul.h"
#include "tests/unit/library/kernel_case.h"

namespace fuselane {
namespace {

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

std::vector<float> packed_rows(const std::vector<float>& matrix, uint32_t first, uint32_t rows,
                               uint32_t depth, const float* bias) {
  std::vector<float> packed(packed_size(rows, 1, depth), kUnwritten);
  PackArgs args{.b = matrix.data() + size_t{first} * depth,
                .bias = bias,
                .packed = packed.data(),
                .columns = rows,
                .depth = depth,
                .all_rows = depth,
                .row_stride = 1,
                .column_stride = depth,
                .b_batch = 0,
                .packed_batch = 0};
  matmul_pack(&args, 0, panel_count(rows));
  return packed;
}

// Gates are [step][batch] or [batch][step], likewise y; sometimes y has room for another direction.
Sequence random_sequence(Rng& rng, uint32_t gate_count) {
  Sequence s{};
  s.steps = pick(rng, 1, 6);
  s.batch = pick(rng, 1, 10);
  s.hidden = pick(rng, 1, 19);
  uint32_t width = gate_count * s.hidden;
  bool batch_first = rng.below(2) == 0;
  s.gates_step = batch_first ? width : s.batch * width;
  s.gates_batch = batch_first ? s.steps * width : width;
  uint32_t directions = pick(rng, 1, 2);
  s.y_step = directions * s.hidden * (batch_first ? 1 : s.batch);
  s.y_batch = batch_first ? directions * s.hidden * s.steps : s.hidden;
  s.reverse = rng.below(2) == 0;
  return s;
}

size_t y_size(const Sequence& s) {
  return size_t{s.steps - 1} * s.y_step + size_t{s.batch - 1} * s.y_batch + s.hidden;
}

double times_row(const std::vector<float>& matrix, size_t row, const std::vector<double>& h) {
  double sum = 0;
  for (size_t k = 0; k < h.size(); ++k) sum += matrix[row * h.size() + k] * h[k];
  return sum;
}

void expect_close(const std::vector<double>& want, const float* got) {
  for (size_t j = 0; j < want.size(); ++j) ASSERT_NEAR(got[j], want[j], 4e-6);
}

// Runs whole and by blocks, to the same bits; h, c and y are left as after the run.
template <class Args>
void run_blocks(Kernel kernel, Args args, const Sequence& s,
                std::initializer_list<std::vector<float>*> states) {
  std::vector<std::vector<float>> before;
  for (auto* state : states) before.push_back(*state);
  ASSERT_EQ(kernel(&args, 0, sequence_extent(s)), kDone);
  std::vector<std::vector<float>> after;
  size_t i = 0;
  for (auto* state : states) {
    after.push_back(*state);
    std::ranges::copy(before[i++], state->begin());
  }
  for (uint32_t block = sequence_extent(s); block-- > 0;) ASSERT_EQ(kernel(&args, block, block + 1), kDone);
  i = 0;
  for (auto* state : states) ASSERT_EQ(*state, after[i++]);
}

TEST(Lstm, AgreesWithDouble) {
  Rng rng(33);
  for (int round = 0; round < 150; ++round) {
    Sequence s = random_sequence(rng, 4);
    size_t n = s.hidden;
    std::vector<float> gates = random_floats(rng, 4 * n * s.steps * s.batch, -3, 3);
    std::vector<float> r = random_floats(rng, 4 * n * n);
    std::vector<float> packed = packed_rows(r, 0, 4 * s.hidden, s.hidden, nullptr);
    std::vector<float> scratch(4 * n * s.batch);
    std::vector<float> h = random_floats(rng, n * s.batch);
    std::vector<float> c = random_floats(rng, n * s.batch);
    std::vector<float> h0 = h;
    std::vector<float> c0 = c;
    std::vector<float> y(y_size(s), kUnwritten);
    LstmArgs args{gates.data(), packed.data(), scratch.data(), h.data(), c.data(), y.data(), s};
    if (rng.below(4) == 0) args.y = nullptr;
    run_blocks(lstm, args, s, {&h, &c, &y});
    size_t written = 0;
    for (size_t b = 0; b < s.batch; ++b) {
      std::vector<double> state(h0.begin() + static_cast<int64_t>(b * n),
                                h0.begin() + static_cast<int64_t>((b + 1) * n));
      std::vector<double> cell(c0.begin() + static_cast<int64_t>(b * n),
                               c0.begin() + static_cast<int64_t>((b + 1) * n));
      for (uint32_t i = 0; i < s.steps; ++i) {
        size_t t = s.reverse ? s.steps - 1 - i : i;
        const float* x = gates.data() + t * s.gates_step + b * s.gates_batch;
        std::vector<double> next(n);
        for (size_t j = 0; j < n; ++j) {
          auto gate = [&](size_t g) { return x[g * n + j] + times_row(r, g * n + j, state); };
          cell[j] = logistic(gate(2)) * cell[j] + logistic(gate(0)) * std::tanh(gate(3));
          next[j] = logistic(gate(1)) * std::tanh(cell[j]);
        }
        state = next;
        if (args.y) expect_close(state, y.data() + t * s.y_step + b * s.y_batch);
        written += n;
      }
      expect_close(state, h.data() + b * n);
      expect_close(cell, c.data() + b * n);
    }
    EXPECT_EQ(static_cast<size_t>(std::ranges::count(y, kUnwritten)), args.y ? y.size() - written : y.size());
    if (HasFatalFailure()) return;
  }
}

TEST(Gru, AgreesWithDouble) {
  Rng rng(34);
  for (int round = 0; round < 150; ++round) {
    Sequence s = random_sequence(rng, 3);
    size_t n = s.hidden;
    std::vector<float> gates = random_floats(rng, 3 * n * s.steps * s.batch, -3, 3);
    std::vector<float> r = random_floats(rng, 3 * n * n);
    std::vector<float> bias = random_floats(rng, n);
    std::vector<float> packed = packed_rows(r, 0, 2 * s.hidden, s.hidden, nullptr);
    std::vector<float> candidate = packed_rows(r, 2 * s.hidden, s.hidden, s.hidden, bias.data());
    std::vector<float> scratch(4 * n * s.batch);
    std::vector<float> h = random_floats(rng, n * s.batch);
    std::vector<float> h0 = h;
    std::vector<float> y(y_size(s), kUnwritten);
    GruArgs args{gates.data(),     packed.data(), candidate.data(), scratch.data(), h.data(), y.data(), s,
                 rng.below(2) == 0};
    run_blocks(gru, args, s, {&h, &y});
    for (size_t b = 0; b < s.batch; ++b) {
      std::vector<double> state(h0.begin() + static_cast<int64_t>(b * n),
                                h0.begin() + static_cast<int64_t>((b + 1) * n));
      for (uint32_t i = 0; i < s.steps; ++i) {
        size_t t = s.reverse ? s.steps - 1 - i : i;
        const float* x = gates.data() + t * s.gates_step + b * s.gates_batch;
        std::vector<double> z(n), reset(n), scaled(n), next(n);
        for (size_t j = 0; j < n; ++j) {
          z[j] = logistic(x[j] + times_row(r, j, state));
          reset[j] = logistic(x[n + j] + times_row(r, n + j, state));
          scaled[j] = reset[j] * state[j];
        }
        for (size_t j = 0; j < n; ++j) {
          double recurrent = args.reset_after ? reset[j] * (times_row(r, 2 * n + j, state) + bias[j])
                                              : times_row(r, 2 * n + j, scaled) + bias[j];
          next[j] = (1 - z[j]) * std::tanh(x[2 * n + j] + recurrent) + z[j] * state[j];
        }
        state = next;
        expect_close(state, y.data() + t * s.y_step + b * s.y_batch);
      }
      expect_close(state, h.data() + b * n);
    }
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace fuselane
