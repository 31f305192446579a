#include "graph/parse.h"

#include "graph/ops.h"
#include "text/lexer.h"

namespace fuselane {
namespace {

// Blocks nest in text as deep as this; deeper is refused rather than a risk to the stack.
constexpr int kDeepest = 64;

class GraphParser {
 public:
  explicit GraphParser(std::string_view text) : lexer_(text) {}

  Result<Graph> run() {
    TRY(lexer_.expect("graph"));
    graph_.name = TRY(lexer_.expect_kind(TokenKind::Text, "the graph's name in quotes")).value;
    TRY(lexer_.expect("{"));
    TRY(body(Graph::kMain, 0));
    TRY(lexer_.expect("}"));
    TRY(lexer_.expect_kind(TokenKind::End, "the end of the text"));
    return std::move(graph_);
  }

 private:
  // Statements up to the closing brace, which stays.
  Status body(BlockId block, int depth) {
    if (depth > kDeepest) return lexer_.error_at(0, cat("blocks nest deeper than ", kDeepest));
    while (true) {
      const Token* token = TRY(lexer_.peek());
      if (token->spelling == "}" || token->kind == TokenKind::End) return {};
      if (token->kind == TokenKind::Word && token->spelling != "_") {
        TRY(keyword(block, depth));
      } else {
        TRY(node(block, depth));
      }
    }
  }

  Status keyword(BlockId block, int depth) {
    Token word = TRY(lexer_.next());
    if (word.spelling == "input") {
      Token name = TRY(new_name());
      graph_.add_input(block, name.value, TRY(type_after_colon()));
      return {};
    }
    if (word.spelling == "const") return constant();
    if (depth == 0 && word.spelling == "source") {
      graph_.sources.push_back(TRY(lexer_.expect_kind(TokenKind::Text, "the source's name in quotes")).value);
      return {};
    }
    if (depth == 0 && word.spelling == "output") {
      graph_.output_names.push_back(
          TRY(lexer_.expect_kind(TokenKind::Text, "the output's name in quotes")).value);
      TRY(lexer_.expect("="));
      graph_.at(block).outputs.push_back(TRY(used_name()));
      return {};
    }
    if (depth > 0 && word.spelling == "yield") {
      if (TRY(lexer_.peek())->kind != TokenKind::Name) return {};
      do {
        graph_.at(block).outputs.push_back(TRY(used_name()));
      } while (TRY(lexer_.accept(",")));
      return {};
    }
    return lexer_.error_at(word.offset, cat("'", word.spelling, "' does not start a statement here"));
  }

  Result<Token> new_name() {
    Token name = TRY(lexer_.expect_kind(TokenKind::Name, "a value"));
    if (graph_.find(name.value))
      return lexer_.error_at(name.offset, cat("%", name.value, " is defined twice"));
    return name;
  }

  Result<ValueId> used_name() {
    Token name = TRY(lexer_.expect_kind(TokenKind::Name, "a value"));
    ValueId id = graph_.find(name.value);
    if (!id) return lexer_.error_at(name.offset, cat("%", name.value, " is not defined before this"));
    return id;
  }

  Result<ValueType> type_after_colon() {
    TRY(lexer_.expect(":"));
    ValueType type;
    bool optional = TRY(lexer_.accept("optional"));
    bool sequence = TRY(lexer_.accept("seq"));
    type.kind = optional && sequence ? ValueKind::OptionalSequence
                : optional           ? ValueKind::Optional
                : sequence           ? ValueKind::Sequence
                                     : ValueKind::Tensor;
    type.dtype = TRY(dtype());
    TRY(lexer_.expect("["));
    if (TRY(lexer_.accept("*"))) {
      TRY(lexer_.expect("]"));
      return type;
    }
    type.dims.emplace();
    if (TRY(lexer_.accept("]"))) return type;
    do {
      type.dims->push_back(TRY(dim()));
    } while (TRY(lexer_.accept(",")));
    TRY(lexer_.expect("]"));
    return type;
  }

