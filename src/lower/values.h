// Scalar bodies to instructions: a value of the loop IR becomes one of a scalar type or, inside a Vector
// loop, of a vector with an iteration in each lane.
#pragma once

#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/result.h"
#include "lower/frame.h"
#include "lower/unit.h"

namespace fuselane::lower_ir {

// The iterations that values are computed for at once.
struct Lanes {
  SymbolId symbol;               // the Vector loop's variable; none: one iteration
  std::optional<Index> count{};  // only so many of a vector, which is known when it runs: any number

  bool are_summed = false;  // it is a loop of a reduction

  bool is_vector() const { return static_cast<bool>(symbol); }
};

class Values {
 public:
  Values(Unit& unit, Frame& frame);

  // From here on values are those of another iteration.
  void next_point(const Lanes& lanes);
  const Lanes& lanes() const { return lanes_; }

  // What Result stands for in the stores that follow; a scalar in all lanes unless `is_vector`.
  void set_result(RegisterId reg, bool is_vector) {
    result_ = reg;
    result_is_vector_ = is_vector;
  }
  ExprId value(loop::ValueId id);
  // Of a polynomial over primitives what it is in the first lane.
  Index at_first_lane(const Index& index) const { return lane_ ? index.substitute(lane_, 0) : index; }
  // Of a result: where what is made of it takes many instructions, they are a function of their own, called
  // here. There are many results, and code for each of them would be most of a kernel's.
  void store(const loop::Store& store);
  // result = result combined with the term.
  void accumulate(loop::Combine combine, loop::ValueId term, RegisterId result);
  // The combination of two registers of the type of the results.
  ExprId combine(loop::Combine combine, ExprId a, ExprId b, bool is_vector);
  // What changes nothing.
  ExprId neutral(loop::Combine combine, bool is_vector);
  // All lanes combined.
  ExprId across(loop::Combine combine, RegisterId vector);

  low::Type type(bool is_vector) const { return is_vector ? low::Type::V128 : low::Type::F32; }
  // What could not be lowered, first.
  Status status() const;

 private:
  // What a register holds: an element or four of them, or a constant.
  struct Content {
    loop::BufferId buffer;  // none: a constant
    Index address;
    uint32_t bits = 0;
    bool is_vector = false;
    bool is_splat = false;
    bool operator==(const Content&) const = default;
  };
  // A register that holds it while its scope is open.
  struct Held {
    Content content;
    uint32_t depth;
    uint32_t scope;
    RegisterId reg;
  };
  struct Place {
    Index address;
    bool is_splat = false;  // the same element for all lanes
  };
  // A load or a store. In loops that are written out its address differs from point to point by constants in
  // the place of their variables: it is resolved once, with these left in it, unless they are in definitions.
  struct Access {
    struct Resolved {
      bool is_vector = false;
      std::vector<int64_t> versions;  // of the variables; kWrittenOut for those that are left
      Place place;
    };
    std::vector<SymbolId> variables;
    std::vector<bool> are_in_definitions;
    std::vector<Resolved> list;
  };
  static constexpr int64_t kWrittenOut = std::numeric_limits<int64_t>::min();

  Access access(const std::vector<Index>& indices) const;
  void add_variables(const Index& index, bool is_definition, Access& access) const;
  int64_t version(const Access& access, size_t i) const;
  Place place(Access& access, loop::BufferId buffer, const std::vector<Index>& indices);
  Place general_place(const Access& access, loop::BufferId buffer, const std::vector<Index>& indices);
  const Index& step(loop::BufferId buffer, size_t dimension);
  bool is_open(const Held& entry) const;
  RegisterId held(Content wanted, bool hoists);
  ExprId load(loop::ValueId id);
  ExprId load_now(const Content& wanted);
  ExprId load_part(const Index& address);
  ExprId compute(loop::ValueId id);
  ExprId stored(loop::ValueId id);
  std::vector<bool> parts_of(loop::ValueId id) const;
  Unit::Computation computation_of(loop::ValueId id);
  low::FunctionId function_of(const Unit::Computation& made);
  ExprId apply(const loop::Value& value);
  ExprId mul_add(const loop::Value& value);
  ExprId scalar(const loop::Value& value);
  ExprId truth(ExprId condition);
  ExprId constant(uint32_t bits, loop::DType dtype);
  ExprId splat(uint32_t bits);
  void decline(std::string sentence);

  Unit& unit_;
  Frame& frame_;
  low::Builder& b;
  bool fuses_;  // relaxed multiply and add
  std::vector<uint32_t> uses_;
  Lanes lanes_;
  SymbolId lane_;  // a primitive for the number of a lane
  RegisterId result_;
  bool result_is_vector_ = false;
  std::vector<RegisterId> known_;  // of this point, by value
  std::vector<Held> held_;
  std::vector<uint32_t> hashes_;              // of their contents
  std::vector<std::vector<Index>> steps_;     // of buffers: the first strides in bytes, those that were used
  std::vector<std::optional<Access>> loads_;  // by value
  std::vector<std::pair<const loop::Store*, Access>> stores_;
  std::vector<RegisterId> registers_;  // of Register buffers
  std::optional<Error> failure_;
};

}  // namespace fuselane::lower_ir
