// The activation functions that LSTM and GRU name in their attributes.
#pragma once

#include <initializer_list>
#include <vector>

#include "base/result.h"
#include "graph/node.h"

namespace fuselane {

struct CellFunction {
  double (*function)(double x, double alpha, double beta) = nullptr;
  double alpha = 0;
  double beta = 0;

  double operator()(double x) const { return function(x, alpha, beta); }
};

// The functions of each direction in turn, as many as `defaults` names for one: those of the node, or the
// defaults. Values of activation_alpha and activation_beta go in order to the functions that take one; when
// they run out, to the rest their own defaults. Errors: a name that is none of ONNX's, or another number of
// names.
Result<std::vector<CellFunction>> recurrent_activations(const Node& node, size_t directions,
                                                        std::initializer_list<std::string_view> defaults);

}  // namespace fuselane