  Result<DType> dtype() {
    Token token = TRY(lexer_.expect_kind(TokenKind::Word, "an element type"));
    auto dtype = dtype_of_text(token.spelling);
    if (!dtype) return lexer_.error_at(token.offset, cat("'", token.spelling, "' is not an element type"));
    return *dtype;
  }

  Result<Dim> dim() {
    if (TRY(lexer_.accept("?"))) return Dim();
    const Token* token = TRY(lexer_.peek());
    if (token->kind == TokenKind::Word) return Dim(graph_.symbol(TRY(lexer_.next()).spelling));
    if (token->kind == TokenKind::Text) return Dim(graph_.symbol(TRY(lexer_.next()).value));
    int64_t offset = token->offset;
    int64_t extent = TRY(lexer_.expect_integer());
    if (extent < 0) return lexer_.error_at(offset, "an extent is not negative");
    return Dim(extent);
  }

  Status constant() {
    Token name = TRY(new_name());
    ValueType type = TRY(type_after_colon());
    auto dims = type.dims ? concrete(*type.dims) : std::nullopt;
    if (!dims || type.kind != ValueKind::Tensor) {
      return lexer_.error_at(name.offset, "a constant is a tensor whose shape is known");
    }
    TRY(lexer_.expect("="));
    if (TRY(lexer_.accept("["))) {
      graph_.add_constant(name.value, TRY(elements(type.dtype, *std::move(dims), name.offset)));
      return {};
    }
    TRY(lexer_.expect("source"));
    Constant constant{.dtype = type.dtype, .dims = *std::move(dims), .data = {}};
    constant.source = static_cast<uint32_t>(TRY(lexer_.expect_integer()));
    if (constant.source >= graph_.sources.size())
      return lexer_.error_at(name.offset, "this source is not declared");
    TRY(lexer_.expect("at"));
    constant.offset = static_cast<uint64_t>(TRY(lexer_.expect_integer()));
    TRY(lexer_.expect("length"));
    constant.length = static_cast<uint64_t>(TRY(lexer_.expect_integer()));
    if (TRY(lexer_.accept("varints"))) constant.encoding = ConstantEncoding::Varints;
    graph_.add_constant(name.value, std::move(constant));
    return {};
  }

  Result<Tensor> elements(DType dtype, Dims dims, int64_t offset) {
    Tensor tensor = TRY(Tensor::allocate(dtype, std::move(dims)));
    for (int64_t i = 0; i < tensor.count(); ++i) {
      if (i > 0) TRY(lexer_.expect(","));
      if (dtype == DType::String) {
        tensor.strings()[static_cast<size_t>(i)] = TRY(lexer_.expect_kind(TokenKind::Text, "a text")).value;
      } else if (is_float(dtype)) {
        store_double(dtype, tensor.bytes().data(), i, TRY(lexer_.expect_number()));
      } else if (dtype == DType::UInt64) {
        TRY(lexer_.peek());
        store_int(dtype, tensor.bytes().data(), i, static_cast<int64_t>(TRY(unsigned_integer())));
      } else if (is_number(dtype)) {
        store_int(dtype, tensor.bytes().data(), i, TRY(lexer_.expect_integer()));
      } else {
        return lexer_.error_at(offset, cat("elements of type ", text_of(dtype), " cannot be written here"));
      }
    }
    TRY(lexer_.expect("]"));
    return tensor;
  }

  Result<uint64_t> unsigned_integer() {
    Token token = TRY(lexer_.expect_kind(TokenKind::Number, "an integer"));
    uint64_t value = 0;
    for (char c : token.spelling) {
      if (c < '0' || c > '9' || __builtin_mul_overflow(value, uint64_t{10}, &value) ||
          __builtin_add_overflow(value, static_cast<uint64_t>(c - '0'), &value)) {
        return lexer_.error_at(token.offset, cat("'", token.spelling, "' is not an unsigned 64-bit integer"));
      }
    }
    return value;
  }

