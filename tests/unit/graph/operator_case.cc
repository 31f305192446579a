#include "tests/unit/graph/operator_case.h"

#include <gtest/gtest.h>

#include <cmath>

#include "graph/interpret.h"
#include "graph/ops.h"
#include "graph/parse.h"
#include "graph/print.h"
#include "graph/verify.h"

namespace fuselane {
namespace {

constexpr size_t kUnnamed = 0;  // the id of every wanted result: shape rules only ask whether it is wanted

Node node_of(Op op, const Attributes& attributes, size_t input_count, size_t result_count) {
  Node node;
  node.op = op;
  node.attributes = attributes;
  for (size_t i = 0; i < input_count; ++i) node.inputs.emplace_back(i);
  node.outputs.assign(result_count, ValueId(kUnnamed));
  return node;
}

Tensor tensor_of(const Elements& e) {
  auto tensor = e.integers.empty() ? Tensor::of_numbers(e.dtype, e.dims, e.numbers)
                                   : Tensor::of_ints(e.dtype, e.dims, e.integers);
  EXPECT_TRUE(tensor) << tensor.error().message;
  if (!tensor) return {};
  EXPECT_EQ(static_cast<size_t>(tensor->count()), std::max(e.numbers.size(), e.integers.size()))
      << "the test writes another number of elements than its shape " << text_of(e.dtype, e.dims) << " has";
  return *std::move(tensor);
}

std::vector<Tensor> tensors_of(const std::vector<Elements>& list) {
  std::vector<Tensor> tensors;
  for (const Elements& e : list) tensors.push_back(e.present ? tensor_of(e) : Tensor());
  return tensors;
}

Result<std::vector<Tensor>> evaluate_on(const Node& node, const std::vector<Elements>& inputs,
                                        const std::vector<Tensor>& tensors) {
  std::vector<const Tensor*> operands;
  for (size_t i = 0; i < inputs.size(); ++i) operands.push_back(inputs[i].present ? &tensors[i] : nullptr);
  return evaluate(node, operands);
}

bool same_number(double got, double want, double slack) {
  if (std::isnan(want)) return std::isnan(got);
  if (want == 0 && std::signbit(want) && got == 0) return std::signbit(got);
  return got == want || std::fabs(got - want) <= slack;
}

void expect_elements(const Tensor& got, const Tensor& want, double tolerance) {
  ASSERT_EQ(text_of(got.dtype(), got.dims()), text_of(want.dtype(), want.dims()));
  double largest = 0;
  for (int64_t i = 0; i < want.count(); ++i) {
    double magnitude = std::fabs(want.number(i));
    if (std::isfinite(magnitude)) largest = std::max(largest, magnitude);
  }
  for (int64_t i = 0; i < want.count(); ++i) {
    if (is_integer(want.dtype())) {
      EXPECT_EQ(got.integer(i), want.integer(i)) << "element " << i;
    } else {
      EXPECT_TRUE(same_number(got.number(i), want.number(i), tolerance * largest))
          << "element " << i << " is " << cat(got.number(i)) << ", expected " << cat(want.number(i));
    }
  }
}

enum class Known { Ranks, Symbols, Extents, Nothing };

// An operand of which only so much is known. Each extent's symbol is its number, so that a result's symbol
// tells the extent it promises.
Operand weakened(const Elements& e, const Tensor& tensor, Known known, bool with_value) {
  if (!e.present) return {};
  Operand operand{.present = true, .type = tensor_type(e.dtype, std::nullopt)};
  if (with_value) operand.value = &tensor;
  if (with_value || known == Known::Extents) {
    operand.type.dims = symbolic(tensor.dims());
  } else if (known == Known::Symbols) {
    operand.type.dims.emplace();
    for (int64_t extent : e.dims) {
      operand.type.dims->push_back(Dim(SymbolId(static_cast<size_t>(extent))));
    }
  } else if (known == Known::Ranks) {
    operand.type.dims.emplace(e.dims.size(), Dim());
  }
  return operand;
}

void expect_promise(const ValueType& promised, const Tensor& result, size_t index) {
  EXPECT_TRUE(fits(promised, tensor_type(result.dtype(), symbolic(result.dims()))))
      << "result " << index << " is " << text_of(result.dtype(), result.dims());
  if (!promised.dims || promised.dims->size() != result.dims().size()) return;
  for (size_t d = 0; d < result.dims().size(); ++d) {
    const Dim& dim = (*promised.dims)[d];
    if (!dim.symbol) continue;
    EXPECT_EQ(dim.symbol, SymbolId(static_cast<size_t>(result.dims()[d])))
        << "result " << index << ", axis " << d;
  }
}

void expect_consistent_rule(const Node& node, const std::vector<Elements>& inputs,
                            const std::vector<Tensor>& tensors, const std::vector<Tensor>& results) {
  struct Level {
    const char* text;
    Known known;
    bool values;  // of operands of int64, which shapes and axes are
  };
  constexpr Level kLevels[] = {
      {"extents", Known::Extents, false}, {"symbols and values", Known::Symbols, true},
      {"symbols", Known::Symbols, false}, {"ranks and values", Known::Ranks, true},
      {"ranks", Known::Ranks, false},     {"values", Known::Nothing, true},
      {"nothing", Known::Nothing, false}};
  for (const Level& level : kLevels) {
    SCOPED_TRACE(cat("the shape rule, knowing ", level.text, " of its operands"));
    std::vector<Operand> operands;
    for (size_t i = 0; i < inputs.size(); ++i) {
      bool with_value = level.values && inputs[i].dtype == DType::Int64;
      operands.push_back(weakened(inputs[i], tensors[i], level.known, with_value));
    }
    auto types = infer(node, operands, {});
    EXPECT_TRUE(types) << types.error().message;
    if (!types) continue;
    for (size_t i = 0; i < results.size(); ++i) {
      if (node.outputs[i]) expect_promise((*types)[i], results[i], i);
    }
  }
}

// The types that the rule gives, or its message, whichever is expected; a failure when it is the other.
std::vector<std::string> inferred_texts(const TypesCase& c, bool accepted) {
  auto graph = parse_graph(cat("graph \"\" {\n", c.declarations, "\n", c.node, "\n}"));
  EXPECT_TRUE(graph) << graph.error().message;
  if (!graph || graph->main().nodes.size() != 1) return {"the text has not one node"};
  const Node& node = (*graph)[graph->main().nodes[0]];
  auto types = infer(node, operands_of(*graph, node), {});
  EXPECT_EQ(types.has_value(), accepted);
  if (!types) return {types.error().message};
  std::vector<std::string> texts;
  for (const ValueType& type : *types) texts.push_back(print(*graph, type));
  return texts;
}

}  // namespace

void expect_results(const OperatorCase& c) {
  SCOPED_TRACE(cat(text_of(c.op), ": ", c.name));
  Node node = node_of(c.op, c.attributes, c.inputs.size(), c.results.size());
  for (size_t i = 0; i < c.results.size(); ++i) {
    if (!c.results[i].present) node.outputs[i] = ValueId();
  }
  std::vector<Tensor> inputs = tensors_of(c.inputs);
  auto results = evaluate_on(node, c.inputs, inputs);
  ASSERT_TRUE(results) << results.error().message;
  ASSERT_EQ(results->size(), c.results.size());
  for (size_t i = 0; i < results->size(); ++i) {
    SCOPED_TRACE(cat("result ", i));
    if (c.results[i].present) expect_elements((*results)[i], tensor_of(c.results[i]), c.tolerance);
  }
  expect_consistent_rule(node, c.inputs, inputs, *results);
}

void expect_error(const OperatorErrorCase& c) {
  SCOPED_TRACE(cat(text_of(c.op), ": ", c.name));
  Node node = node_of(c.op, c.attributes, c.inputs.size(), c.result_count);
  std::vector<Tensor> inputs = tensors_of(c.inputs);
  auto results = evaluate_on(node, c.inputs, inputs);
  ASSERT_FALSE(results);
  EXPECT_EQ(text_of(results.error().code), text_of(c.code));
  EXPECT_EQ(results.error().message, c.message);
}

void expect_types(const std::vector<TypesCase>& cases) {
  for (const TypesCase& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(inferred_texts(c, true), c.types);
  }
}

void expect_refusals(const std::vector<TypesCase>& cases) {
  for (const TypesCase& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(inferred_texts(c, false), c.types);
  }
}

}  // namespace fuselane
