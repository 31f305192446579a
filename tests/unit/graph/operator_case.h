// One application of an operator: operands, attributes and the results expected of it.
//
//   expect_results({"adds", Op::Add, {}, {f32({2}, {1, 2}), f32({}, {10})}, {f32({2}, {11, 12})}});
//   expect_error({"...", Op::Add, {}, {f32({2}, {1, 2}), f32({3}, {1, 2, 3})}, ErrorCode::InvalidModel,
//                 "a Add node: extents 2 and 3 do not broadcast"});
#pragma once

#include <string>
#include <vector>

#include "graph/node.h"
#include "types/tensor.h"

namespace fuselane {

// A tensor as a test writes it. Integers that a double cannot hold are written in `integers`.
struct Elements {
  DType dtype = DType::Float32;
  Dims dims;
  std::vector<double> numbers;
  std::vector<int64_t> integers;
  bool present = true;
};

inline Elements numbers(DType dtype, Dims dims, std::vector<double> values) {
  return {dtype, std::move(dims), std::move(values), {}};
}
inline Elements integers(DType dtype, Dims dims, std::vector<int64_t> values) {
  return {dtype, std::move(dims), {}, std::move(values)};
}
inline Elements f32(Dims dims, std::vector<double> values) {
  return numbers(DType::Float32, std::move(dims), std::move(values));
}
inline Elements f64(Dims dims, std::vector<double> values) {
  return numbers(DType::Float64, std::move(dims), std::move(values));
}
inline Elements i32(Dims dims, std::vector<int64_t> values) {
  return integers(DType::Int32, std::move(dims), std::move(values));
}
inline Elements i64(Dims dims, std::vector<int64_t> values) {
  return integers(DType::Int64, std::move(dims), std::move(values));
}
inline Elements u8(Dims dims, std::vector<int64_t> values) {
  return integers(DType::UInt8, std::move(dims), std::move(values));
}
inline Elements i8(Dims dims, std::vector<int64_t> values) {
  return integers(DType::Int8, std::move(dims), std::move(values));
}
inline Elements boolean(Dims dims, std::vector<int64_t> values) {
  return integers(DType::Bool, std::move(dims), std::move(values));
}
// An operand that is left out, or a result that nobody wants.
inline Elements absent() { return {.dims = {}, .numbers = {}, .integers = {}, .present = false}; }

struct OperatorCase {
  std::string name;
  Op op;
  Attributes attributes;
  std::vector<Elements> inputs;
  std::vector<Elements> results;
  double tolerance = 0;  // largest difference, relative to the largest expected magnitude; 0: equal elements
};

// Evaluates the node and compares types, shapes and elements (NaN equals NaN; an expected -0 wants its sign).
// Then runs the shape rule alone with less and less known of the operands (symbols for extents, no values, no
// extents, no ranks): it must not fail, and must promise nothing that the concrete result breaks.
void expect_results(const OperatorCase& c);

struct OperatorErrorCase {
  std::string name;
  Op op;
  Attributes attributes;
  std::vector<Elements> inputs;
  ErrorCode code;
  std::string message;
  size_t result_count = 1;
};

// Evaluates the node, which must fail with exactly this code and message.
void expect_error(const OperatorErrorCase& c);

// What a shape rule makes of operands of which not all is known, in the text of the graph: declarations of
// the operands, one node, and the types expected of its results.
struct TypesCase {
  std::string name;
  std::string declarations;
  std::string node;
  std::vector<std::string> types;
};
void expect_types(const std::vector<TypesCase>& cases);
// The same for a shape rule that must refuse: one text, its message.
void expect_refusals(const std::vector<TypesCase>& cases);

inline void expect_all(const std::vector<OperatorCase>& cases) {
  for (const OperatorCase& c : cases) expect_results(c);
}
inline void expect_all_errors(const std::vector<OperatorErrorCase>& cases) {
  for (const OperatorErrorCase& c : cases) expect_error(c);
}

}  // namespace fuselane
