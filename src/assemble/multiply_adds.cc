#include "assemble/multiply_adds.h"

namespace fuselane {

// Filters are [out, in / groups, ...], a transposed convolution's [in, out / groups, ...]; recurrent weights
// are applied in each of x's steps and batches.
uint64_t multiply_adds(const Node& node, Facts& facts) {
  auto dims = [&](size_t input) -> const Dims& { return facts[node.inputs[input]].dims; };
  auto count = [](const Dims& dims) { return static_cast<uint64_t>(element_count(dims).value_or(0)); };
  auto results = [&] { return count(facts[node.outputs[0]].dims); };
  auto filter = [&] { return dims(1)[0] == 0 ? 0 : count(dims(1)) / static_cast<uint64_t>(dims(1)[0]); };
  if (node.op == Op::Conv) return results() * filter();
  if (node.op == Op::ConvTranspose) return count(dims(0)) * filter();
  if (node.op == Op::MatMul) return results() * static_cast<uint64_t>(dims(0).back());
  if (node.op == Op::Gemm) return results() * static_cast<uint64_t>(dims(0)[node.flag(Attr::TransA) ? 0 : 1]);
  if (node.op != Op::LSTM && node.op != Op::GRU) return 0;
  return static_cast<uint64_t>(dims(0)[0] * dims(0)[1]) * (count(dims(1)) + count(dims(2)));
}

}  // namespace fuselane
