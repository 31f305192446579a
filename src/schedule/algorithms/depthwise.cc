// A filter for each channel: around all, loops b and r over the rows of y; in them a nest for the columns
// whose windows begin before x, one for those that lie inside of it, and one for those that end behind it.
// Each has loops c and j over columns and channels, and p and q, which sum up over the rows and the columns
// of the filter that are there.
#include "base/printer.h"
#include "schedule/families.h"

namespace fuselane {

using namespace loop;

namespace {

// Channels that are packed together (library/conv.h).
constexpr int64_t kBlock = 4;

int64_t ceil_of(int64_t x, int64_t by) { return (x + by - 1) / by; }

// The part of a filter that is there: from `first` on, as many as `count`.
struct Part {
  Index first, count;
};

// The variables of a nest's loops.
struct Variables {
  SymbolId c, j, p, q;
};

class Depthwise {
 public:
  explicit Depthwise(const DepthwiseTask& task) : task_(task) {}

  Kernel made() {
    kernel_.name = "depthwise";
    sizes();
    buffers();
    b_ = kernel_.variable("b");
    r_ = kernel_.variable("r");
    kernel_.outer = {{.symbol = b_, .extent = batches_}, {.symbol = r_, .extent = rows_}};
    const std::optional<Borders>& known = task_.borders;
    if (!known || known->left > 0) left_ = variables("l", known ? left_columns_.constant() : 0);
    inner_ = variables("", 0);
    if (!known || known->right > 0) right_ = variables("r", known ? ceil_of(known->right, task_.stride) : 0);
    down_ = part(r_, kernel_height_, stride_height_, dilation_height_, pad_top_, height_);
    known ? known_borders(*known) : borders();
    return std::move(kernel_);
  }

 private:
  using Borders = DepthwiseTask::Borders;

  // `columns` is 0 where their number is not known.
  Variables variables(const char* suffix, int64_t columns) {
    Variables made;
    made.c = kernel_.variable(cat("c", suffix), columns);
    made.j = kernel_.variable(cat("j", suffix));
    made.p = kernel_.variable(cat("p", suffix));
    made.q = kernel_.variable(cat("q", suffix), task_.width);
    return made;
  }

  void sizes() {
    batches_ = kernel_.size("batches");
    rows_ = kernel_.size("rows");
    inner_columns_ = kernel_.size("inner_columns");
    whole_blocks_ = kernel_.size("whole_blocks");
    kernel_height_ = kernel_.size("kernel_height");
    stride_height_ = kernel_.size("stride_height");
    dilation_height_ = kernel_.size("dilation_height");
    pad_top_ = kernel_.size("pad_top");
    height_ = kernel_.size("height");
    if (task_.borders) {
      left_columns_ = ceil_of(task_.borders->left, task_.stride);
      pad_left_ = task_.borders->left;
      return;
    }
    left_columns_ = kernel_.size("left_columns");
    right_columns_ = kernel_.size("right_columns");
    pad_left_ = kernel_.size("pad_left");
    width_ = kernel_.size("width");
  }

  // Strides are arguments in the order of the buffers.
  BufferId image(const std::string& name, bool has_channels, bool written) {
    Buffer description;
    description.name = name;
    description.written = written;
    for (const char* stride : {"_batch", "_row", "_column"})
      description.strides.push_back(kernel_.size(cat(name, stride)));
    if (has_channels) description.strides.push_back(1);
    return kernel_.buffer(std::move(description));
  }

  void buffers() {
    x_ = image("x", true, false);
    Buffer weights;
    weights.name = "w";
    weights.strides = {kernel_.size("w_batch"), Index(kBlock) * (Index(task_.width) * kernel_height_ + 1),
                       kBlock, 1};
    weights.padded = kBlock;
    w_ = kernel_.buffer(std::move(weights));
    for (size_t x = 0; x < task_.strides.size(); ++x)
      operands_.push_back(image(cat("x", x), task_.strides[x] != 0, false));
    y_ = image("y", true, true);
  }

