#include "optimize/known_integers.h"

#include <algorithm>

#include "graph/interpret.h"
#include "graph/operators/shape_of.h"

namespace fuselane {
namespace {

// Shapes have as many elements as tensors have dimensions; longer lists are data.
constexpr int64_t kLongest = 64;

bool holds_integers(DType dtype) {
  return dtype == DType::Int64 || dtype == DType::Int32 || dtype == DType::Bool;
}

// How many elements a value of this type has; nothing when it is no short list or single integer.
std::optional<size_t> length_of(const ValueType& type) {
  if (!holds_integers(type.dtype) || !type.dims || type.dims->size() > 1) return std::nullopt;
  if (type.dims->empty()) return 1;
  int64_t extent = (*type.dims)[0].extent;
  return extent >= 0 && extent <= kLongest ? std::optional(static_cast<size_t>(extent)) : std::nullopt;
}

// The operands whose elements an operator moves without looking at them.
enum class Moved : uint8_t { None, First, All, AllButFirst };
Moved moved_operands(Op op) {
  switch (op) {
    case Op::Identity:
    case Op::Reshape:
    case Op::Squeeze:
    case Op::Unsqueeze:
    case Op::Gather:
    case Op::Slice:
    case Op::Split:
    case Op::Expand:
    case Op::Tile:
      return Moved::First;
    case Op::Concat:
      return Moved::All;
    case Op::Where:
      return Moved::AllButFirst;
    default:  // NOLINT: all others compute
      return Moved::None;
  }
}
bool is_moved(Moved moved, size_t operand) {
  switch (moved) {
    case Moved::None:
      return false;
    case Moved::First:
      return operand == 0;
    case Moved::All:
      return true;
    case Moved::AllButFirst:
      return operand > 0;
  }
  return false;
}

MaybeInt truth(bool is_true, bool is_false) {
  if (is_true == is_false) return std::nullopt;  // it may be either
  return SymbolicInt::number(is_true ? 1 : 0);
}

// The comparison of two integers by the signs that their difference can have.
MaybeInt compare(Op op, const SymbolicInt& a, const SymbolicInt& b) {
  MaybeInt difference = subtract(a, b);
  if (!difference) {
    // Formulas of other dimensions: what can be said is that neither, or one, is negative.
    Signs left = signs_of(a);
    Signs right = signs_of(b);
    bool differ = (!left.negative && !right.zero && !right.positive) ||
                  (!right.negative && !left.zero && !left.positive);
    return op == Op::Equal && differ ? MaybeInt(SymbolicInt::number(0)) : std::nullopt;
  }
  Signs signs = signs_of(*difference);
  if (op == Op::Equal) return truth(!signs.negative && !signs.positive, !signs.zero);
  if (op == Op::Greater) return truth(!signs.negative && !signs.zero, !signs.positive);
  if (op == Op::GreaterOrEqual) return truth(!signs.negative, !signs.zero && !signs.positive);
  if (op == Op::Less) return truth(!signs.zero && !signs.positive, !signs.negative);
  return truth(!signs.positive, !signs.negative && !signs.zero);  // LessOrEqual
}

MaybeInt compute(Op op, const MaybeInt& a, const MaybeInt& b) {
  if (!a || !b) return std::nullopt;
  if (op == Op::Add) return add(*a, *b);
  if (op == Op::Sub) return subtract(*a, *b);
  if (op == Op::Mul) return multiply(*a, *b);
  if (op == Op::Div) return divide(*a, *b);
  return compare(op, *a, *b);
}

}  // namespace

std::optional<IntegerList> KnownIntegers::find(ValueId value) const {
  if (!value) return std::nullopt;
  if (lists_[value.index]) return lists_[value.index];
  auto length = length_of(graph_[value].type);
  if (!length) return std::nullopt;
  IntegerList list(*length);
  const Tensor* tensor = folds_.find(value);
  for (size_t i = 0; tensor && i < list.size(); ++i) {
    list[i] = SymbolicInt::number(tensor->integer(static_cast<int64_t>(i)));
  }
  return list;
}

MaybeInt KnownIntegers::find_scalar(ValueId value) const {
  auto list = find(value);
  return list && list->size() == 1 ? (*list)[0] : std::nullopt;
}

Status KnownIntegers::record(ValueId value, IntegerList list) {
  const ValueType& type = graph_[value].type;
  if (!length_of(type) || *length_of(type) != list.size()) return {};
  std::vector<int64_t> numbers;
  for (MaybeInt& element : list) {
    if (!element || !element->is_number()) continue;
    if (type.dtype == DType::Int32 && element->constant != static_cast<int32_t>(element->constant)) {
      element.reset();  // it wraps
    } else {
      numbers.push_back(element->constant);
    }
  }
  if (numbers.size() == list.size()) {
    Dims dims = *concrete(*type.dims);
    folds_.add(value, TRY(Tensor::of_ints(type.dtype, std::move(dims), numbers)));
  }
  lists_[value.index] = std::move(list);
  return {};
}

// The elements of a list as a tensor, when all are numbers.
Result<std::optional<Tensor>> KnownIntegers::constant_operand(ValueId value) const {
  std::optional<Tensor> copy;
  if (const Tensor* tensor = folds_.find(value)) copy = TRY(Tensor::copy_of(tensor->view()));
  return copy;
}

// What an operator that moves elements does with numbers, it does with formulas: it is given the numbers
// 0, 1, 2, ... for them, and where these land in the results, there belong the formulas.
Status KnownIntegers::move_elements(const Node& node) {
  bool all_short = std::ranges::all_of(
      node.outputs, [&](ValueId output) { return !output || length_of(graph_[output].type); });
  if (!all_short) return {};
  Moved moved = moved_operands(node.op);
  IntegerList elements;
  std::vector<std::optional<Tensor>> tensors(node.inputs.size());
  std::vector<const Tensor*> operands(node.inputs.size());
  for (size_t k = 0; k < node.inputs.size(); ++k) {
    ValueId input = node.inputs[k];
    if (!input) continue;
    if (is_moved(moved, k)) {
      auto list = find(input);
      if (!list) return {};
      std::vector<int64_t> indices;
      for (size_t i = 0; i < list->size(); ++i) indices.push_back(static_cast<int64_t>(elements.size() + i));
      elements.insert(elements.end(), list->begin(), list->end());
      tensors[k] = TRY(Tensor::of_ints(DType::Int64, *concrete(*graph_[input].type.dims), indices));
    } else {
      tensors[k] = TRY(constant_operand(input));
      if (!tensors[k]) return {};
    }
    operands[k] = &*tensors[k];
  }
  auto results = evaluate(node, operands);
  if (!results) return {};  // it fails when it is run, if it is
  for (size_t i = 0; i < results->size(); ++i) {
    if (!node.outputs[i]) continue;
    IntegerList list;
    for (int64_t index : (*results)[i].integers()) list.push_back(elements[static_cast<size_t>(index)]);
    TRY(record(node.outputs[i], std::move(list)));
  }
  return {};
}

std::optional<IntegerList> KnownIntegers::results_of_arithmetic(const Node& node) const {
  auto a = find(node.inputs[0]);
  auto b = find(node.inputs[1]);
  if (!a || !b || (a->size() != b->size() && a->size() != 1 && b->size() != 1)) return std::nullopt;
  IntegerList list(a->size() == 1 ? b->size() : a->size());
  for (size_t i = 0; i < list.size(); ++i) {
    list[i] = compute(node.op, (*a)[a->size() == 1 ? 0 : i], (*b)[b->size() == 1 ? 0 : i]);
  }
  return list;
}

Status KnownIntegers::visit(const Node& node) {
  if (node.outputs.empty()) return {};
  ValueId result = node.outputs[0];
  if (moved_operands(node.op) != Moved::None) return move_elements(node);
  if (!result) return {};
  switch (node.op) {
    case Op::Shape:
    case Op::Size: {
      const auto& dims = graph_[node.inputs[0]].type.dims;
      if (!dims) return {};
      IntegerList list;
      for (size_t axis = 0; axis < dims->size(); ++axis) list.push_back(atoms_.dim(node.inputs[0], axis));
      if (node.op == Op::Size) {
        MaybeInt product = SymbolicInt::number(1);
        for (const MaybeInt& dim : list) product = product ? multiply(*product, *dim) : product;
        return record(result, {product});
      }
      auto [first, last] = chosen_dims(node, static_cast<int64_t>(dims->size()));
      return record(result, IntegerList(list.begin() + static_cast<std::ptrdiff_t>(first),
                                        list.begin() + static_cast<std::ptrdiff_t>(last)));
    }
    case Op::Cast: {
      // Between integers; an extent that int32 cannot hold would be refused wherever it is an extent again.
      auto list = find(node.inputs[0]);
      bool between_integers = node.dtype(Attr::To) != DType::Bool && holds_integers(node.dtype(Attr::To));
      return list && between_integers ? record(result, *std::move(list)) : Status();
    }
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::Div:
    case Op::Equal:
    case Op::Greater:
    case Op::GreaterOrEqual:
    case Op::Less:
    case Op::LessOrEqual: {
      auto list = results_of_arithmetic(node);
      return list ? record(result, *std::move(list)) : Status();
    }
    default:  // NOLINT: of all others nothing is known but what folding makes constant
      return {};
  }
}

}  // namespace fuselane