  Status node(BlockId block, int depth) {
    Node node;
    std::vector<std::pair<std::string, ValueType>> results;  // an empty name is a result nobody wants
    do {
      if (TRY(lexer_.accept("_"))) {
        results.emplace_back();
        continue;
      }
      Token name = TRY(new_name());
      for (const auto& [other, type] : results) {
        if (other == name.value)
          return lexer_.error_at(name.offset, cat("%", name.value, " is defined twice"));
      }
      ValueType type = TRY(type_after_colon());
      results.emplace_back(std::move(name.value), std::move(type));
    } while (TRY(lexer_.accept(",")));
    TRY(lexer_.expect("="));
    Token op = TRY(lexer_.expect_kind(TokenKind::Word, "an operator"));
    auto known = op_of_text(op.spelling);
    if (!known) return lexer_.error_at(op.offset, cat("'", op.spelling, "' is not an operator"));
    node.op = *known;
    TRY(operands(node));
    if (TRY(lexer_.accept("{"))) TRY(attributes(node));
    if (TRY(lexer_.peek())->kind == TokenKind::Text) node.name = TRY(lexer_.next()).value;
    while (TRY(lexer_.accept("do"))) {
      TRY(lexer_.expect("{"));
      BlockId inner = graph_.add_block();
      TRY(body(inner, depth + 1));
      TRY(lexer_.expect("}"));
      node.blocks.push_back(inner);
    }
    for (auto& [name, type] : results) {
      if (!name.empty() && graph_.find(name))
        return lexer_.error_at(op.offset, cat("%", name, " is defined twice"));
      node.outputs.push_back(name.empty() ? ValueId() : graph_.add_value(std::move(name), std::move(type)));
    }
    graph_.append(block, std::move(node));
    return {};
  }

  Status operands(Node& node) {
    TRY(lexer_.expect("("));
    if (TRY(lexer_.accept(")"))) return {};
    do {
      node.inputs.push_back(TRY(lexer_.accept("_")) ? ValueId() : TRY(used_name()));
    } while (TRY(lexer_.accept(",")));
    return lexer_.expect(")");
  }

  Status attributes(Node& node) {
    do {
      Token key = TRY(lexer_.expect_kind(TokenKind::Word, "an attribute"));
      auto attr = attr_of_text(key.spelling);
      if (!attr) return lexer_.error_at(key.offset, cat("'", key.spelling, "' is not an attribute"));
      TRY(lexer_.expect("="));
      node.attributes.set(*attr, TRY(attribute(kind_of(*attr))));
    } while (TRY(lexer_.accept(",")));
    return lexer_.expect("}");
  }

  Result<AttrValue> attribute(AttrKind kind) {
    switch (kind) {
      case AttrKind::Int:
        return TRY(lexer_.expect_integer());
      case AttrKind::Float:
        return TRY(lexer_.expect_number());
      case AttrKind::Text:
        return TRY(lexer_.expect_kind(TokenKind::Text, "a text")).value;
      case AttrKind::Type:
        return TRY(dtype());
      case AttrKind::Ints:
        return list<int64_t>([&] { return lexer_.expect_integer(); });
      case AttrKind::Floats:
        return list<double>([&] { return lexer_.expect_number(); });
      case AttrKind::Texts:
        return list<std::string>([&]() -> Result<std::string> {
          return TRY(lexer_.expect_kind(TokenKind::Text, "a text")).value;
        });
    }
    return fail(ErrorCode::InternalError, "an attribute of no kind");
  }

  template <class T, class Read>
  Result<AttrValue> list(Read read) {
    std::vector<T> values;
    TRY(lexer_.expect("["));
    if (TRY(lexer_.accept("]"))) return AttrValue(std::move(values));
    do {
      values.push_back(TRY(read()));
    } while (TRY(lexer_.accept(",")));
    TRY(lexer_.expect("]"));
    return AttrValue(std::move(values));
  }

  Lexer lexer_;
  Graph graph_;
};

}  // namespace

Result<Graph> parse_graph(std::string_view text) { return GraphParser(text).run(); }

}  // namespace fuselane
