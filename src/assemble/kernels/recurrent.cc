// LSTM and GRU with constant weights and the usual activations: for each direction a product of all steps'
// inputs, then the cells step by step. The states are updated where the node's last states lie.
#include "library/recurrent.h"

#include <cstddef>

#include "assemble/kernels/packed_matrix.h"
#include "assemble/kernels/planners.h"

namespace fuselane {
namespace {

constexpr size_t kX = 0, kInputWeights = 1, kStateWeights = 2, kBias = 3, kLengths = 4, kInitialH = 5,
                 kInitialC = 6, kPeepholes = 7;

struct Shape {
  uint32_t steps, batch, inputs, hidden, gates, directions;
  bool batch_first;
  bool first_is_reverse;

  uint32_t width() const { return gates * hidden; }
  uint32_t state() const { return batch * hidden; }
};

bool has_usual_activations(const Node& node, std::initializer_list<std::string_view> usual,
                           uint32_t directions) {
  auto names = node.texts(Attr::Activations);
  if (names.empty()) return true;
  if (names.size() != usual.size() * directions) return false;
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] != usual.begin()[i % usual.size()]) return false;
  }
  return true;
}

bool is_float_constant(const Site& site, size_t input) {
  return site.dtype(input) == DType::Float32 && site.constant(input);
}

std::optional<Shape> shape_of(const Site& site, uint32_t gates,
                              std::initializer_list<std::string_view> activations) {
  const Node& node = site.node();
  const Dims& x = site.dims(kX);
  const Dims& r = site.dims(kStateWeights);
  if (site.dtype(kX) != DType::Float32 || !fits32(x) || element_count(x) == 0) return std::nullopt;
  if (!is_float_constant(site, kInputWeights) || !is_float_constant(site, kStateWeights)) return std::nullopt;
  if (!fits32(site.dims(kInputWeights)) || !fits32(r)) return std::nullopt;
  if (site.has(kBias) && !is_float_constant(site, kBias)) return std::nullopt;
  if (site.has(kLengths) || site.has(kPeepholes) || node.number(Attr::Clip) != 0) return std::nullopt;
  bool batch_first = node.integer(Attr::Layout) == 1;
  auto u = [](int64_t extent) { return static_cast<uint32_t>(extent); };
  Shape shape{.steps = u(x[batch_first ? 1 : 0]),
              .batch = u(x[batch_first ? 0 : 1]),
              .inputs = u(x[2]),
              .hidden = u(r[2]),
              .gates = gates,
              .directions = u(r[0]),
              .batch_first = batch_first,
              .first_is_reverse = node.text(Attr::Direction) == "reverse"};
  // Then the states of one direction would lie apart.
  if (batch_first && shape.directions > 1) return std::nullopt;
  if (!has_usual_activations(node, activations, shape.directions)) return std::nullopt;
  if (!fits32(int64_t{shape.steps} * shape.batch * shape.directions * shape.width())) return std::nullopt;
  return shape;
}

// Rows of one direction's weights as a packed matrix, with their share of the biases.
struct Rows {
  size_t weights;
  uint32_t depth;
  uint32_t first;
  uint32_t count;
};

Result<BufferId> pack_rows(Site& site, const Shape& shape, uint32_t direction, const Rows& rows) {
  ConstantMatrix matrix{.input = rows.weights,
                        .first = (uint64_t{direction} * shape.width() + rows.first) * rows.depth,
                        .columns = rows.count,
                        .depth = rows.depth,
                        .transposed = true};
  if (site.has(kBias)) {
    matrix.bias = kBias;
    uint64_t half = rows.weights == kInputWeights ? 0 : 1;
    matrix.bias_first = (direction * 2 + half) * uint64_t{shape.width()} + rows.first;
  }
  return pack_constant(site, matrix);
}

// [steps][batch], or batch first: x W^T and the bias of W.
std::optional<GeneratedCall> prepare_gates(const Site& site, const Shape& shape) {
  const uint32_t rows = shape.steps * shape.batch;
  return prepare_sums(site,
                      {.rows = rows,
                       .columns = shape.width(),
                       .depth = shape.inputs,
                       .a = dense_matrices(rows, shape.inputs)},
                      dense_matrices(rows, shape.width()));
}

Result<BufferId> plan_gates(Site& site, const GeneratedCall& product, const Shape& shape,
                            uint32_t direction) {
  BufferId packed = TRY(pack_rows(site, shape, direction, {kInputWeights, shape.inputs, 0, shape.width()}));
  BufferId gates = site.scratch(uint64_t{shape.steps} * shape.batch * shape.width() * sizeof(float));
  call_generated(site, product, {site.input(kX), packed, gates}, 1);
  return gates;
}

