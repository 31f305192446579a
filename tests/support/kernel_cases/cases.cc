#include "tests/support/kernel_cases/cases.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/printer.h"
#include "loop/evaluate.h"

namespace fuselane {
namespace {

using loop::ConvTask;
using loop::DepthwiseTask;
using loop::MapTask;
using loop::MatMulTask;
using loop::ReduceTask;

bool one_in(Rng& rng, uint64_t count) { return rng.below(count) == 0; }

// Around multiples of vectors, panels and what is written out; `most` keeps the work small.
int64_t extent(Rng& rng, int64_t most) {
  constexpr int64_t kExtents[] = {0, 1, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 47, 67};
  int64_t extent = most + 1;
  while (extent > most) extent = kExtents[rng.below(std::size(kExtents))];
  return extent;
}

class Elements {
 public:
  Elements(Data data, Rng& rng) : data_(data), rng_(rng) {
    constexpr uint64_t kRarities[] = {4, 40, 400};
    rarity_ = kRarities[rng.below(std::size(kRarities))];
    while (specials_.size() < 1 + rng.below(3)) specials_.push_back(special());
  }

  float next() {
    if (data_ == Data::Integers) return static_cast<float>(rng_.below(7)) - 3;
    if (one_in(rng_, rarity_)) return specials_[rng_.below(specials_.size())];
    double magnitude = std::ldexp(1 + rng_.unit(), static_cast<int>(rng_.between(-6, 2)));
    return static_cast<float>(one_in(rng_, 2) ? -magnitude : magnitude);
  }

  std::vector<float> gaps(size_t count) { return std::vector<float>(count, kGap); }

 private:
  float special() {
    using Limits = std::numeric_limits<float>;
    const float kSpecials[] = {Limits::quiet_NaN(),
                               Limits::infinity(),
                               -Limits::infinity(),
                               0.0f,
                               -0.0f,
                               Limits::denorm_min(),
                               -1e-40f,
                               Limits::min(),
                               Limits::max(),
                               Limits::lowest(),
                               3e38f,
                               1e30f,
                               -1e20f,
                               88.5f,
                               -103.5f,
                               16777217.0f};
    return kSpecials[rng_.below(std::size(kSpecials))];
  }