  // Of a filter's rows or columns those that meet x, whose extent is `length`, at place `at` of y.
  Part part(const Index& at, const Index& extent, const Index& stride, const Index& dilation,
            const Index& pad, const Index& length) {
    auto before = [&](const Index& end) {
      Index left = end - kernel_.minimum(end, at * stride);
      return kernel_.minimum(extent, kernel_.quotient(left + dilation - 1, dilation));
    };
    Index first = before(pad);
    return {first, before(pad + length) - first};
  }

  void known_borders(const Borders& borders) {
    const int64_t left = left_columns_.constant(), right = ceil_of(borders.right, task_.stride);
    const Index all = task_.width;
    // What lies beyond x in one column is a stride less in the next.
    auto missing = [&](const Index& beyond) {
      return kernel_.quotient(beyond + Index(task_.dilation - 1), task_.dilation);
    };
    if (left > 0) {
      Index first = missing(Index(borders.left) - Index(task_.stride) * left_.c);
      nest("left", left_, left, left_.c, {first, all - first});
    }
    inner();
    if (right > 0) {
      Index beyond = Index(borders.right) - Index(task_.stride) * (Index(right - 1) - right_.c);
      nest("right", right_, right, left_columns_ + inner_columns_ + right_.c, {0, all - missing(beyond)});
    }
  }

  void borders() {
    auto across = [&](const Index& column) {
      return part(column, task_.width, task_.stride, task_.dilation, pad_left_, width_);
    };
    nest("left", left_, left_columns_, left_.c, across(left_.c));
    inner();
    Index column = left_columns_ + inner_columns_ + right_.c;
    nest("right", right_, right_columns_, column, across(column));
  }

  void inner() { nest("inner", inner_, inner_columns_, left_columns_ + inner_.c, {0, Index(task_.width)}); }

  // So many columns of y, which `column` says; their windows have the columns `across` of the filter.
  void nest(const char* name, const Variables& loops, const Index& columns, const Index& column,
            const Part& across) {
    const auto [c, j, p, q] = loops;
    Nest nest;
    nest.name = name;
    nest.loops = {{.symbol = c, .extent = columns},
                  {.symbol = j, .extent = Index(kBlock) * whole_blocks_ + Index(task_.channels_tail)},
                  {.symbol = p, .kind = LoopKind::Reduce, .extent = down_.count},
                  {.symbol = q, .kind = LoopKind::Reduce, .extent = across.count}};
    Index block = kernel_.quotient(j, kBlock), lane = kernel_.remainder(j, kBlock);
    Index down = down_.first + p, along = across.first + q;
    nest.init = kernel_.load(w_, {b_, block, 0, lane});
    ValueId x =
        kernel_.load(x_, {b_, stride_height_ * r_ + dilation_height_ * down - pad_top_,
                          Index(task_.stride) * column + Index(task_.dilation) * along - pad_left_, j});
    ValueId w = kernel_.load(w_, {b_, block, Index(task_.width) * down + along + 1, lane});
    nest.term = kernel_.apply(Operation::Mul, x, w);
    std::vector<ValueId> values = {kernel_.result()};
    for (size_t i = 0; i < operands_.size(); ++i) {
      std::vector<Index> place = {b_, r_, column};
      if (task_.strides[i] != 0) place.push_back(j);
      values.push_back(kernel_.load(operands_[i], std::move(place)));
    }
    nest.stores.push_back({y_, {b_, r_, column, j}, apply_steps(kernel_, task_.finish, std::move(values))});
    kernel_.nests.push_back(std::move(nest));
  }

  const DepthwiseTask& task_;
  Kernel kernel_;
  Index batches_, rows_, inner_columns_, whole_blocks_, kernel_height_, stride_height_, dilation_height_,
      pad_top_, height_, left_columns_, right_columns_, pad_left_, width_;
  BufferId x_, w_, y_;
  std::vector<BufferId> operands_;
  SymbolId b_, r_;
  Variables left_, inner_, right_;
  Part down_;  // of the filter's rows, in row r
};

}  // namespace

Kernel plain_depthwise(const DepthwiseTask& task) { return Depthwise(task).made(); }

}  // namespace fuselane
