// What planners make of an operator computes what its reference does, over random shapes and attributes.
#include <gtest/gtest.h>

#include <cmath>

#include "graph/parse.h"
#include "run_segment.h"

namespace fuselane {
namespace {

class Agreement : public testing::Test {
 protected:
  std::string constant(std::string_view name, const Dims& dims) { return constants_.declare(name, dims); }
  int64_t pick(int64_t low, int64_t high) { return rng_.between(low, high); }
  bool coin() { return rng_.below(2) == 0; }

  // `body` are lines that compute the outputs from %x, a feed of these dims, and constants.
  void expect_kernels_agree(const Dims& x, const std::string& body) {
    std::string text =
        cat("graph \"g\" {\nsource \"f\"\ninput %x: ", text_of(DType::Float32, x), "\n", body, "}");
    auto graph = parse_graph(text);
    ASSERT_TRUE(graph) << graph.error().message << "\n" << text;
    MemorySource source = constants_.source();
    ByteSource* sources[] = {&source};
    std::vector<Tensor> feeds;
    feeds.push_back(*Tensor::allocate(DType::Float32, x));
    for (int64_t i = 0; i < feeds[0].count(); ++i) feeds[0].view().set_number(i, 2 * rng_.unit() - 1);
    SegmentRunner runner(*graph, sources);
    auto want = runner.run(feeds, {.kernels = false});
    ASSERT_TRUE(want) << want.error().message << "\n" << text;
    auto plain = runner.run(feeds, {.kernels = true, .vertical = true, .tiling = false, .layout = false});
    ASSERT_TRUE(plain) << plain.error().message << "\n" << text;
    expect_same(*want, *plain, text);
    for (auto [vertical, horizontal] :
         {std::pair(false, false), {false, true}, {true, false}, {true, true}}) {
      auto got = runner.run(feeds, {.kernels = true, .vertical = vertical, .horizontal = horizontal});
      ASSERT_TRUE(got) << got.error().message << "\n" << text;
      EXPECT_EQ(got->references(), 0u) << text;
      expect_same(*want, *got, text);
      steps_[(vertical ? 1 : 0) + (horizontal ? 2 : 0)] += got->segment.steps.size();
    }
    auto staged = runner.run(feeds, {.threads = 2});
    ASSERT_TRUE(staged) << staged.error().message << "\n" << text;
    expect_same(*want, *staged, text);
    if (staged->segment.steps.empty()) return;
    staged_steps_ += staged->segment.steps.size();
    stages_ += staged->segment.steps.back().stage + 1;
  }

  void expect_same(const SegmentRun& want, const SegmentRun& got, const std::string& text) {
    for (size_t r = 0; r < want.results.size(); ++r) {
      const Tensor& a = want.results[r];
      const Tensor& b = got.results[r];
      ASSERT_EQ(a.dims(), b.dims());
      double largest = 1e-3;
      for (int64_t i = 0; i < a.count(); ++i) largest = std::max(largest, std::fabs(a.number(i)));
      for (int64_t i = 0; i < a.count(); ++i)
        ASSERT_NEAR(a.number(i), b.number(i), tolerance_ * largest)
            << "output " << r << " element " << i << "\n"
            << text;
    }
  }

  struct Windows {
    Dims kernel, counts;
    std::string attributes;
  };

  // Some, along each axis of these extents; half of them are one position each.
  Windows random_windows(const Dims& extents, int64_t longest = 3) {
    Windows windows;
    Dims strides, dilations, pads(2 * extents.size());
    bool is_plain = coin();
    for (size_t axis = 0; axis < extents.size(); ++axis) {
      int64_t most = is_plain ? 1 : 3;
      windows.kernel.push_back(pick(1, is_plain ? 1 : longest));
      strides.push_back(pick(1, most));
      dilations.push_back(pick(1, std::min<int64_t>(most, 2)));
      int64_t reach = (windows.kernel[axis] - 1) * dilations[axis] + 1;
      int64_t before = is_plain ? 0 : pick(0, 2), after = is_plain ? 0 : pick(0, 2);
      after = std::max(after, reach - before - extents[axis]);
      pads[axis] = before;
      pads[extents.size() + axis] = after;
      windows.counts.push_back((extents[axis] + before + after - reach) / strides[axis] + 1);
    }
    windows.attributes = cat("strides = [", join(strides), "], dilations = [", join(dilations), "], pads = [",
                             join(pads), "]");
    return windows;
  }

