// The loop IR: what a kernel computes, as nests of loops over named buffers with scalar bodies, and in which
// order. A kernel begins as its algorithm's plain nests; schedule moves (moves.h) split, order and mark the
// loops and change nothing in what is computed, but for the order of sums. lower/ turns it into instructions.
//
// A kernel is called with a struct of arguments (library/kernel.h): the address of each buffer in memory, in
// their order, then each size, 4 bytes each. All its parallel loops together are the range it is called with.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "loop/index.h"

namespace fuselane::loop {

using BufferId = Id<struct LoopBufferTag>;
using ValueId = Id<struct LoopValueTag>;

enum class SymbolKind : uint8_t {
  Size,       // an argument, at least 0 and below 2^31
  Loop,       // the variable of a loop, from 0 on
  Quotient,   // of a by b, toward zero; both are at least 0, b at least 1
  Remainder,  // likewise
  Minimum,    // of a and b
  Start,      // the first iteration of the chunk that a split's outer loop is at (Tail::Even)
};

struct Symbol {
  std::string name;
  SymbolKind kind = SymbolKind::Size;
  Index a, b;         // of a defined symbol
  int64_t bound = 0;  // it is always below this; 0: not known
};

enum class DType : uint8_t { F32, I32 };

enum class Storage : uint8_t {
  Memory,    // an argument
  Register,  // scalars or vectors of one iteration of the kernel's outer loops; indices do not exist
};

struct Buffer {
  std::string name;
  DType dtype = DType::F32;
  Storage storage = Storage::Memory;
  bool written = false;
  // From one element to the next along each dimension, in elements.
  std::vector<Index> strides;
  // Along its last dimension elements may be read up to the next multiple of this: a packed buffer, which has
  // zeros there. 1: not past the end.
  uint32_t padded = 1;
};

enum class Operation : uint8_t {
#define OPERATION(id, text, operands, operand_type, result_type) id,
#include "loop/operations.def"
#undef OPERATION
};

struct OperationInfo {
  std::string_view text;
  uint8_t operands;
  DType operand, result;
};
const OperationInfo& info_of(Operation operation);

enum class ValueKind : uint8_t {
  Constant,  // of `bits`
  Load,      // of `buffer` at `indices`
  Result,    // the nest's reduction, in its stores only
  Apply,     // of `operation` to `operands`
  Select,    // operands: a truth, then what it is if true, if false
};

// A node of a scalar expression. Values may be used several times; operands come before their users.
struct Value {
  ValueKind kind = ValueKind::Constant;
  DType dtype = DType::F32;
  Operation operation = Operation::Add;
  uint32_t bits = 0;
  BufferId buffer;
  std::vector<Index> indices;
  std::vector<ValueId> operands;
  bool operator==(const Value&) const = default;
};

enum class LoopKind : uint8_t {
  Space,   // iterations are independent, and each writes elements of its own
  Reduce,  // iterations are summed up
};

// words.def says what each is.
enum class Mark : uint8_t {
#define MARK(id, text) id,
#include "loop/words.def"
};
// How a loop over `extent` iterations became two, an outer one over chunks and an inner one within a chunk.
enum class Tail : uint8_t {
#define TAIL(id, text) id,
#include "loop/words.def"
};
enum class Combine : uint8_t {
#define COMBINE(id, text) id,
#include "loop/words.def"
};
std::string_view text_of(Mark mark);
std::string_view text_of(Tail tail);
std::string_view text_of(Combine combine);

// Lanes of a Vector loop.
inline constexpr int64_t kLanes = 4;

// The inner loop's extent is min(factor, extent - factor * outer) for Rest; with chunks = (extent + factor -
// 1) / factor, it is extent / chunks, and one more in the first extent % chunks of them, for Even.
//
// A Rest split's inner loop, whose extent is min(F, ...), may be split Exact by a constant that divides F. In
// the last chunk both loops of that split then have fewer iterations, as for Rest; their Loop::extent is what
// they have in all others.
struct Split {
  SymbolId of;  // the loop that was split, which is no more: a split of an inner loop is found by it
  SymbolId outer, inner;
  Index extent;  // of that loop; of the inner loop of a Rest split the minimum above
  Index factor;
  Tail tail = Tail::Exact;
  SymbolId start;  // of Even: its symbol of kind Start
};

struct Loop {
  SymbolId symbol;
  LoopKind kind = LoopKind::Space;
  Mark mark = Mark::Serial;
  // Iterations. Of the inner loop of a split the most there can be: the factor.
  Index extent;
  bool operator==(const Loop&) const = default;
};

struct Store {
  BufferId buffer;
  std::vector<Index> indices;
  ValueId value;
};

// For each point of its Space loops: result = init, combined with `term` for each point of its Reduce loops;
// then the stores. Without Reduce loops only the stores. Loops are listed outermost first, in any order of
// kinds: a Space loop inside a Reduce loop must be Unroll or Vector, since its results are in registers.
struct Nest {
  std::string name;
  std::vector<Loop> loops;
  Combine combine = Combine::Add;
  ValueId init;  // of a nest that reduces
  ValueId term;
  std::vector<Store> stores;
};

// Its special members are functions of their own (kernel.cc), for the size of the wasm.
struct Kernel {
  Kernel();
  Kernel(const Kernel& other);
  Kernel(Kernel&& other) noexcept;
  Kernel& operator=(const Kernel& other);
  Kernel& operator=(Kernel&& other) noexcept;
  ~Kernel();