Sequence sequence_of(const Shape& shape, uint32_t direction) {
  Sequence s{.steps = shape.steps,
             .batch = shape.batch,
             .hidden = shape.hidden,
             .gates_step = shape.batch * shape.width(),
             .gates_batch = shape.width(),
             .y_step = shape.directions * shape.state(),
             .y_batch = shape.hidden,
             .reverse = shape.first_is_reverse || direction == 1};
  if (shape.batch_first) {
    s.gates_step = shape.width();
    s.gates_batch = shape.steps * shape.width();
    s.y_step = shape.hidden;
    s.y_batch = shape.steps * shape.hidden;
  }
  return s;
}

// A state of all directions that begins as operand `initial`, or zero, and ends as the result.
BufferId plan_state(Site& site, const Shape& shape, size_t initial, size_t result) {
  uint32_t count = shape.directions * shape.state();
  BufferId from = site.has(initial) ? site.input(initial) : BufferId();
  BufferId state = site.wants(result) ? site.output(result) : site.scratch(uint64_t{count} * sizeof(float));
  if (from) {
    copy_all(site, from, state, count);
  } else {
    zero_all(site, state, count);
  }
  return state;
}

// What both kernels have in common.
struct Cells {
  BufferId gates, scratch, h, y;
  Sequence sequence;
  uint64_t state_offset;
  uint64_t y_offset;

  template <class Args>
  std::vector<Slot> slots() const {
    std::vector<Slot> slots = {{offsetof(Args, gates), gates},
                               {offsetof(Args, scratch), scratch},
                               {offsetof(Args, h), h, state_offset}};
    if (y) slots.push_back({offsetof(Args, y), y, y_offset});
    return slots;
  }
  std::vector<BufferId> writes() const {
    return y ? std::vector<BufferId>{scratch, h, y} : std::vector<BufferId>{scratch, h};
  }
};

Result<Cells> plan_cells(Site& site, const GeneratedCall& product, const Shape& shape, uint32_t direction,
                         BufferId h, BufferId y) {
  Cells cells{.gates = TRY(plan_gates(site, product, shape, direction)),
              .scratch = site.scratch(uint64_t{shape.batch} * 4 * shape.hidden * sizeof(float)),
              .h = h,
              .y = y,
              .sequence = sequence_of(shape, direction),
              .state_offset = uint64_t{direction} * shape.state() * sizeof(float),
              .y_offset = uint64_t{direction} * shape.state() * sizeof(float)};
  return cells;
}

}  // namespace

Result<bool> plan_lstm(Site& site) {
  auto shape = shape_of(site, 4, {"Sigmoid", "Tanh", "Tanh"});
  if (!shape || site.node().flag(Attr::InputForget)) return false;
  auto product = prepare_gates(site, *shape);
  if (!product) return false;
  BufferId h = plan_state(site, *shape, kInitialH, 1);
  BufferId c = plan_state(site, *shape, kInitialC, 2);
  BufferId y = site.wants(0) ? site.output(0) : BufferId();
  for (uint32_t direction = 0; direction < shape->directions; ++direction) {
    Cells cells = TRY(plan_cells(site, *product, *shape, direction, h, y));
    BufferId packed =
        TRY(pack_rows(site, *shape, direction, {kStateWeights, shape->hidden, 0, shape->width()}));
    std::vector<Slot> slots = cells.slots<LstmArgs>();
    slots.push_back({offsetof(LstmArgs, packed), packed});
    slots.push_back({offsetof(LstmArgs, c), c, cells.state_offset});
    std::vector<BufferId> writes = cells.writes();
    writes.push_back(c);
    site.call(row(KernelId::Lstm), LstmArgs{.sequence = cells.sequence}, slots, {cells.gates, packed},
              std::move(writes), sequence_extent(cells.sequence), 1);
  }
  return true;
}

Result<bool> plan_gru(Site& site) {
  auto shape = shape_of(site, 3, {"Sigmoid", "Tanh"});
  if (!shape) return false;
  auto product = prepare_gates(site, *shape);
  if (!product) return false;
  uint32_t hidden = shape->hidden;
  BufferId h = plan_state(site, *shape, kInitialH, 1);
  BufferId y = site.wants(0) ? site.output(0) : BufferId();
  for (uint32_t direction = 0; direction < shape->directions; ++direction) {
    Cells cells = TRY(plan_cells(site, *product, *shape, direction, h, y));
    BufferId zr = TRY(pack_rows(site, *shape, direction, {kStateWeights, hidden, 0, 2 * hidden}));
    BufferId candidate = TRY(pack_rows(site, *shape, direction, {kStateWeights, hidden, 2 * hidden, hidden}));
    std::vector<Slot> slots = cells.slots<GruArgs>();
    slots.push_back({offsetof(GruArgs, packed_zr), zr});
    slots.push_back({offsetof(GruArgs, packed_candidate), candidate});
    GruArgs args{.sequence = cells.sequence, .reset_after = site.node().flag(Attr::LinearBeforeReset)};
    site.call(row(KernelId::Gru), args, slots, {cells.gates, zr, candidate}, cells.writes(),
              sequence_extent(cells.sequence), 1);
  }
  return true;
}

}  // namespace fuselane
