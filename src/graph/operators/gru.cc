// GRU, gates in the order z, r, h and activations f, g of ONNX:
//   z = f(W_z x + R_z h)      r = f(W_r x + R_r h)
//   n = g(W_h x + R_h (r * h)), or with linear_before_reset g(W_h x + r * (R_h h)), biases inside their
//   products h' = (1 - z) * n + z * h
#include <algorithm>

#include "graph/operators/operators.h"
#include "graph/operators/recurrent.h"
#include "graph/operators/recurrent_activation.h"

namespace fuselane {
namespace {

constexpr int64_t kUpdate = 0, kReset = 1, kHidden = 2, kGates = 3;
constexpr std::initializer_list<std::string_view> kDefaults = {"Sigmoid", "Tanh"};

}  // namespace

Status shape_of_gru(Inference& i) {
  TRY(shape_of_recurrent(i, kGates));
  RecurrentAttributes attributes = TRY(recurrent_attributes(i.node));
  TRY(recurrent_activations(i.node, static_cast<size_t>(attributes.directions()), kDefaults));
  return {};
}

Status reference_gru(const ReferenceCall& call) {
  Recurrence cell = TRY(Recurrence::of(call, kGates));
  RecurrentAttributes attributes = TRY(recurrent_attributes(call.node));
  std::vector<CellFunction> activations =
      TRY(recurrent_activations(call.node, static_cast<size_t>(attributes.directions()), kDefaults));
  bool linear_first = call.node.flag(Attr::LinearBeforeReset);
  int64_t hidden = cell.hidden();
  auto size = static_cast<size_t>(hidden);
  std::vector<double> update(size), reset(size), kept(size), next(size);
  return cell.run(call, [&](int64_t direction, const double* x, std::span<double> h, std::span<double>) {
    const CellFunction* functions = &activations[static_cast<size_t>(direction) * kDefaults.size()];
    auto gate = [&](int64_t which, int64_t u) {
      double sum = cell.from_input(direction, which, u, x) + cell.from_state(direction, which, u, h);
      return functions[0](cell.clipped(sum));
    };
    for (size_t u = 0; u < size; ++u) {
      update[u] = gate(kUpdate, static_cast<int64_t>(u));
      reset[u] = gate(kReset, static_cast<int64_t>(u));
      kept[u] = reset[u] * h[u];
    }
    for (int64_t u = 0; u < hidden; ++u) {
      auto unit = static_cast<size_t>(u);
      double recurrent = linear_first ? reset[unit] * cell.from_state(direction, kHidden, u, h)
                                      : cell.from_state(direction, kHidden, u, kept);
      double candidate = functions[1](cell.clipped(cell.from_input(direction, kHidden, u, x) + recurrent));
      next[unit] = (1 - update[unit]) * candidate + update[unit] * h[unit];
    }
    std::copy(next.begin(), next.end(), h.begin());
  });
}

}  // namespace fuselane
