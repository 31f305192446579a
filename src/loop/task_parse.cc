// Tasks from text.
#include <algorithm>
#include <type_traits>

#include "base/printer.h"
#include "loop/task.h"
#include "loop/words.h"
#include "text/lexer.h"

namespace fuselane::loop {
namespace {

class TaskParser {
 public:
  explicit TaskParser(std::string_view text) : lexer_(text) {}

  Result<Task> run() {
    Task task = TRY(family());
    TRY(lexer_.expect_kind(TokenKind::End, "the end of the task"));
    return task;
  }

 private:
  Result<Task> family() {
    if (TRY(lexer_.accept("matmul"))) return product(MatMulTask());
    if (TRY(lexer_.accept("conv"))) return product(ConvTask());
    if (TRY(lexer_.accept("depthwise"))) return depthwise();
    if (TRY(lexer_.accept("map"))) return map();
    TRY(lexer_.expect("reduce"));
    return reduce();
  }

  Result<uint8_t> number(int64_t below, int64_t least = 0) {
    int64_t offset = TRY(lexer_.peek())->offset;
    int64_t value = TRY(lexer_.expect_integer());
    if (value < least || value >= below)
      return lexer_.error_at(
          offset, cat("expected a number ", least > 0 ? cat("of at least ", least, " and ") : "", "below ",
                      below, ", found ", value));
    return static_cast<uint8_t>(value);
  }

  // What products have in common, and then `task` has.
  template <class Product>
  Result<Task> product(Product task) {
    TRY(lexer_.expect("tail"));
    task.columns_tail = TRY(number(8));
    if constexpr (std::is_same_v<Product, MatMulTask>) task.one_row = TRY(lexer_.accept("one_row"));
    TRY(finish(task.strides, task.finish));
    return task;
  }

  Result<Task> depthwise() {
    DepthwiseTask task;
    TRY(lexer_.expect("tail"));
    task.channels_tail = TRY(number(4));
    TRY(lexer_.expect("width"));
    task.width = TRY(number(256, 1));
    TRY(lexer_.expect("stride"));
    task.stride = TRY(number(256, 1));
    TRY(lexer_.expect("dilation"));
    task.dilation = TRY(number(256, 1));
    if (TRY(lexer_.accept("borders"))) {
      const int64_t below = std::min((task.width - 1) * task.dilation + 1, 256);
      task.borders.emplace();
      task.borders->left = TRY(number(below));
      task.borders->right = TRY(number(below));
    }
    TRY(finish(task.strides, task.finish));
    return task;
  }

  // What is made of sums.
  Status finish(std::vector<uint8_t>& strides, std::vector<Step>& finish) {
    if (TRY(lexer_.accept("strides"))) strides = TRY(this->strides("operands"));
    if (TRY(lexer_.accept("finish"))) finish = TRY(steps(1 + strides.size()));
    return {};
  }

  Result<std::vector<uint8_t>> strides(std::string_view what) {
    std::vector<uint8_t> list;
    while (TRY(lexer_.peek())->kind == TokenKind::Number) list.push_back(TRY(number(2)));
    if (list.empty())
      return lexer_.error_at(TRY(lexer_.peek())->offset, cat(what, " have a stride of 0 or 1"));
    return list;
  }

  Result<Task> map() {
    MapTask task;
    TRY(lexer_.expect("outer"));
    task.outer = TRY(number(8));
    TRY(lexer_.expect("strides"));
    task.strides = TRY(strides("a map has operands, which"));
    TRY(lexer_.expect("steps"));
    if (TRY(lexer_.peek())->kind == TokenKind::Word) task.steps = TRY(steps(task.strides.size()));
    return task;
  }

  Result<Task> reduce() {
    ReduceTask task;
    task.combine = TRY(expect_combine(lexer_));
    task.contiguous = TRY(lexer_.accept("contiguous"));
    if (!task.contiguous) TRY(lexer_.expect("strided"));
    if (TRY(lexer_.accept("prologue"))) task.prologue = TRY(steps(1));
    if (TRY(lexer_.accept("finish"))) task.finish = TRY(steps(1));
    return task;
  }

  Result<Activation> activation() {
    Token word = TRY(lexer_.expect_kind(TokenKind::Word, "an activation"));
    auto kind = activation_of_text(word.spelling);
    if (!kind) return lexer_.error_at(word.offset, cat("'", word.spelling, "' is not an activation"));
    Activation result{*kind, 0, 0};
    result.a = static_cast<float>(TRY(lexer_.expect_number()));
    result.b = static_cast<float>(TRY(lexer_.expect_number()));
    return result;
  }

  Result<std::vector<Step>> steps(size_t operands) {
    std::vector<Step> list;
    do {
      Step step;
      Token word = TRY(lexer_.expect_kind(TokenKind::Word, "a function"));
      step.function = TRY(function(word));
      auto before = static_cast<int64_t>(operands + list.size());
      if (before > 255) return lexer_.error_at(word.offset, "there are more than 255 steps");
      if (operands_of(step.function) > 0) step.a = TRY(number(before));
      if (operands_of(step.function) > 1) step.b = TRY(number(before));
      if (step.function == Function::Constant) step.number = static_cast<float>(TRY(lexer_.expect_number()));
      if (step.function == Function::Activate) step.activation = TRY(activation());
      list.push_back(step);
    } while (TRY(lexer_.accept(",")));
    return list;
  }

  Result<Function> function(const Token& word) {
#define FUNCTION(id, text, operands) \
  if (word.spelling == text) return Function::id;
#include "loop/functions.def"
#undef FUNCTION
    return lexer_.error_at(word.offset, cat("'", word.spelling, "' is not a function"));
  }

  Lexer lexer_;
};

}  // namespace

Result<Task> parse_task(std::string_view text) { return TaskParser(text).run(); }

}  // namespace fuselane::loop