  // Lines for what is computed of %m, a product or convolution of %x with these dims and its columns along
  // `axis`, until output "y": functions of elements of several shapes.
  std::string random_functions(const Dims& x, const Dims& y, size_t axis) {
    std::string type = text_of(DType::Float32, y);
    const bool is_conv = axis + 1 < y.size();
    Dims column(y.size() - axis, 1), row = y;
    column[0] = row[axis] = y[axis];
    row.erase(row.begin());
    if (is_conv) row[0] = 1;
    if (!is_conv) row = {y[axis - 1], 1};
    std::string body = constant("full", y);
    append(body, constant("one", {1}));
    append(body, constant("column", column));
    append(body, constant("row", row));
    append(body, cat("%e: ", type, " = Abs(%full)\n"));
    std::string last = "%m";
    for (int64_t i = pick(1, 4); i > 0; --i) {
      std::string next = cat("%v", i);
      std::string other = std::vector<std::string>{"%full", "%one", "%column", "%row", "%e"}[rng_.below(5)];
      if (x == y && rng_.below(4) == 0) other = "%x";
      append(body, cat(next, ": ", type));
      switch (rng_.below(3)) {
        case 0:
          append(body, cat(" = Tanh(", last, ")\n"));
          break;
        case 1:
          append(body, cat(" = Sub(", other, ", ", last, ")\n"));
          break;
        default:
          append(body, cat(coin() ? " = Mul(" : " = Add(", last, ", ", other, ")\n"));
          break;
      }
      last = next;
    }
    return cat(body, "output \"y\" = ", last, "\n");
  }

  Rng rng_{11};
  double tolerance_ = 1e-5;  // of the largest result
  size_t steps_[4] = {};     // of all plans: plain, with vertical fusion, with horizontal fusion, with both
  size_t staged_steps_ = 0, stages_ = 0;  // of plans with both, for two threads
  RandomConstants constants_;
};

std::string list(std::initializer_list<int64_t> values) {
  std::string out = "[";
  for (int64_t value : values) append(out, cat(out.size() > 1 ? "," : "", value));
  return cat(out, "]");
}

// Values under random transpositions, splits, slices, reshapes and concatenations, and products, functions of
// elements, convolutions and pools of what comes of that.
class Moves {
 public:
  Moves(Rng& rng, RandomConstants& constants, const Dims& x) : rng_(rng), constants_(constants) {
    values_.push_back({"%x", x});
  }

