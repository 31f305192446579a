// LSTM, gates in the order i, o, f, c and activations f, g, h of ONNX; peepholes p (operand 7) in the order
// i, o, f:
//   i = f(W_i x + R_i h + p_i c)      f = f(W_f x + R_f h + p_f c), or 1 - i with input_forget
//   c' = f * c + i * g(W_c x + R_c h)
//   o = f(W_o x + R_o h + p_o c')     h' = o * h(c')
#include <algorithm>

#include "graph/operators/operators.h"
#include "graph/operators/recurrent.h"
#include "graph/operators/recurrent_activation.h"
#include "graph/operators/widen.h"

namespace fuselane {
namespace {

constexpr int64_t kInput = 0, kOutput = 1, kForget = 2, kCell = 3, kGates = 4;
constexpr size_t kInitialC = 6, kPeepholes = 7;
constexpr std::initializer_list<std::string_view> kDefaults = {"Sigmoid", "Tanh", "Tanh"};

}  // namespace

Status shape_of_lstm(Inference& i) {
  TRY(shape_of_recurrent(i, kGates));
  RecurrentAttributes attributes = TRY(recurrent_attributes(i.node));
  TRY(recurrent_activations(i.node, static_cast<size_t>(attributes.directions()), kDefaults));
  TRY(i.require_rank(kInitialC, 3, 3));
  TRY(i.require_rank(kPeepholes, 2, 2));
  TRY(require_extents(i, kInitialC, state_extents(i, attributes)));
  return require_extents(i, kPeepholes, {attributes.directions(), 3 * attributes.hidden});
}

Status reference_lstm(const ReferenceCall& call) {
  Recurrence cell = TRY(Recurrence::of(call, kGates));
  RecurrentAttributes attributes = TRY(recurrent_attributes(call.node));
  std::vector<CellFunction> activations =
      TRY(recurrent_activations(call.node, static_cast<size_t>(attributes.directions()), kDefaults));
  bool coupled = call.node.flag(Attr::InputForget);
  std::vector<double> peepholes;
  if (call.has_input(kPeepholes)) peepholes = widen(call.inputs[kPeepholes]);
  int64_t hidden = cell.hidden();
  std::vector<double> next(static_cast<size_t>(hidden));
  return cell.run(call, [&](int64_t direction, const double* x, std::span<double> h, std::span<double> c) {
    const CellFunction* functions = &activations[static_cast<size_t>(direction) * kDefaults.size()];
    for (int64_t u = 0; u < hidden; ++u) {
      auto unit = static_cast<size_t>(u);
      auto gate = [&](int64_t which, double seen) {
        double sum = cell.from_input(direction, which, u, x) + cell.from_state(direction, which, u, h);
        if (!peepholes.empty() && which != kCell) {
          sum += peepholes[static_cast<size_t>((direction * 3 + which) * hidden + u)] * seen;
        }
        return functions[which == kCell ? 1 : 0](cell.clipped(sum));
      };
      double input = gate(kInput, c[unit]);
      double forget = coupled ? 1 - input : gate(kForget, c[unit]);
      c[unit] = forget * c[unit] + input * gate(kCell, 0);
      next[unit] = gate(kOutput, c[unit]) * functions[2](cell.clipped(c[unit]));
    }
    std::copy(next.begin(), next.end(), h.begin());
  });
}

}  // namespace fuselane
