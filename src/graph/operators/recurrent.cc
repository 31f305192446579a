#include "graph/operators/recurrent.h"

#include <algorithm>

#include "base/checked.h"
#include "graph/operators/widen.h"

namespace fuselane {
namespace {

constexpr size_t kBias = 3, kLengths = 4, kInitialH = 5, kInitialC = 6;

Result<SequenceDirection> direction_of(std::string_view text) {
  if (text == "forward") return SequenceDirection::Forward;
  if (text == "reverse") return SequenceDirection::Reverse;
  if (text == "bidirectional") return SequenceDirection::Bidirectional;
  return fail(ErrorCode::InvalidModel,
              cat("attribute 'direction' must be forward, reverse or bidirectional, not '", text, "'"));
}

Dim extent_of(const Inference& i, size_t operand, size_t axis) {
  return i.dims(operand) ? (*i.dims(operand))[axis] : Dim();
}

Dim batch_of(const Inference& i, bool batch_first) { return extent_of(i, 0, batch_first ? 0 : 1); }

}  // namespace

Result<RecurrentAttributes> recurrent_attributes(const Node& node) {
  RecurrentAttributes attributes;
  attributes.direction = TRY(direction_of(node.text(Attr::Direction)));
  attributes.hidden = node.integer(Attr::HiddenSize);
  attributes.clip = node.number(Attr::Clip);
  int64_t layout = node.integer(Attr::Layout);
  attributes.batch_first = layout == 1;
  if (layout != 0 && layout != 1) {
    return fail(ErrorCode::InvalidModel, cat("attribute 'layout' must be 0 or 1, not ", layout));
  }
  // The bound keeps the products with gates and directions inside int64.
  if (attributes.hidden < 1 || attributes.hidden >= int64_t{1} << 56) {
    return fail(ErrorCode::InvalidModel, cat("attribute 'hidden_size' cannot be ", attributes.hidden));
  }
  if (!(attributes.clip >= 0)) {
    return fail(ErrorCode::InvalidModel, cat("attribute 'clip' must be at least 0, not ", attributes.clip));
  }
  return attributes;
}

Status require_extents(const Inference& i, size_t operand, const DimVector& expected) {
  const DimVector* dims = i.dims(operand);
  for (size_t axis = 0; dims && axis < expected.size(); ++axis) {
    const Dim& dim = (*dims)[axis];
    if (!dim.known() || !expected[axis].known() || dim == expected[axis]) continue;
    return i.refuse(cat("input ", operand, " must have extent ", expected[axis].extent, " at axis ", axis,
                        ", not ", dim.extent));
  }
  return {};
}

DimVector state_extents(const Inference& i, const RecurrentAttributes& attributes) {
  Dim batch = batch_of(i, attributes.batch_first);
  if (attributes.batch_first) return {batch, attributes.directions(), attributes.hidden};
  return {attributes.directions(), batch, attributes.hidden};
}

Status shape_of_recurrent(Inference& i, int64_t gates) {
  RecurrentAttributes attributes = TRY(recurrent_attributes(i.node));
  for (size_t operand = 0; operand < i.inputs.size(); ++operand) {
    if (operand == kLengths) {
      TRY(i.require_integers(operand));
    } else {
      TRY(i.require_float(operand));
      TRY(i.require_same_dtype(0, operand));
    }
  }
  for (size_t operand : {0, 1, 2}) TRY(i.require_rank(operand, 3, 3));
  TRY(i.require_rank(kBias, 2, 2));
  TRY(i.require_rank(kLengths, 1, 1));
  TRY(i.require_rank(kInitialH, 3, 3));
  Dim directions = attributes.directions();
  Dim batch = batch_of(i, attributes.batch_first);
  Dim rows = gates * attributes.hidden;
  DimVector state = state_extents(i, attributes);
  TRY(require_extents(i, 1, {directions, rows, extent_of(i, 0, 2)}));
  TRY(require_extents(i, 2, {directions, rows, attributes.hidden}));
  TRY(require_extents(i, kBias, {directions, 2 * rows.extent}));
  TRY(require_extents(i, kLengths, {batch}));
  TRY(require_extents(i, kInitialH, state));
  Dim steps = extent_of(i, 0, attributes.batch_first ? 1 : 0);
  if (attributes.batch_first) {
    i.set(0, i.dtype(0), DimVector{batch, steps, directions, attributes.hidden});
  } else {
    i.set(0, i.dtype(0), DimVector{steps, directions, batch, attributes.hidden});
  }
  for (size_t result = 1; result < i.outputs.size(); ++result) i.set(result, i.dtype(0), state);
  return {};
}

Result<Recurrence> Recurrence::of(const ReferenceCall& call, int64_t gates) {
  Recurrence recurrence;
  recurrence.attributes_ = TRY(recurrent_attributes(call.node));
  const TensorView& x = call.inputs[0];
  recurrence.gates_ = gates;
  recurrence.steps_ = x.extent(recurrence.attributes_.batch_first ? 1 : 0);
  recurrence.batch_ = x.extent(recurrence.attributes_.batch_first ? 0 : 1);
  recurrence.inputs_ = x.extent(2);
  recurrence.x_ = widen(x);
  recurrence.w_ = widen(call.inputs[1]);
  recurrence.r_ = widen(call.inputs[2]);
  if (call.has_input(kBias)) recurrence.b_ = widen(call.inputs[kBias]);
  return recurrence;
}

double Recurrence::from_input(int64_t direction, int64_t gate, int64_t unit, const double* x) const {
  int64_t row = gate * hidden() + unit;
  int64_t at = (direction * gates_ * hidden() + row) * inputs_;
  double sum = b_.empty() ? 0 : b_[static_cast<size_t>(direction * 2 * gates_ * hidden() + row)];
  for (int64_t k = 0; k < inputs_; ++k) sum += w_[static_cast<size_t>(at + k)] * x[k];
  return sum;
}

double Recurrence::from_state(int64_t direction, int64_t gate, int64_t unit,
                              std::span<const double> state) const {
  int64_t row = gate * hidden() + unit;
  int64_t at = (direction * gates_ * hidden() + row) * hidden();
  double sum = b_.empty() ? 0 : b_[static_cast<size_t>((direction * 2 + 1) * gates_ * hidden() + row)];
  for (size_t k = 0; k < state.size(); ++k) sum += r_[static_cast<size_t>(at) + k] * state[k];
  return sum;
}

double Recurrence::clipped(double value) const {
  return attributes_.clip == 0 ? value : std::clamp(value, -attributes_.clip, attributes_.clip);
}

int64_t Recurrence::state_at(int64_t direction, int64_t n) const {
  return (attributes_.batch_first ? n * attributes_.directions() + direction : direction * batch_ + n) *
         hidden();
}

std::vector<double> Recurrence::initial(const ReferenceCall& call, size_t operand, int64_t direction,
                                        int64_t n) const {
  std::vector<double> state(static_cast<size_t>(hidden()));
  if (!call.has_input(operand)) return state;
  for (int64_t u = 0; u < hidden(); ++u) {
    state[static_cast<size_t>(u)] = call.inputs[operand].number(state_at(direction, n) + u);
  }
  return state;
}

Status Recurrence::run_sequence(const ReferenceCall& call, const Step& step, int64_t direction,
                                int64_t n) const {
  int64_t length = call.has_input(kLengths) ? call.inputs[kLengths].integer(n) : steps_;
  if (length < 0 || length > steps_) {
    return fail(ErrorCode::InvalidData, cat(describe(call.node), ": sequence ", n, " has length ", length,
                                            ", which is outside 0 to ", steps_));
  }
  std::vector<double> h = initial(call, kInitialH, direction, n);
  std::vector<double> c = initial(call, kInitialC, direction, n);
  bool backward = direction == 1 || attributes_.direction == SequenceDirection::Reverse;
  auto store = [&](size_t result, int64_t at, int64_t u, double value) {
    if (call.has_output(result)) call.outputs[result].set_number(at + u, value);
  };
  for (int64_t k = 0; k < steps_; ++k) {
    int64_t t = backward && k < length ? length - 1 - k : k;
    int64_t directions = attributes_.directions();
    int64_t at_x = (attributes_.batch_first ? n * steps_ + t : t * batch_ + n) * inputs_;
    int64_t at_y = (attributes_.batch_first ? (n * steps_ + t) * directions + direction
                                            : (t * directions + direction) * batch_ + n) *
                   hidden();
    if (k < length) step(direction, x_.data() + at_x, h, c);
    for (int64_t u = 0; u < hidden(); ++u) store(0, at_y, u, k < length ? h[static_cast<size_t>(u)] : 0);
  }
  for (int64_t u = 0; u < hidden(); ++u) {
    store(1, state_at(direction, n), u, h[static_cast<size_t>(u)]);
    store(2, state_at(direction, n), u, c[static_cast<size_t>(u)]);
  }
  return {};
}

Status Recurrence::run(const ReferenceCall& call, const Step& step) const {
  for (int64_t direction = 0; direction < attributes_.directions(); ++direction) {
    for (int64_t n = 0; n < batch_; ++n) TRY(run_sequence(call, step, direction, n));
  }
  return {};
}

}  // namespace fuselane