  void step() {
    const Value x = any();
    const size_t rank = x.dims.size();
    switch (rng_.below(10)) {
      case 0: {
        std::vector<int64_t> order(rank);
        for (size_t i = 0; i < rank; ++i) order[i] = static_cast<int64_t>(i);
        for (size_t i = rank; i > 1; --i)
          std::swap(order[i - 1], order[rng_.below(static_cast<uint32_t>(i))]);
        Dims y;
        for (int64_t axis : order) y.push_back(x.dims[static_cast<size_t>(axis)]);
        return add(y, cat("Transpose(", x.name, ") {perm = ", text_of(order), "}"));
      }
      case 1: {
        size_t axis = rng_.below(static_cast<uint32_t>(rank));
        if (x.dims[axis] < 2) return;
        Dims a = x.dims, b = x.dims;
        a[axis] = rng_.between(1, x.dims[axis] - 1);
        b[axis] = x.dims[axis] - a[axis];
        std::string sizes = list({a[axis], b[axis]});
        std::string first = next(a), second = next(b);
        append(body_, cat("const ", first, "s: i64[2] = ", sizes, "\n", first, ": ", f32(a), ", ", second,
                          ": ", f32(b), " = Split(", x.name, ", ", first, "s) {axis = ", axis, "}\n"));
        return;
      }
      case 2: {
        size_t axis = rng_.below(static_cast<uint32_t>(rank));
        Dims y = x.dims;
        int64_t start = rng_.between(0, x.dims[axis] - 1), step = rng_.between(1, 2);
        y[axis] = (x.dims[axis] - start + step - 1) / step;
        std::string name = next(y);
        append(body_,
               cat("const ", name, "s: i64[1] = ", list({start}), "\nconst ", name,
                   "e: i64[1] = [1000]\nconst ", name, "a: i64[1] = ", list({static_cast<int64_t>(axis)}),
                   "\nconst ", name, "t: i64[1] = ", list({step}), "\n", name, ": ", f32(y), " = Slice(",
                   x.name, ", ", name, "s, ", name, "e, ", name, "a, ", name, "t)\n"));
        return;
      }
      case 3: {
        // Two neighbours become one axis, or one of even extent becomes two.
        Dims y = x.dims;
        size_t axis = rng_.below(static_cast<uint32_t>(rank));
        if (rank > 3 && axis + 1 < rank) {
          y[axis] *= y[axis + 1];
          y.erase(y.begin() + static_cast<ptrdiff_t>(axis) + 1);
        } else if (y[axis] % 2 == 0) {
          y[axis] /= 2;
          y.insert(y.begin() + static_cast<ptrdiff_t>(axis), 2);
        } else {
          return;
        }
        std::string name = next(y);
        append(body_, cat("const ", name, "s: i64[", y.size(), "] = ", text_of(y), "\n", name, ": ", f32(y),
                          " = Reshape(", x.name, ", ", name, "s)\n"));
        return;
      }
      case 4: {
        // With itself under another function: always of the same dims.
        size_t axis = rng_.below(static_cast<uint32_t>(rank));
        if (element_count(x.dims) > 4000) return;
        std::string a = next(x.dims), b = next(x.dims);
        append(body_, cat(a, ": ", f32(x.dims), rng_.below(3) ? " = Neg(" : " = Softmax(", x.name, ")\n", b,
                          ": ", f32(x.dims), " = Abs(", x.name, ")\n"));
        Dims y = x.dims;
        y[axis] *= 3;
        return add(y, cat("Concat(", a, ", ", rng_.below(2) ? b : x.name, ", ", b, ") {axis = ", axis, "}"));
      }
      case 5:
        return add(x.dims, cat(rng_.below(2) ? "Relu(" : "Neg(", x.name, ")"));
      case 6: {
        const Value* y = alike(x);
        return add(x.dims, cat("Add(", x.name, ", ", y->name, ")"));
      }
      case 7: {
        // With itself transposed.
        Dims t = x.dims;
        std::swap(t[rank - 1], t[rank - 2]);
        std::vector<int64_t> order(rank);
        for (size_t i = 0; i < rank; ++i) order[i] = static_cast<int64_t>(i);
        std::swap(order[rank - 1], order[rank - 2]);
        Dims y = x.dims;
        y[rank - 1] = y[rank - 2];
        if (element_count(y) > 4000) return;
        std::string name = next(t);
        append(body_, cat(name, ": ", f32(t), " = Transpose(", x.name, ") {perm = ", text_of(order), "}\n"));
        return add(y, cat("MatMul(", x.name, ", ", name, ")"));
      }
      case 8: {
        if (rank != 4 || x.dims[2] < 2 || x.dims[3] < 2) return;
        Dims y = x.dims;
        y[2] -= 1;
        y[3] -= 1;
        return add(y, cat("MaxPool(", x.name, ") {kernel_shape = [2,2]}"));
      }
      case 9: {
        if (rank != 4) return;
        // 1x1, or 3x3 with zeros around; of all channels, or of one each.
        const int64_t size = rng_.below(2) ? 3 : 1, pad = size / 2;
        const int64_t group = rng_.below(3) ? 1 : x.dims[1];
        Dims y = x.dims;
        if (group == 1) y[1] = rng_.between(1, 12);
        std::string name = cat("w", values_.size());
        append(body_, constants_.declare(name, {y[1], x.dims[1] / group, size, size}));
        return add(y, cat("Conv(", x.name, ", %", name, ") {group = ", group,
                          ", pads = ", list({pad, pad, pad, pad}), "}"));
      }
    }
  }