  Data data_;
  Rng& rng_;
  uint64_t rarity_;
  std::vector<float> specials_;
};

void make(Case& c, const MatMulTask& task, Elements& elements, Rng& rng) {
  auto pad = [&](int64_t length) { return length + (one_in(rng, 2) ? 0 : rng.between(1, 5)); };
  int64_t batches = 1 + static_cast<int64_t>(rng.below(2));
  int64_t rows = task.one_row ? 1 : extent(rng, 17);
  int64_t depth = extent(rng, 33);
  int64_t whole = rng.between(0, 3);
  int64_t columns = whole * 8 + task.columns_tail;
  int64_t panels = whole + (task.columns_tail > 0 ? 1 : 0);
  int64_t a_row = pad(depth), a_batch = one_in(rng, 3) ? 0 : pad(rows * a_row);
  int64_t c_row = pad(columns), c_batch = pad(rows * c_row);
  int64_t w_batch = one_in(rng, 2) ? 0 : panels * 8 * (1 + depth);
  c.sizes = {{"batches", batches},    {"rows", rows},       {"depth", depth},
             {"whole_panels", whole}, {"a_batch", a_batch}, {"a_row", a_row},
             {"w_batch", w_batch},    {"c_batch", c_batch}, {"c_row", c_row}};
  auto span = [&](int64_t batch, int64_t row, int64_t length) {
    return rows * length == 0 ? 0 : static_cast<size_t>((batches - 1) * batch + (rows - 1) * row + length);
  };
  c.buffers = {elements.gaps(span(a_batch, a_row, depth)),
               elements.gaps(static_cast<size_t>((batches - 1) * w_batch + panels * 8 * (1 + depth)))};
  c.operands.resize(2 + task.strides.size());
  for (size_t x = 0; x < task.strides.size(); ++x) {
    // One that is the same for all columns may be read though there are none.
    int64_t length = task.strides[x] != 0 ? columns : 1;
    int64_t row = one_in(rng, 3) ? 0 : pad(length), batch = one_in(rng, 3) ? 0 : pad(rows * row);
    c.sizes[cat("x", x, "_batch")] = batch;
    c.sizes[cat("x", x, "_row")] = row;
    c.buffers.push_back(elements.gaps(span(batch, row, length)));
    for (int64_t at = 0; at < batches * rows * columns; ++at) {
      int64_t place =
          at / columns / rows * batch + at / columns % rows * row + at % columns * task.strides[x];
      c.operands[2 + x].push_back(static_cast<size_t>(place));
      float& element = c.buffers.back()[static_cast<size_t>(place)];
      if (std::bit_cast<uint32_t>(element) == kGapBits) element = elements.next();
    }
  }
  c.buffers.push_back(elements.gaps(span(c_batch, c_row, columns)));
  for (int64_t b = 0; b < batches; ++b) {
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t k = 0; k < depth; ++k)
        c.buffers[0][static_cast<size_t>(b * a_batch + i * a_row + k)] = elements.next();
      for (int64_t j = 0; j < columns; ++j)
        c.results.push_back(static_cast<size_t>(b * c_batch + i * c_row + j));
    }
    for (int64_t j = 0; j < columns; ++j) {
      for (int64_t k = 0; k <= depth; ++k)
        c.buffers[1][static_cast<size_t>(b * w_batch + j / 8 * 8 * (1 + depth) + k * 8 + j % 8)] =
            elements.next();
    }
  }
}

// Where a depthwise convolution's elements lie: a batch, a row, a column and a channel.
struct Strides {
  int64_t batch, row, column;
  size_t at(int64_t b, int64_t r, int64_t c, int64_t j) const {
    return static_cast<size_t>(b * batch + r * row + c * column + j);
  }
};

class DepthwiseCase {
 public:
  DepthwiseCase(Case& c, const DepthwiseTask& task, Elements& elements, Rng& rng)
      : c_(c), task_(task), elements_(elements), rng_(rng) {}

  void make() {
    filter_height_ = rng_.between(1, 4);
    blocks_ = rng_.between(0, 2);
    channels_ = 4 * blocks_ + task_.channels_tail;
    batches_ = rng_.between(1, 2);
    rows_ = one_in(rng_, 8) ? extent(rng_, 9) : rng_.between(1, 4);
    c_.sizes = {{"batches", batches_},
                {"rows", rows_},
                {"whole_blocks", blocks_},
                {"kernel_height", filter_height_},
                {"stride_height", rng_.between(1, 3)},
                {"dilation_height", rng_.between(1, 2)},
                {"pad_top", rng_.between(0, 4)},
                {"height", rng_.between(1, 9)}};
    task_.borders ? known_borders() : borders();
    c_.buffers.resize(2);
    c_.operands.resize(2);
    x();
    w();
    for (size_t x = 0; x < task_.strides.size(); ++x) operand(x);
    result();
  }

 private:
  void known_borders() {
    pad_ = task_.borders->left;
    const int64_t left = (pad_ + task_.stride - 1) / task_.stride;
    const int64_t right = (task_.borders->right + task_.stride - 1) / task_.stride;
    c_.sizes["inner_columns"] = extent(rng_, 17);
    columns_ = left + c_.sizes["inner_columns"] + right;
    width_ = (columns_ - 1) * task_.stride + reach() - pad_ - task_.borders->right;
  }

