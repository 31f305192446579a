#include "loop/parse.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/printer.h"
#include "loop/parse_index.h"
#include "loop/words.h"

namespace fuselane::loop {
namespace {

// Expressions nest in text as deep as this; deeper is refused rather than a risk to the stack.
constexpr int kDeepest = 200;

class KernelParser {
 public:
  explicit KernelParser(std::string_view text) : lexer_(text), index_(lexer_, kernel_) {}

  Result<Kernel> run() {
    TRY(lexer_.expect("kernel"));
    kernel_.name = TRY(lexer_.expect_kind(TokenKind::Text, "the kernel's name in quotes")).value;
    TRY(lexer_.expect("{"));
    while (!TRY(lexer_.accept("}"))) TRY(statement());
    TRY(lexer_.expect_kind(TokenKind::End, "the end of the text"));
    return std::move(kernel_);
  }

 private:
  Status statement() {
    Token word = TRY(
        lexer_.expect_kind(TokenKind::Word, "size, loops, indices, memory, register, split, outer or nest"));
    if (word.spelling == "size") return sizes();
    if (word.spelling == "loops") return loops();
    if (word.spelling == "indices") {
      // They are in the kernel from here on.
      TRY(index_.list());
      return {};
    }
    if (word.spelling == "memory") return buffer(Storage::Memory);
    if (word.spelling == "register") return buffer(Storage::Register);
    if (word.spelling == "split") return split();
    if (word.spelling == "outer") {
      TRY(lexer_.expect("for"));
      kernel_.outer.push_back(TRY(loop()));
      return {};
    }
    if (word.spelling == "nest") return nest();
    return lexer_.error_at(word.offset, cat("'", word.spelling, "' does not start a statement here"));
  }

  Status sizes() {
    do {
      kernel_.size(std::string(TRY(index_.new_name()).spelling));
    } while (TRY(lexer_.accept(",")));
    return {};
  }

  Status loops() {
    do {
      kernel_.variable(std::string(TRY(index_.new_name()).spelling));
    } while (TRY(lexer_.accept(",")));
    return {};
  }

  Status buffer(Storage storage) {
    Buffer description;
    description.storage = storage;
    Token name = TRY(lexer_.expect_kind(TokenKind::Word, "the buffer's name"));
    if (find_buffer(name.spelling))
      return lexer_.error_at(name.offset, cat("there are two buffers ", name.spelling));
    description.name = name.spelling;
    if (!TRY(lexer_.accept("f32"))) {
      TRY(lexer_.expect("i32"));
      description.dtype = DType::I32;
    }
    description.written = TRY(lexer_.accept("written"));
    if (TRY(lexer_.accept("padded"))) {
      int64_t offset = TRY(lexer_.peek())->offset;
      int64_t padded = TRY(lexer_.expect_integer());
      if (padded < 1 || padded > 64) return lexer_.error_at(offset, "a buffer is padded to 1 to 64");
      description.padded = static_cast<uint32_t>(padded);
    }
    if (storage == Storage::Memory) {
      TRY(lexer_.expect("strides"));
      description.strides = TRY(index_.list());
    }
    kernel_.buffer(std::move(description));
    return {};
  }

  Status split() {
    Split split;
    split.of = TRY(index_.loop_variable());
    split.factor = TRY(index_.index());
    split.tail = TRY(expect_tail(lexer_));
    TRY(lexer_.expect("as"));
    split.outer = kernel_.variable(std::string(TRY(index_.new_name()).spelling));
    TRY(lexer_.expect(","));
    split.inner = kernel_.variable(std::string(TRY(index_.new_name()).spelling));
    TRY(lexer_.expect("extent"));
    split.extent = TRY(index_.index());
    // As the move and the algorithms set them, since they decide how indices are simplified.
    bound(split.of, split.extent);
    bound(split.inner, split.factor);
    if (!split.factor.is_constant() || split.factor.constant() > 0) {
      // An Exact split has as many chunks in a loop's last, shorter run as in the others.
      int64_t full = split.tail == Tail::Exact ? kernel_[split.of].bound : 0;
      Index last = full > 0 ? Index(full) : split.extent + split.factor - 1;
      bound(split.outer, kernel_.quotient(last, split.factor));
    }
    if (split.tail == Tail::Even) split.start = index_.start_of(split.outer);
    kernel_.splits.push_back(std::move(split));
    return {};
  }

  void bound(SymbolId symbol, const Index& extent) {
    int64_t& known = kernel_.symbols[symbol.index].bound;
    if (known == 0) known = std::max<int64_t>(kernel_.most(extent).value_or(0), 0);
  }

  Result<Loop> loop() {
    Loop loop;
    loop.symbol = TRY(index_.loop_variable());
    if (!TRY(lexer_.accept("in"))) {
      TRY(lexer_.expect("sums"));
      loop.kind = LoopKind::Reduce;
    }
    loop.extent = TRY(index_.index());
    bound(loop.symbol, loop.extent);
    if (TRY(lexer_.peek())->kind == TokenKind::Word) {
      if (auto mark = mark_of_text(TRY(lexer_.peek())->spelling)) {
        TRY(lexer_.next());
        loop.mark = *mark;
      }
    }
    return loop;
  }