  // Lines that compute, and the outputs: the last values, and one of any age.
  std::string text() {
    std::string out = body_;
    size_t first = values_.size() > 4 ? values_.size() - 3 : 1;
    for (size_t i = first; i < values_.size(); ++i)
      append(out, cat("output \"", i, "\" = ", values_[i].name, "\n"));
    if (first > 1)
      append(out,
             cat("output \"one\" = ", values_[rng_.below(static_cast<uint32_t>(first - 1)) + 1].name, "\n"));
    return out;
  }
  bool is_empty() const { return values_.size() == 1; }

 private:
  struct Value {
    std::string name;
    Dims dims;
  };
  static std::string f32(const Dims& dims) { return text_of(DType::Float32, dims); }
  // The late ones more often.
  Value any() {
    auto count = static_cast<uint32_t>(values_.size());
    return values_[std::max(rng_.below(count), rng_.below(count))];
  }
  const Value* alike(const Value& x) const {
    const Value* found = &values_[0];
    for (const Value& value : values_) {
      if (value.dims == x.dims) found = &value;
    }
    return found->dims == x.dims ? found : &values_.back();
  }
  std::string next(const Dims& dims) {
    values_.push_back({cat("%v", values_.size()), dims});
    return values_.back().name;
  }
  void add(const Dims& dims, const std::string& call) {
    std::string name = next(dims);
    append(body_, cat(name, ": ", f32(dims), " = ", call, "\n"));
  }

