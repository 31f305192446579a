#include "import/onnx/build.h"

#include "graph/print.h"
#include "graph/verify.h"
#include "import/onnx/node_import.h"
#include "import/onnx/operators.h"
#include "import/onnx/order.h"
#include "import/onnx/tensor.h"

namespace fuselane {
namespace {

std::unexpected<Error> wrong(std::string_view subject, std::string message) {
  return fail_about(ErrorCode::InvalidModel, subject, std::move(message));
}

// Errors of shape rules name a node by its name; one without a name is known by what it computes.
Error located(Error error, const Node& node, const NodeDef& def) {
  error.node = def.name;
  if (!def.name.empty()) return error;
  std::string anonymous = describe(node);
  if (error.message.starts_with(anonymous)) error.message.erase(0, anonymous.size() + 2);
  error.message = cat(describe(def), ": ", error.message);
  return error;
}

}  // namespace

Status GraphBuilder::run() {
  opset_ = *model_.opset_of("");
  graph_.name = model_.graph->name;
  reserve_names(*model_.graph);
  return build_graph(*model_.graph, Graph::kMain);
}

void GraphBuilder::reserve_names(const GraphDef& graph) {
  size_t values = graph.inputs.size() + graph.initializers.size();
  for (const ValueInfoDef& input : graph.inputs) reserved_.insert(input.name);
  for (const TensorDef& tensor : graph.initializers) reserved_.insert(tensor.name);
  for (const NodeDef& node : graph.nodes) {
    reserved_.insert(node.outputs.begin(), node.outputs.end());
    values += node.outputs.size();
  }
  graph_.reserve(values, graph.nodes.size());
}

// --- names ---

std::string GraphBuilder::fresh_name(std::string_view base) {
  std::string name(base);
  auto taken = [&] { return reserved_.contains(name) || graph_.find(name); };
  if (!taken()) return name;
  int& suffix = suffixes_[name];
  do {
    name = cat(base, ".", ++suffix);
  } while (taken());
  return name;
}

Status GraphBuilder::define(std::string_view name, Slot slot) {
  if (scopes_.back().slots.emplace(name, slot).second) return {};
  return wrong(name, cat("two values are named '", name, "'"));
}

Result<ValueId> GraphBuilder::define_output(const std::string& name) {
  if (name.empty()) return ValueId();
  Scope& scope = scopes_.back();
  ValueId value = graph_.add_value(scopes_.size() == 1 ? name : fresh_name(name), {});
  TRY(define(name, {.value = value}));
  auto declared = scope.declared.find(name);
  declared_.resize(value.index + size_t{1});
  if (declared != scope.declared.end()) declared_[value.index] = declared->second;
  return value;
}

Result<ValueId> GraphBuilder::resolve(std::string_view name) {
  for (size_t depth = scopes_.size(); depth-- > 0;) {
    auto at = scopes_[depth].slots.find(name);
    if (at == scopes_[depth].slots.end()) continue;
    Slot& slot = at->second;
    if (!slot.value) slot.value = TRY(add_constant(name, depth, slot));
    return slot.value;
  }
  return ValueId();
}

Result<ValueId> GraphBuilder::add_constant(std::string_view name, size_t depth, const Slot& slot) {
  Constant constant =
      TRY(slot.tensor ? constant_of(*slot.tensor, window_) : constant_of_node(*slot.constant, window_));
  return graph_.add_constant(depth == 0 ? std::string(name) : fresh_name(name), std::move(constant));
}

// --- graphs ---

Status GraphBuilder::build_graph(const GraphDef& graph, BlockId block) {
  if (graph.sparse_initializers > 0) {
    return fail(ErrorCode::UnsupportedModel, cat("the model has ", graph.sparse_initializers,
                                                 " sparse initializers, which are not supported"));
  }
  std::vector<size_t> order = TRY(order_nodes(graph));
  Scope& scope = scopes_.emplace_back();
  for (const ValueInfoDef& info : graph.value_infos) scope.declared.emplace(info.name, &info.type);
  // What a model promises its callers counts more than what it notes in between.
  for (const ValueInfoDef& info : graph.outputs) scope.declared[info.name] = &info.type;
  for (const TensorDef& tensor : graph.initializers) {
    if (tensor.name.empty()) return fail(ErrorCode::InvalidModel, "an initializer has no name");
    TRY(define(tensor.name, {.tensor = &tensor}));
  }
  TRY(add_inputs(graph, block));
  for (size_t i : order) TRY(build_node(graph.nodes[i], block));
  TRY(add_outputs(graph, block));
  scopes_.pop_back();
  return {};
}

Status GraphBuilder::add_inputs(const GraphDef& graph, BlockId block) {
  std::unordered_set<std::string_view> seen;
  for (const ValueInfoDef& input : graph.inputs) {
    if (input.name.empty()) return fail(ErrorCode::InvalidModel, "an input has no name");
    if (!seen.insert(input.name).second) {
      return wrong(input.name, cat("two inputs are named '", input.name, "'"));
    }
    // Files of IR 3 list every initializer among the inputs; later ones may, as a default. Both are
    // constants.
    if (scopes_.back().slots.contains(input.name)) continue;
    if (block != Graph::kMain) {
      return wrong(input.name,
                   cat("a branch of an If node has an input '", input.name, "', it may have none"));
    }
    auto type = type_of(input.type);
    if (!type) {
      return wrong(input.name, cat("input '", input.name,
                                   "' has no type, or one that is not a tensor, a "
                                   "sequence or an optional of tensors"));
    }
    TRY(define(input.name, {.value = graph_.add_input(block, input.name, *std::move(type))}));
  }
  return {};
}

Status GraphBuilder::add_outputs(const GraphDef& graph, BlockId block) {
  for (const ValueInfoDef& output : graph.outputs) {
    ValueId value = TRY(resolve(output.name));
    if (!value) {
      return wrong(output.name, cat("output '", output.name, "' is computed by no node"));
    }
    graph_.at(block).outputs.push_back(value);
    if (block != Graph::kMain) continue;
    for (const std::string& other : graph_.output_names) {
      if (other == output.name) return wrong(output.name, cat("two outputs are named '", output.name, "'"));
    }
    graph_.output_names.push_back(output.name);
    TRY(check_declared(output, value));
  }
  return {};
}

// A caller prepares for what the model declares, so a declaration that contradicts what is computed is an
// error; symbols are only names and may differ.
Status GraphBuilder::check_declared(const ValueInfoDef& output, ValueId value) {
  auto declared = type_of(output.type);
  if (!declared || fits(*declared, graph_[value].type)) return {};
  return wrong(output.name, cat("output '", output.name, "' is declared as ", print(graph_, *declared),
                                ", but computed as ", print(graph_, graph_[value].type)));
}

// --- nodes ---

Status GraphBuilder::build_node(const NodeDef& node, BlockId block) {
  std::vector<ValueId> inputs;
  for (const std::string& name : node.inputs) {
    ValueId value = name.empty() ? ValueId() : TRY(resolve(name));
    if (!value && !name.empty()) {
      auto error = wrong(name, cat(describe(node), " reads '", name, "', which nothing defines"));
      error.error().node = node.name;
      return error;
    }
    inputs.push_back(value);
  }
  while (!inputs.empty() && !inputs.back()) inputs.pop_back();

  const OnnxOperator* row = find_onnx_operator(node.op_type);
  if (!row) return fail(ErrorCode::InternalError, cat(describe(node), " was not checked"));
  NodeImport import(*this, block, node, opset_, std::move(inputs));
  if (node.outputs.empty()) return import.refuse("computes nothing");
  if (!row->import) {
    if (node.op_type == "If") return build_if(node, block, std::move(import.inputs));
    if (node.outputs.size() != 1 || node.outputs[0].empty()) return import.refuse("must have one output");
    return define(node.outputs[0], {.constant = &node});
  }
  TRY(row->import(import));
  return import.check_taken();
}

Status GraphBuilder::build_if(const NodeDef& node, BlockId block, std::vector<ValueId> inputs) {
  Node result{.op = Op::If,
              .name = node.name,
              .inputs = std::move(inputs),
              .outputs = {},
              .attributes = {},
              .blocks = {}};
  for (std::string_view branch : {"then_branch", "else_branch"}) {
    const AttributeDef* attribute = node.find(branch);
    if (!attribute || !attribute->graph) {
      return wrong(node.name, cat(describe(node), " has no graph '", branch, "'"));
    }
    result.blocks.push_back(graph_.add_block());
    TRY(build_graph(*attribute->graph, result.blocks.back()));
  }
  for (const std::string& output : node.outputs) result.outputs.push_back(TRY(define_output(output)));
  return append(block, std::move(result), node);
}

Status GraphBuilder::append(BlockId block, Node node, const NodeDef& def) {
  auto types = infer(node, operands_of(graph_, node), block_results_of(graph_, node));
  if (!types) return std::unexpected(located(std::move(types.error()), node, def));
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    ValueId output = node.outputs[i];
    if (!output) continue;
    ValueType& type = graph_.at(output).type = std::move((*types)[i]);
    if (output.index < declared_.size() && declared_[output.index]) complete(type, *declared_[output.index]);
  }
  graph_.append(block, std::move(node));
  return {};
}