  std::string name;
  std::vector<Symbol> symbols;
  std::vector<Buffer> buffers;
  std::vector<Value> values;
  std::vector<Split> splits;
  std::vector<Loop> outer;  // around all nests, which run one after another inside
  std::vector<Nest> nests;

  const Symbol& operator[](SymbolId id) const { return symbols[id.index]; }
  const Buffer& operator[](BufferId id) const { return buffers[id.index]; }
  const Value& operator[](ValueId id) const { return values[id.index]; }

  SymbolId size(std::string symbol_name);
  SymbolId variable(std::string symbol_name, int64_t bound = 0);
  BufferId buffer(Buffer description);
  // Defined symbols, without names, each made once, and simplified where ranges allow: (8 j + i) / 8 is j if
  // i is below 8.
  Index quotient(const Index& a, const Index& b);
  Index remainder(const Index& a, const Index& b);
  Index minimum(const Index& a, const Index& b);

  // Values are made once too: the same expression is the same id.
  ValueId value(Value description);
  ValueId constant(float number);
  ValueId constant_bits(uint32_t bits, DType dtype);
  ValueId load(BufferId from, std::vector<Index> indices);
  ValueId result();
  ValueId apply(Operation operation, ValueId a, ValueId b = {}, ValueId c = {});
  ValueId select(ValueId condition, ValueId if_true, ValueId if_false);

  // The split whose inner loop this is, whose outer loop, and that which made two of it; null where there is
  // none.
  const Split* split_of_inner(SymbolId symbol) const;
  const Split* split_of_outer(SymbolId symbol) const;
  const Split* split_of(SymbolId symbol) const;

  // The least and the most an index can be, from the bounds of its symbols; nothing where one is not known.
  std::optional<int64_t> least(const Index& index) const;
  std::optional<int64_t> most(const Index& index) const;
  // `index` with `by` in the place of `symbol`, also in the definitions of its symbols.
  Index substitute(const Index& index, SymbolId symbol, const Index& by);
  // The iterations of a loop of this extent, where Loop::extent is only the most there can be. Not of the
  // inner loop of an Even split, where that is not an index.
  Index iterations(const Loop& loop);
  // Whether a loop has fewer iterations in the last chunk of a Rest split than in others.
  bool is_short(SymbolId symbol) const;
  // What a loop's variable is, by those of the loops it was split into: itself if it was not.
  Index position(SymbolId symbol) const;
  // Whether `symbol` is in `index` or in the definition of one of its symbols.
  bool depends(const Index& index, SymbolId symbol) const;
};

}  // namespace fuselane::loop
