// The graph as text. parse(print(graph)) prints the same text again.
//
//   graph "name" {
//     source "model.onnx"
//     const %w: f32[8,3,3,3] = source 0 at 1234 length 864
//     const %axes: i64[1] = [2]
//     input %x: f32[batch,3,32,32]
//     %y: f32[batch,8,30,30] = Conv(%x, %w, _) {strides = [1, 1]} "conv1"
//     %z: f32[?,8] = If(%c) do { yield %a } do { %t: f32[1,8] = Relu(%b) yield %t }
//     output "y" = %y
//   }
//
// `_` is an absent operand or result; a dimension is an extent, a symbol or `?`; `[*]` is an unknown rank.
#pragma once

#include <string>

#include "graph/graph.h"

namespace fuselane {

std::string print(const Graph& graph);
std::string print(const Graph& graph, const ValueType& type);

}  // namespace fuselane