  void borders() {
    columns_ = extent(rng_, 17);
    c_.sizes["pad_left"] = pad_ = rng_.between(0, 6);
    c_.sizes["width"] = width_ = rng_.between(1, 40);
    auto is_inside = [&](int64_t column) {
      return column * task_.stride >= pad_ && column * task_.stride + reach() - pad_ <= width_;
    };
    int64_t left = 0, inner = 0;
    while (left < columns_ && !is_inside(left)) ++left;
    while (left + inner < columns_ && is_inside(left + inner)) ++inner;
    c_.sizes["left_columns"] = left;
    c_.sizes["inner_columns"] = inner;
    c_.sizes["right_columns"] = columns_ - left - inner;
  }

  int64_t reach() const { return (task_.width - 1) * task_.dilation + 1; }
  int64_t pad(int64_t length) { return length + (one_in(rng_, 2) ? 0 : rng_.between(1, 5)); }

  Strides strides(const std::string& name, int64_t rows, int64_t columns, int64_t channels, bool may_repeat) {
    auto stride = [&](int64_t length) { return may_repeat && one_in(rng_, 3) ? 0 : pad(length); };
    Strides result{};
    result.column = stride(channels);
    result.row = stride(columns * result.column);
    result.batch = stride(rows * result.row);
    c_.sizes[name + "_batch"] = result.batch;
    c_.sizes[name + "_row"] = result.row;
    c_.sizes[name + "_column"] = result.column;
    return result;
  }

  // The last row and column that a filter's rows and columns meet, and the last of the filter's rows that
  // meets one; -1 where there are none.
  void x() {
    Strides x = strides("x", c_.size("height"), width_, channels_, false);
    int64_t last_row = -1, last_column = -1;
    last_filter_row_ = -1;
    for (int64_t r = 0; r < rows_; ++r) {
      for (int64_t p = 0; p < filter_height_; ++p) {
        int64_t row = r * c_.size("stride_height") + p * c_.size("dilation_height") - c_.size("pad_top");
        if (row < 0 || row >= c_.size("height")) continue;
        last_row = std::max(last_row, row);
        last_filter_row_ = std::max(last_filter_row_, p);
      }
    }
    last_filter_column_ = -1;
    for (int64_t column = 0; column < columns_; ++column) {
      for (int64_t q = 0; q < task_.width; ++q) {
        int64_t at = column * task_.stride + q * task_.dilation - pad_;
        if (at < 0 || at >= width_) continue;
        last_column = std::max(last_column, at);
        last_filter_column_ = std::max(last_filter_column_, q);
      }
    }
    meets_ = last_row >= 0 && last_column >= 0;
    if (channels_ == 0 || !meets_) return;
    c_.buffers[0] = elements_.gaps(x.at(batches_ - 1, last_row, last_column, channels_ - 1) + 1);
    for (int64_t b = 0; b < batches_; ++b) {
      for (int64_t r = 0; r <= last_row; ++r) {
        for (int64_t column = 0; column <= last_column; ++column) {
          for (int64_t j = 0; j < channels_; ++j) c_.buffers[0][x.at(b, r, column, j)] = elements_.next();
        }
      }
    }
  }

  void w() {
    const int64_t blocks = blocks_ + (task_.channels_tail > 0 ? 1 : 0);
    const int64_t block = 4 * (1 + filter_height_ * task_.width);
    const int64_t batch = c_.sizes["w_batch"] = one_in(rng_, 2) ? 0 : blocks * block;
    if (channels_ == 0) return;
    int64_t last = meets_ ? 1 + last_filter_row_ * task_.width + last_filter_column_ : 0;
    auto size = (batches_ - 1) * batch + (blocks - 1) * block + 4 * (1 + last);
    c_.buffers[1] = elements_.gaps(static_cast<size_t>(size));
    for (int64_t b = 0; b < batches_; ++b) {
      for (int64_t j = 0; j < channels_; ++j) {
        for (int64_t k = 0; k < block / 4; ++k) {
          int64_t at = b * batch + j / 4 * block + 4 * k + j % 4;
          if (at < size) c_.buffers[1][static_cast<size_t>(at)] = elements_.next();
        }
      }
    }
  }

