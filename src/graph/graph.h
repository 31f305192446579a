// The graph IR: whole tensors, SSA, hardware-independent.
//
// A graph is tables of values, nodes, constants and blocks, indexed by typed ids. Block 0 is the model; a
// node with blocks (If) runs one of them, and their nodes may read every value that is in scope at the node.
// Names of values are unique in the whole graph. Nodes of a block stand in an order in which every operand is
// defined before it is read.
//
// Constants are references into the model's files (read once, when they are packed or folded); only small
// ones, and those a pass has made, lie in memory.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/byte_source.h"
#include "graph/inference.h"
#include "graph/node.h"
#include "types/tensor.h"

namespace fuselane {

struct Value {
  std::string name;
  ValueType type;
  // At most one of these two; neither for an input of a block.
  NodeId producer;
  ConstantId constant;
};

// How the elements of a constant lie in its file.
enum class ConstantEncoding : uint8_t {
  Raw,      // little-endian, dense, as in memory
  Varints,  // packed protobuf varints, one for each element
};

struct Constant {
  DType dtype = DType::Float32;
  Dims dims;
  std::shared_ptr<const Tensor> data;  // when in memory; otherwise the place in the file:
  uint32_t source = 0;                 // index into Graph::sources
  uint64_t offset = 0;
  uint64_t length = 0;
  ConstantEncoding encoding = ConstantEncoding::Raw;
};

struct Block {
  std::vector<ValueId> inputs;
  std::vector<NodeId> nodes;
  std::vector<ValueId> outputs;
  NodeId owner;  // none for block 0
};

class Graph {
 public:
  static constexpr BlockId kMain = BlockId(size_t{0});

  Graph() : blocks_(1) {}

  std::string name;
  std::vector<std::string> sources;       // names of the files that constants lie in
  std::vector<std::string> output_names;  // of the main block's outputs, as callers know them

  const Value& operator[](ValueId id) const { return values_[id.index]; }
  const Node& operator[](NodeId id) const { return nodes_[id.index]; }
  const Block& operator[](BlockId id) const { return blocks_[id.index]; }
  const Constant& operator[](ConstantId id) const { return constants_[id.index]; }
  Block& at(BlockId id) { return blocks_[id.index]; }
  Node& at(NodeId id) { return nodes_[id.index]; }
  Value& at(ValueId id) { return values_[id.index]; }
  const Block& main() const { return blocks_[0]; }
  size_t value_count() const { return values_.size(); }
  size_t node_count() const {
    return nodes_.size();
  }  // removed nodes included; a block's list says which are alive
  size_t block_count() const { return blocks_.size(); }
  size_t constant_count() const { return constants_.size(); }

  // The constant behind a value; null for a value that is computed.
  const Constant* constant_of(ValueId id) const {
    return values_[id.index].constant ? &constants_[values_[id.index].constant.index] : nullptr;
  }
  // The constant's elements when they are in memory.
  const Tensor* known(ValueId id) const {
    const Constant* constant = constant_of(id);
    return constant ? constant->data.get() : nullptr;
  }

  // The symbol of this name, made at the first request.
  SymbolId symbol(std::string_view name);
  std::string_view name_of(SymbolId id) const { return symbols_[id.index]; }
  std::span<const std::string> symbols() const { return symbols_; }

  // Finds a value by its name; none when there is none.
  ValueId find(std::string_view name) const;
  // `base` itself, or with the first free suffix ".1", ".2", ...
  std::string fresh_name(std::string_view base) const;

  // Each takes a name that is not used yet.
  ValueId add_value(std::string name, ValueType type);
  ValueId add_input(BlockId block, std::string name, ValueType type);
  ValueId add_constant(std::string name, Constant constant);
  ValueId add_constant(std::string name, Tensor tensor);
  BlockId add_block();
  // Adds the node without placing it in a block; its outputs' producer becomes the node, its blocks' owner
  // too.
  NodeId add_node(Node node);
  // The same, at the end of the block.
  NodeId append(BlockId block, Node node);
  void reserve(size_t values, size_t nodes);

 private:
  std::vector<Value> values_;
  std::vector<Node> nodes_;
  std::vector<Block> blocks_;
  std::vector<Constant> constants_;
  std::vector<std::string> symbols_;
  std::unordered_map<std::string, SymbolId> symbol_ids_;  // looked up, never walked
  std::unordered_map<std::string, ValueId> names_;        // looked up, never walked
};

// The types of the operands of a node as the graph records them, with the values of constants in memory.
std::vector<Operand> operands_of(const Graph& graph, const Node& node);
// The recorded types of each block's outputs.
std::vector<std::vector<ValueType>> block_results_of(const Graph& graph, const Node& node);

}  // namespace fuselane