  Status nest() {
    Nest nest;
    nest.name = TRY(lexer_.expect_kind(TokenKind::Text, "the nest's name in quotes")).value;
    TRY(lexer_.expect("{"));
    named_.clear();
    while (!TRY(lexer_.accept("}"))) {
      if (TRY(lexer_.accept("for"))) {
        nest.loops.push_back(TRY(loop()));
      } else if (TRY(lexer_.accept("reduce"))) {
        nest.combine = TRY(expect_combine(lexer_));
        TRY(lexer_.expect("from"));
        nest.init = TRY(value(DType::F32, 0));
      } else if (TRY(lexer_.accept("term"))) {
        nest.term = TRY(value(DType::F32, 0));
      } else if (TRY(lexer_.accept("store"))) {
        nest.stores.push_back(TRY(store()));
      } else {
        TRY(name_value());
      }
    }
    kernel_.nests.push_back(std::move(nest));
    return {};
  }

  Result<Store> store() {
    Store store;
    Token name = TRY(lexer_.expect_kind(TokenKind::Word, "a buffer"));
    store.buffer = find_buffer(name.spelling);
    if (!store.buffer) return lexer_.error_at(name.offset, cat("there is no buffer ", name.spelling));
    if (kernel_[store.buffer].storage == Storage::Memory) store.indices = TRY(index_.list());
    TRY(lexer_.expect("="));
    store.value = TRY(value(kernel_[store.buffer].dtype, 0));
    return store;
  }

  Status name_value() {
    Token name = TRY(lexer_.expect_kind(TokenKind::Name, "for, reduce, term, store, a named value or }"));
    if (find_named(name.value))
      return lexer_.error_at(name.offset, cat("%", name.value, " is defined twice"));
    TRY(lexer_.expect("="));
    ValueId id = TRY(value(std::nullopt, 0));
    named_.push_back({std::move(name.value), id});
    return {};
  }

  // `wanted`: the type it must have.
  Result<ValueId> value(std::optional<DType> wanted, int depth) {
    int64_t offset = TRY(lexer_.peek())->offset;
    if (depth > kDeepest) return lexer_.error_at(offset, cat("values nest deeper than ", kDeepest));
    ValueId id = TRY(any_value(depth));
    if (wanted && kernel_[id].dtype != *wanted)
      return lexer_.error_at(offset, *wanted == DType::F32 ? "this must be f32" : "this must be i32");
    return id;
  }

  Result<ValueId> any_value(int depth) {
    const Token* token = TRY(lexer_.peek());
    if (token->kind == TokenKind::Name) {
      Token name = TRY(lexer_.next());
      ValueId id = find_named(name.value);
      if (!id) return lexer_.error_at(name.offset, cat("%", name.value, " is not defined before this"));
      return id;
    }
    bool is_number = token->kind != TokenKind::Word || token->spelling == "inf" || token->spelling == "nan";
    if (is_number) return kernel_.constant(static_cast<float>(TRY(lexer_.expect_number())));
    Token word = TRY(lexer_.next());
    if (word.spelling == "result") return kernel_.result();
    if (word.spelling == "i32") {
      int64_t number = TRY(lexer_.expect_integer());
      if (number < INT32_MIN || number > INT32_MAX)
        return lexer_.error_at(word.offset, "this does not fit i32");
      return kernel_.constant_bits(static_cast<uint32_t>(number), DType::I32);
    }
    if (BufferId buffer = find_buffer(word.spelling)) {
      std::vector<Index> indices;
      if (kernel_[buffer].storage == Storage::Memory) indices = TRY(index_.list());
      return kernel_.load(buffer, std::move(indices));
    }
    if (word.spelling == "select") return select(depth);
    auto operation = operation_of_text(word.spelling);
    if (!operation)
      return lexer_.error_at(word.offset, cat("'", word.spelling, "' is neither an operation nor a buffer"));
    return apply(*operation, depth);
  }

  Result<ValueId> apply(Operation operation, int depth) {
    const OperationInfo& info = info_of(operation);
    TRY(lexer_.expect("("));
    std::array<ValueId, 3> operands;
    for (uint8_t i = 0; i < info.operands; ++i) {
      if (i > 0) TRY(lexer_.expect(","));
      operands[i] = TRY(value(info.operand, depth + 1));
    }
    TRY(lexer_.expect(")"));
    return kernel_.apply(operation, operands[0], operands[1], operands[2]);
  }

  Result<ValueId> select(int depth) {
    TRY(lexer_.expect("("));
    ValueId condition = TRY(value(DType::I32, depth + 1));
    TRY(lexer_.expect(","));
    ValueId if_true = TRY(value(std::nullopt, depth + 1));
    TRY(lexer_.expect(","));
    ValueId if_false = TRY(value(kernel_[if_true].dtype, depth + 1));
    TRY(lexer_.expect(")"));
    return kernel_.select(condition, if_true, if_false);
  }

  BufferId find_buffer(std::string_view name) const {
    auto at = std::ranges::find(kernel_.buffers, name, &Buffer::name);
    return at == kernel_.buffers.end() ? BufferId()
                                       : BufferId(static_cast<size_t>(at - kernel_.buffers.begin()));
  }

  ValueId find_named(std::string_view name) const {
    auto at = std::ranges::find(named_, name, &std::pair<std::string, ValueId>::first);
    return at == named_.end() ? ValueId() : at->second;
  }

  Lexer lexer_;
  Kernel kernel_;
  IndexParser index_;
  std::vector<std::pair<std::string, ValueId>> named_;
};

}  // namespace

Result<Kernel> parse_kernel(std::string_view text) { return KernelParser(text).run(); }

}  // namespace fuselane::loop