// --- types ---

std::optional<ValueType> GraphBuilder::type_of(const TypeDef& declared) {
  ValueType type;
  switch (declared.kind) {
    case TypeDef::Kind::Tensor:
      type.kind = ValueKind::Tensor;
      break;
    case TypeDef::Kind::Sequence:
      type.kind = ValueKind::Sequence;
      break;
    case TypeDef::Kind::Optional:
      type.kind = ValueKind::Optional;
      break;
    case TypeDef::Kind::OptionalSequence:
      type.kind = ValueKind::OptionalSequence;
      break;
    case TypeDef::Kind::Missing:
    case TypeDef::Kind::Other:
      return std::nullopt;
  }
  auto dtype = dtype_of_onnx(declared.element_type);
  if (!dtype) return std::nullopt;
  type.dtype = *dtype;
  if (!declared.dims) return type;
  type.dims.emplace();
  for (const TypeDef::DimDef& dim : *declared.dims) {
    // Some exporters write -1 for an extent they do not know.
    if (dim.extent && *dim.extent >= 0) {
      type.dims->emplace_back(*dim.extent);
    } else if (!dim.symbol.empty()) {
      type.dims->emplace_back(graph_.symbol(dim.symbol));
    } else {
      type.dims->emplace_back();
    }
  }
  return type;
}

void GraphBuilder::complete(ValueType& derived, const TypeDef& declared) {
  if (derived.dims) {
    bool all_known = true;
    for (const Dim& dim : *derived.dims) all_known = all_known && (dim.known() || dim.symbol);
    if (all_known) return;
  }
  auto said = type_of(declared);
  if (!said || !said->dims || !fits(*said, derived)) return;
  if (!derived.dims) {
    derived.dims = std::move(said->dims);
    return;
  }
  for (size_t i = 0; i < derived.dims->size(); ++i) {
    Dim& dim = (*derived.dims)[i];
    if (!dim.known() && !dim.symbol) dim = (*said->dims)[i];
  }
}

}  // namespace fuselane