  size_t span(const Strides& strides, int64_t channels) const {
    bool is_empty = rows_ * columns_ * channels == 0;
    return is_empty ? 0 : strides.at(batches_ - 1, rows_ - 1, columns_ - 1, channels - 1) + 1;
  }

  template <class Visit>
  void each_result(Visit visit) const {
    for (int64_t b = 0; b < batches_; ++b) {
      for (int64_t r = 0; r < rows_; ++r) {
        for (int64_t column = 0; column < columns_; ++column) {
          for (int64_t j = 0; j < channels_; ++j) visit(b, r, column, j);
        }
      }
    }
  }

  void operand(size_t x) {
    const int64_t stride = task_.strides[x];
    Strides lie = strides(cat("x", x), rows_, columns_, stride == 0 ? 1 : channels_, true);
    // One that is the same for all channels is there without a channel, too.
    c_.buffers.push_back(elements_.gaps(span(lie, stride == 0 ? 1 : channels_)));
    if (channels_ == 0) std::ranges::fill(c_.buffers.back(), elements_.next());
    c_.operands.emplace_back();
    each_result([&](int64_t b, int64_t r, int64_t column, int64_t j) {
      size_t place = lie.at(b, r, column, j * stride);
      c_.operands.back().push_back(place);
      float& element = c_.buffers.back()[place];
      if (std::bit_cast<uint32_t>(element) == kGapBits) element = elements_.next();
    });
  }

  void result() {
    Strides y = strides("y", rows_, columns_, channels_, false);
    c_.buffers.push_back(elements_.gaps(span(y, channels_)));
    each_result([&](int64_t b, int64_t r, int64_t column, int64_t j) {
      c_.results.push_back(y.at(b, r, column, j));
    });
  }

  Case& c_;
  const DepthwiseTask& task_;
  Elements& elements_;
  Rng& rng_;
  int64_t batches_ = 0, rows_ = 0, columns_ = 0, blocks_ = 0, channels_ = 0;
  int64_t filter_height_ = 0, pad_ = 0, width_ = 0;
  int64_t last_filter_row_ = 0, last_filter_column_ = 0;
  bool meets_ = false;
};

void make(Case& c, const DepthwiseTask& task, Elements& elements, Rng& rng) {
  DepthwiseCase(c, task, elements, rng).make();
}

// Places in a tensor, the last index running fastest.
std::vector<size_t> places(const std::vector<int64_t>& extents, const std::vector<int64_t>& strides) {
  std::vector<size_t> places = {0};
  for (size_t d = 0; d < extents.size(); ++d) {
    std::vector<size_t> before;
    before.swap(places);
    for (size_t place : before) {
      for (int64_t i = 0; i < extents[d]; ++i) places.push_back(place + static_cast<size_t>(i * strides[d]));
    }
  }
  return places;
}

size_t length_of(const std::vector<size_t>& places) {
  return places.empty() ? 0 : *std::ranges::max_element(places) + 1;
}

