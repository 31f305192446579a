#include "graph/print.h"

#include "graph/ops.h"
#include "text/lexer.h"

namespace fuselane {
namespace {

// Symbols come from exporters ("unk__12", "batch size"): those that are not words are quoted.
bool is_word(std::string_view text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  for (char c : text) {
    bool ok =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
    if (!ok) return false;
  }
  return text[0] != '.';
}

class GraphPrinter {
 public:
  explicit GraphPrinter(const Graph& graph) : graph_(graph) {}

  std::string run() {
    append(out_, "graph ");
    append_quoted(out_, graph_.name);
    append(out_, " {\n");
    for (const std::string& source : graph_.sources) {
      append(out_, "  source ");
      append_quoted(out_, source);
      append(out_, "\n");
    }
    for (size_t i = 0; i < graph_.value_count(); ++i) {
      if (graph_[ValueId(i)].constant) constant(ValueId(i));
    }
    body(graph_.main(), 1);
    for (size_t i = 0; i < graph_.main().outputs.size(); ++i) {
      append(out_, "  output ");
      append_quoted(out_, graph_.output_names[i]);
      append(out_, " = ");
      name(graph_.main().outputs[i]);
      append(out_, "\n");
    }
    append(out_, "}\n");
    return std::move(out_);
  }

  void type(const ValueType& type) {
    if (type.kind == ValueKind::Sequence) append(out_, "seq ");
    if (type.kind == ValueKind::Optional) append(out_, "optional ");
    if (type.kind == ValueKind::OptionalSequence) append(out_, "optional seq ");
    append(out_, text_of(type.dtype));
    append(out_, "[");
    if (!type.dims) append(out_, "*");
    for (size_t i = 0; type.dims && i < type.dims->size(); ++i) {
      if (i > 0) append(out_, ",");
      dim((*type.dims)[i]);
    }
    append(out_, "]");
  }

  std::string take() { return std::move(out_); }

 private:
  void dim(const Dim& dim) {
    if (dim.known()) {
      append(out_, dim.extent);
    } else if (dim.symbol) {
      std::string_view symbol = graph_.name_of(dim.symbol);
      if (is_word(symbol)) {
        append(out_, symbol);
      } else {
        append_quoted(out_, symbol);
      }
    } else {
      append(out_, "?");
    }
  }

  void name(ValueId id) {
    if (id) {
      append_name(out_, graph_[id].name);
    } else {
      append(out_, "_");
    }
  }

  void element(const Tensor& tensor, int64_t i) {
    if (tensor.dtype() == DType::String) {
      append_quoted(out_, tensor.strings()[static_cast<size_t>(i)]);
    } else if (tensor.dtype() == DType::UInt64) {
      append(out_, static_cast<uint64_t>(tensor.integer(i)));
    } else if (tensor.dtype() == DType::Float32) {
      append(out_, static_cast<float>(tensor.number(i)));
    } else if (is_float(tensor.dtype())) {
      append(out_, tensor.number(i));
    } else {
      append(out_, tensor.integer(i));
    }
  }

  void constant(ValueId id) {
    const Constant& constant = *graph_.constant_of(id);
    append(out_, "  const ");
    name(id);
    append(out_, ": ");
    type(graph_[id].type);
    if (constant.data) {
      append(out_, " = [");
      for (int64_t i = 0; i < constant.data->count(); ++i) {
        if (i > 0) append(out_, ", ");
        element(*constant.data, i);
      }
      append(out_, "]\n");
      return;
    }
    append(out_, cat(" = source ", constant.source, " at ", constant.offset, " length ", constant.length));
    append(out_, constant.encoding == ConstantEncoding::Varints ? " varints\n" : "\n");
  }

  void attribute(Attr attr, const AttrValue& value) {
    append(out_, text_of(attr));
    append(out_, " = ");
    switch (kind_of(attr)) {
      case AttrKind::Int:
        return append(out_, std::get<int64_t>(value));
      case AttrKind::Float:
        return number(std::get<double>(value));
      case AttrKind::Text:
        return append_quoted(out_, std::get<std::string>(value));
      case AttrKind::Type:
        return append(out_, text_of(std::get<DType>(value)));
      case AttrKind::Ints:
        return append(out_, cat("[", join(std::get<std::vector<int64_t>>(value)), "]"));
      case AttrKind::Floats:
        return list(std::get<std::vector<double>>(value), [&](double x) { number(x); });
      case AttrKind::Texts:
        return list(std::get<std::vector<std::string>>(value),
                    [&](const std::string& x) { append_quoted(out_, x); });
    }
  }

  // Attributes of ONNX are float32: print those digits where they say the same number.
  void number(double value) {
    auto single = static_cast<float>(value);
    if (static_cast<double>(single) == value) {
      append(out_, single);
    } else {
      append(out_, value);
    }
  }

  template <class List, class Each>
  void list(const List& values, Each each) {
    append(out_, "[");
    for (size_t i = 0; i < values.size(); ++i) {
      if (i > 0) append(out_, ", ");
      each(values[i]);
    }
    append(out_, "]");
  }

  void body(const Block& block, int depth) {
    for (ValueId input : block.inputs) {
      indent(depth);
      append(out_, "input ");
      name(input);
      append(out_, ": ");
      type(graph_[input].type);
      append(out_, "\n");
    }
    for (NodeId id : block.nodes) node(graph_[id], depth);
  }

  void node(const Node& node, int depth) {
    indent(depth);
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (i > 0) append(out_, ", ");
      name(node.outputs[i]);
      if (!node.outputs[i]) continue;
      append(out_, ": ");
      type(graph_[node.outputs[i]].type);
    }
    append(out_, cat(" = ", text_of(node.op), "("));
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (i > 0) append(out_, ", ");
      name(node.inputs[i]);
    }
    append(out_, ")");
    auto attributes = node.attributes.all();
    for (size_t i = 0; i < attributes.size(); ++i) {
      append(out_, i == 0 ? " {" : ", ");
      attribute(attributes[i].first, attributes[i].second);
    }
    if (!attributes.empty()) append(out_, "}");
    if (!node.name.empty()) {
      append(out_, " ");
      append_quoted(out_, node.name);
    }
    for (BlockId block : node.blocks) {
      append(out_, " do {\n");
      body(graph_[block], depth + 1);
      indent(depth + 1);
      append(out_, "yield");
      for (size_t i = 0; i < graph_[block].outputs.size(); ++i) {
        append(out_, i == 0 ? " " : ", ");
        name(graph_[block].outputs[i]);
      }
      append(out_, "\n");
      indent(depth);
      append(out_, "}");
    }
    append(out_, "\n");
  }

  void indent(int depth) { out_.append(static_cast<size_t>(depth) * 2, ' '); }

  const Graph& graph_;
  std::string out_;
};

}  // namespace

std::string print(const Graph& graph) { return GraphPrinter(graph).run(); }

std::string print(const Graph& graph, const ValueType& type) {
  GraphPrinter printer(graph);
  printer.type(type);
  return printer.take();
}

}  // namespace fuselane