  Rng& rng_;
  RandomConstants& constants_;
  std::vector<Value> values_;
  std::string body_;
};

TEST_F(Agreement, ViewsAndDestinations) {
  for (int round = 0; round < 200; ++round) {
    Dims x(static_cast<size_t>(pick(3, 4)));
    for (int64_t& extent : x) extent = pick(1, 6);
    Moves moves(rng_, constants_, x);
    for (int64_t steps = pick(2, 12); steps > 0; --steps) moves.step();
    if (moves.is_empty()) continue;
    expect_kernels_agree(x, moves.text());
    if (HasFailure()) return;
  }
  EXPECT_LT(steps_[2], steps_[0]);
  EXPECT_LT(steps_[3], steps_[1]);
  EXPECT_LT(stages_, staged_steps_);
}

TEST_F(Agreement, Lstm) {
  for (int round = 0; round < 40; ++round) {
    int64_t steps = pick(1, 5), batch = pick(1, 6), inputs = pick(1, 9), hidden = pick(1, 11);
    bool batch_first = coin();
    std::string direction =
        batch_first ? (coin() ? "forward" : "reverse")
                    : std::vector<std::string>{"forward", "reverse", "bidirectional"}[rng_.below(3)];
    int64_t d = direction == "bidirectional" ? 2 : 1;
    Dims state = batch_first ? Dims{batch, d, hidden} : Dims{d, batch, hidden};
    Dims x = batch_first ? Dims{batch, steps, inputs} : Dims{steps, batch, inputs};
    Dims y = batch_first ? Dims{batch, steps, d, hidden} : Dims{steps, d, batch, hidden};
    bool has_bias = coin(), has_h = coin(), has_c = coin(), wants_y = coin(), wants_c = coin();
    std::string body = constant("w", {d, 4 * hidden, inputs});
    append(body, constant("r", {d, 4 * hidden, hidden}));
    append(body, constant("b", {d, 8 * hidden}));
    append(body, constant("h", state));
    append(body, constant("c", state));
    append(body, cat(wants_y ? cat("%y: ", text_of(DType::Float32, y)) : "_",
                     ", %yh: ", text_of(DType::Float32, state), ", ",
                     wants_c ? cat("%yc: ", text_of(DType::Float32, state)) : "_", " = LSTM(%x, %w, %r, ",
                     has_bias ? "%b" : "_", ", _, ", has_h ? "%h" : "_", ", ", has_c ? "%c" : "_",
                     ") {hidden_size = ", hidden, ", direction = \"", direction,
                     "\", layout = ", batch_first ? 1 : 0, "}\n"));
    append(body, cat("output \"yh\" = %yh\n", wants_y ? "output \"y\" = %y\n" : "",
                     wants_c ? "output \"yc\" = %yc\n" : ""));
    expect_kernels_agree(x, body);
    if (HasFailure()) return;
  }
}

TEST_F(Agreement, Gru) {
  for (int round = 0; round < 40; ++round) {
    int64_t steps = pick(1, 5), batch = pick(1, 6), inputs = pick(1, 9), hidden = pick(1, 11);
    bool both = coin();
    int64_t d = both ? 2 : 1;
    Dims state{d, batch, hidden};
    bool has_bias = coin(), has_h = coin();
    std::string body = constant("w", {d, 3 * hidden, inputs});
    append(body, constant("r", {d, 3 * hidden, hidden}));
    append(body, constant("b", {d, 6 * hidden}));
    append(body, constant("h", state));
    append(body,
           cat("%y: ", text_of(DType::Float32, Dims{steps, d, batch, hidden}),
               ", %yh: ", text_of(DType::Float32, state), " = GRU(%x, %w, %r, ", has_bias ? "%b" : "_",
               ", _, ", has_h ? "%h" : "_", ") {hidden_size = ", hidden, ", direction = \"",
               both     ? "bidirectional"
               : coin() ? "forward"
                        : "reverse",
               "\", linear_before_reset = ", coin() ? 1 : 0, "}\noutput \"y\" = %y\noutput \"yh\" = %yh\n"));
    expect_kernels_agree({steps, batch, inputs}, body);
    if (HasFailure()) return;
  }
}

TEST_F(Agreement, Pad) {
  for (int round = 0; round < 60; ++round) {
    Dims x{pick(1, 3), pick(1, 5), pick(2, 6), pick(2, 7)};
    std::string mode = std::vector<std::string>{"constant", "reflect", "edge", "wrap"}[rng_.below(4)];
    int64_t most = mode == "wrap" ? 2 : 1;
    int64_t pads[8] = {};
    for (size_t axis : {2, 3}) {
      pads[axis] = pick(0, most);
      pads[axis + 4] = pick(0, most);
    }
    Dims y = x;
    for (size_t axis = 0; axis < 4; ++axis) y[axis] += pads[axis] + pads[axis + 4];
    std::string body = cat(
        "const %p: i64[8] = ", list({pads[0], pads[1], pads[2], pads[3], pads[4], pads[5], pads[6], pads[7]}),
        "\n");
    // Half of the time channels last, as a pool leaves it.
    bool last = coin();
    if (last)
      append(body, cat("%m: ", text_of(DType::Float32, x), " = MaxPool(%x) {kernel_shape = [1,1]}\n"));
    append(body, cat("%y: ", text_of(DType::Float32, y), " = Pad(", last ? "%m" : "%x", ", %p) {mode = \"",
                     mode, "\"}\noutput \"y\" = %y\n"));
    expect_kernels_agree(x, body);
    if (HasFailure()) return;
  }
}

TEST_F(Agreement, Tile) {
  for (int round = 0; round < 40; ++round) {
    Dims x{pick(1, 3), pick(1, 4), pick(1, 5)};
    int64_t repeats[] = {pick(1, 3), pick(1, 3), pick(1, 3)};
    Dims y{x[0] * repeats[0], x[1] * repeats[1], x[2] * repeats[2]};
    expect_kernels_agree(x, cat("const %r: i64[3] = ", list({repeats[0], repeats[1], repeats[2]}), "\n%y: ",
                                text_of(DType::Float32, y), " = Tile(%x, %r)\noutput \"y\" = %y\n"));
    if (HasFailure()) return;
  }
}

TEST_F(Agreement, InstanceNormalization) {
  for (int round = 0; round < 40; ++round) {
    Dims x{pick(1, 3), pick(1, 5), pick(2, 9), pick(1, 7)};
    std::string body = constant("s", {x[1]});
    append(body, constant("b", {x[1]}));
    append(body, cat("%y: ", text_of(DType::Float32, x),
                     " = InstanceNormalization(%x, %s, %b)\noutput \"y\" = %y\n"));
    expect_kernels_agree(x, body);
    if (HasFailure()) return;
  }
}

// Chains and diamonds of elementwise operators, some channels last: results may overwrite operands.
TEST_F(Agreement, ElementwiseGraphs) {
  for (int round = 0; round < 100; ++round) {
    Dims x{pick(1, 2), pick(1, 5), pick(1, 4), pick(1, 5)};
    std::string type = text_of(DType::Float32, x);
    std::string body = constant("k", {x[1], 1, 1});
    append(body, cat("%v0: ", type, coin() ? " = Abs(%x)\n" : " = MaxPool(%x) {kernel_shape = [1,1]}\n"));
    int64_t count = pick(2, 9);
    for (int64_t i = 1; i <= count; ++i) {
      auto any = [&] { return cat("%v", pick(std::max<int64_t>(0, i - 3), i - 1)); };
      append(body, cat("%v", i, ": ", type, " = "));
      switch (rng_.below(6)) {
        case 0:
          append(body, cat("Sigmoid(", any(), ")\n"));
          break;
        case 1:
          append(body, cat("Softmax(", any(), ") {axis = 3}\n"));
          break;
        case 2:
          append(body, cat("Add(", any(), ", %k)\n"));
          break;
        case 3:
          append(body, cat("MaxPool(", any(), ") {kernel_shape = [1,1]}\n"));
          break;
        default:
          append(body, cat(coin() ? "Mul(" : "Sub(", any(), ", ", any(), ")\n"));
          break;
      }
    }
    append(body, cat("output \"last\" = %v", count, "\noutput \"other\" = %v", pick(0, count - 1), "\n"));
    expect_kernels_agree(x, body);
    if (HasFailure()) return;
  }
}

// Products and convolutions of all kinds with functions of elements behind them, over operands of several
// shapes.
TEST_F(Agreement, Products) {
  for (int round = 0; round < 300; ++round) {
    bool is_conv = coin();
    int64_t n = pick(1, 2), group = is_conv && coin() ? pick(1, 3) : 1, c = group * pick(1, 11 / group);
    int64_t h = pick(1, 5), w = pick(1, 5);
    Dims x = is_conv ? Dims{n, c, h, w} : coin() ? Dims{h, c} : Dims{n, h, c};
    int64_t features = coin() ? c : group * pick(1, 18 / group);
    Dims y = x;
    (is_conv ? y[1] : y.back()) = features;
    Windows windows = is_conv ? random_windows({h, w}) : Windows{};
    if (is_conv) std::ranges::copy(windows.counts, y.begin() + 2);
    std::string type = text_of(DType::Float32, y);
    Dims filter = {features, c / group};
    filter.insert(filter.end(), windows.kernel.begin(), windows.kernel.end());
    std::string conv = cat(" = Conv(%x, %w) {group = ", group, ", ", windows.attributes, "}\n");
    std::string body = constant("w", is_conv ? filter : Dims{c, features});
    append(body, cat("%m: ", type, is_conv ? conv : " = MatMul(%x, %w)\n"));
    append(body, random_functions(x, y, is_conv ? 1 : y.size() - 1));
    expect_kernels_agree(x, body);
    if (HasFailure()) return;
  }
  EXPECT_LT(steps_[1], steps_[0] * 2 / 3);
}

// Filters of a channel each, with and without a bias, over images of one and two axes that can be smaller
// than the filter.
TEST_F(Agreement, Depthwise) {
  for (int round = 0; round < 300; ++round) {
    int64_t n = pick(1, 2), c = pick(2, 11);
    Dims extents(static_cast<size_t>(pick(1, 2)));
    for (int64_t& extent : extents) extent = pick(1, 12);
    Windows windows = random_windows(extents, 7);
    Dims x = {n, c}, y = {n, c}, filter = {c, 1};
    x.insert(x.end(), extents.begin(), extents.end());
    y.insert(y.end(), windows.counts.begin(), windows.counts.end());
    filter.insert(filter.end(), windows.kernel.begin(), windows.kernel.end());
    std::string body = cat(constant("w", filter), constant("b", {c}));
    append(body, cat("%m: ", text_of(DType::Float32, y), " = Conv(%x, %w", coin() ? ", %b" : "",
                     ") {group = ", c, ", ", windows.attributes, "}\n"));
    append(body, random_functions(x, y, 1));
    expect_kernels_agree(x, body);
    if (HasFailure()) return;
  }
  EXPECT_LT(steps_[1], steps_[0] * 2 / 3);
}

// By tiles of both sizes, in one block and in several, with what winograd_out does itself behind them and
// with more; over a part of a value, and made as a part of one.
TEST_F(Agreement, Winograd) {
  tolerance_ = 3e-5;
  for (int round = 0; round < 10; ++round) {
    int64_t n = pick(1, 2), c = 4 * pick(7, 8), features = 4 * pick(7, 8), h = pick(5, 9), w = pick(5, 9);
    if (round == 0) n = 2, h = w = 19;  // more tiles than there are in a block
    int64_t top = pick(0, 2), left = pick(0, 2), bottom = pick(0, 2), right = pick(0, 2);
    if (coin()) features = c, top = left = bottom = right = 1;  // x may be what is added
    Dims y{n, features, h + top + bottom - 2, w + left + right - 2};
    const bool is_part = coin(), keeps_dims = y == Dims{n, c, h, w};
    std::string type = text_of(DType::Float32, y);
    std::string body = constant("w", {features, c, 3, 3});
    append(body, constant("b", {features}));
    append(body, constant("full", y));
    append(body, constant("column", {features, 1, 1}));
    append(body, constant("v", {5, features, 1, 1}));
    // What else the model has decides whether there is room for large tiles.
    if (coin()) append(body, constant("more", {features, c, 27}));
    append(body, cat("const %parts: i64[2] = ", list({c, 3}), "\n"));
    append(body, cat("%p: ", text_of(DType::Float32, Dims{n, c, h, w}), ", %q: ",
                     text_of(DType::Float32, Dims{n, 3, h, w}), " = Split(%x, %parts) {axis = 1}\n"));
    append(body, cat("%s: ", type, " = Conv(", is_part ? "%p" : "%x", ", %w, ", coin() ? "%b" : "_",
                     ") {pads = [", top, ",", left, ",", bottom, ",", right, "]}\n"));
    append(body, cat("%e: ", type, " = MaxPool(%full) {kernel_shape = [1,1]}\n"));
    const std::string added = keeps_dims ? (is_part ? "%p" : "%x") : coin() ? "%full" : "%e";
    std::string last = "%s";
    for (const std::string& step : {cat(" = Add(", added, ", "), cat(" = Relu("), cat(" = Mul(%column, ")}) {
      if (coin()) continue;
      std::string next = last + "n";
      append(body, cat(next, ": ", type, step, last, ")\n"));
      last = next;
    }
    Dims beside = y, both = y;
    beside[1] = 5;
    both[1] += 5;
    append(body, cat("%o: ", text_of(DType::Float32, beside), " = Conv(", last, ", %v)\n"));
    append(body, cat("%both: ", text_of(DType::Float32, both), " = Concat(%o, ", last, ") {axis = 1}\n"));
    append(body, cat("output \"y\" = ", coin() ? last : "%both", "\n"));
    expect_kernels_agree({n, is_part ? c + 3 : c, h, w}, body);
    if (HasFailure()) return;
  }
}

// Views of what lies channels last, with and without the channels where they were.
TEST_F(Agreement, ViewsOfChannelsLast) {
  expect_kernels_agree({2, 6, 4, 5}, R"(
    const %two: i64[1] = [2]
    const %merged: i64[3] = [2,6,20]
    const %split: i64[5] = [2,2,3,4,5]
    %m: f32[2,6,4,5] = MaxPool(%x) {kernel_shape = [1,1]}
    %a: f32[2,6,20] = Reshape(%m, %merged)
    %b: f32[2,20,6] = Transpose(%a) {perm = [0,2,1]}
    %c: f32[2,2,3,4,5] = Reshape(%m, %split)
    %d: f32[2,3,2,4,5] = Transpose(%c) {perm = [0,2,1,3,4]}
    %e: f32[2,6,1,4,5] = Unsqueeze(%m, %two)
    %f: f32[2,6,1,4,5] = Relu(%e)
    output "b" = %b
    output "d" = %d
    output "f" = %f
  )");
}

}  // namespace
}  // namespace fuselane