// Windows over an image that is as large as they need, with gaps after the channels of a group, after pixels
// and after lines.
void make_windows(Case& c, Elements& elements, Rng& rng) {
  auto pad = [&](int64_t length) { return length + (one_in(rng, 2) ? 0 : rng.between(1, 3)); };
  int64_t batches = c.size("batches"), groups = c.size("groups"), depth = c.size("depth");
  int64_t lines = rng.between(0, 4), columns = rng.between(1, 7);
  auto reach = [&](int64_t windows, int64_t stride, int64_t taps, int64_t dilation) {
    return windows == 0 || taps == 0 ? 0 : (windows - 1) * stride + (taps - 1) * dilation + 1;
  };
  int64_t stride = rng.between(1, 2), dilation = rng.between(1, 2);
  int64_t height = reach(lines, stride, c.size("kernel_lines"), dilation);
  int64_t width = reach(columns, 3 - stride, c.size("kernel_columns"), dilation);
  int64_t a_group = pad(depth), pixel = pad(groups * a_group), line = pad(width * pixel);
  int64_t a_batch = one_in(rng, 3) ? 0 : pad(height * line);
  c.sizes.insert({{"rows", lines * columns},
                  {"columns", columns},
                  {"a_batch", a_batch},
                  {"a_group", a_group},
                  {"a_line", stride * line},
                  {"a_column", (3 - stride) * pixel},
                  {"a_kernel_line", dilation * line},
                  {"a_kernel_column", dilation * pixel}});
  std::vector<size_t> image =
      places({batches, height, width, groups, depth}, {a_batch, line, pixel, a_group, 1});
  c.buffers.push_back(elements.gaps(length_of(image)));
  for (size_t place : image) c.buffers.back()[place] = elements.next();
}

void make(Case& c, const ConvTask& task, Elements& elements, Rng& rng) {
  auto pad = [&](int64_t length) { return length + (one_in(rng, 2) ? 0 : rng.between(1, 3)); };
  int64_t batches = rng.between(1, 2), groups = rng.between(1, 3), whole = rng.between(0, 2);
  c.sizes = {{"batches", batches},
             {"groups", groups},
             {"kernel_lines", rng.between(0, 3)},
             {"kernel_columns", rng.between(1, 3)},
             {"depth", extent(rng, 9)},
             {"whole_panels", whole}};
  make_windows(c, elements, rng);
  int64_t rows = c.size("rows"), features = whole * 8 + task.columns_tail;
  int64_t panel = 8 * (1 + c.size("kernel_lines") * c.size("kernel_columns") * c.size("depth"));
  int64_t matrix = c.sizes["w_group"] = (features + 7) / 8 * panel;
  c.buffers.push_back(elements.gaps(static_cast<size_t>(groups * matrix)));
  for (size_t at = 0; at < c.buffers[1].size(); ++at) {
    int64_t column = static_cast<int64_t>(at) % matrix / panel * 8 + static_cast<int64_t>(at) % 8;
    c.buffers[1][at] = column < features ? elements.next() : 0;
  }
  // Operands have an element for each result, or for each column of each group, or a few.
  c.operands.resize(2 + task.strides.size());
  for (size_t x = 0; x < task.strides.size(); ++x) {
    int64_t group = one_in(rng, 3) ? 0 : pad(features), row = one_in(rng, 3) ? 0 : pad(groups * features);
    int64_t batch = one_in(rng, 3) ? 0 : pad(rows * row);
    std::string name = cat("x", x);
    c.sizes.insert({{name + "_batch", batch}, {name + "_group", group}, {name + "_row", row}});
    const std::vector<int64_t> strides = {batch, group, row, task.strides[x]};
    c.operands[2 + x] = places({batches, groups, rows, features}, strides);
    // One that is the same for all columns may be read though there are none.
    c.buffers.push_back(elements.gaps(
        length_of(places({batches, groups, rows, task.strides[x] != 0 ? features : 1}, strides))));
    for (size_t place : c.operands[2 + x]) {
      float& element = c.buffers.back()[place];
      if (std::bit_cast<uint32_t>(element) == kGapBits) element = elements.next();
    }
  }
  int64_t c_group = pad(features), c_row = pad(groups * c_group), c_batch = pad(rows * c_row);
  c.sizes.insert({{"c_group", c_group}, {"c_row", c_row}, {"c_batch", c_batch}});
  c.results = places({batches, groups, rows, features}, {c_batch, c_group, c_row, 1});
  c.buffers.push_back(elements.gaps(length_of(c.results)));
}

// A tensor of a map.
struct Layout {
  std::vector<size_t> at_points;  // where its element is at each point of the loops
  std::vector<size_t> elements;   // where it has one: also where a loop along which it is the same is empty
  size_t size() const { return length_of(elements); }
};

// Dimensions lie in any order, with gaps; one of an operand may be left out. Adds strides to the sizes.
Layout lay_out(Case& c, const std::string& name, std::vector<int64_t> extents, int64_t inner, bool is_result,
               Rng& rng) {
  size_t outer = extents.size() - 1;
  std::vector<size_t> order(outer);
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = outer; i-- > 1;) std::swap(order[i], order[rng.below(i + 1)]);
  std::vector<int64_t> strides(outer, 0);
  int64_t next = inner == 0 ? 1 : std::max<int64_t>(extents.back(), 1);
  for (size_t d : order) {
    if (!is_result && one_in(rng, 4)) continue;
    strides[d] = next + (one_in(rng, 2) ? 0 : rng.between(1, 3));
    next = strides[d] * std::max<int64_t>(extents[d], 1);
  }
  for (size_t d = 0; d < outer; ++d) c.sizes[cat(name, "_", d)] = strides[d];
  strides.push_back(inner);
  std::vector<size_t> at_points = places(extents, strides);
  for (size_t d = 0; d <= outer; ++d) extents[d] = strides[d] == 0 ? 1 : extents[d];
  return {std::move(at_points), places(extents, strides)};
}

void make(Case& c, const MapTask& task, Elements& elements, Rng& rng) {
  constexpr int64_t kMostOuter[] = {0, 17, 7, 5, 4};
  std::vector<int64_t> extents;
  for (int d = 0; d < task.outer; ++d)
    extents.push_back(c.sizes[cat("n", d)] = extent(rng, kMostOuter[std::min<int>(task.outer, 4)]));
  extents.push_back(c.sizes["n"] = extent(rng, task.outer < 2 ? 67 : 17));
  for (size_t x = 0; x < task.strides.size(); ++x) {
    Layout layout = lay_out(c, cat("x", x), extents, task.strides[x], false, rng);
    c.buffers.push_back(elements.gaps(layout.size()));
    for (size_t place : layout.elements) c.buffers.back()[place] = elements.next();
    c.operands.push_back(std::move(layout.at_points));
  }
  Layout layout = lay_out(c, "y", extents, 1, true, rng);
  c.buffers.push_back(elements.gaps(layout.size()));
  c.results = std::move(layout.at_points);
}

void make(Case& c, const ReduceTask& task, Elements& elements, Rng& rng) {
  int64_t outer = extent(rng, 9);
  int64_t reduced = extent(rng, 67);
  int64_t inner = task.contiguous ? 1 : extent(rng, 33);
  c.sizes = {{"outer", outer}, {"reduced", reduced}, {"inner", inner}};
  c.buffers = {elements.gaps(static_cast<size_t>(outer * reduced * inner)),
               elements.gaps(static_cast<size_t>(outer * inner))};
  for (float& element : c.buffers[0]) element = elements.next();
  for (size_t i = 0; i < c.buffers[1].size(); ++i) c.results.push_back(i);
}

}  // namespace

std::vector<int64_t> Case::sizes_for(const loop::Kernel& kernel, Rng& rng) {
  std::vector<int64_t> values;
  for (loop::SymbolId size : loop::sizes_of(kernel)) {
    auto at = sizes.find(kernel[size].name);
    if (at == sizes.end()) at = sizes.emplace(kernel[size].name, rng.between(1, 20)).first;
    values.push_back(at->second);
  }
  return values;
}

std::string Case::text() const {
  std::string out;
  for (const auto& [name, value] : sizes) append(out, cat(out.empty() ? "" : ", ", name, " ", value));
  return out;
}

Case random_case(const loop::Task& task, Data data, Rng& rng) {
  Case c;
  Elements elements(data, rng);
  std::visit([&](const auto& family) { make(c, family, elements, rng); }, task);
  return c;
}

}  // namespace fuselane
