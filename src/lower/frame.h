// A function under construction, and all its integers: which register holds which polynomial.
//
// Scopes are the function, its loops and its conditions. A statement can be added to any open scope: what
// does not change in a loop goes to the scope around it. Registers stand in polynomials as symbols of their
// own, beyond those of the kernel ("primitives").
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "loop/kernel.h"
#include "low/build.h"

namespace fuselane::lower_ir {

using loop::Index;
using loop::SymbolId;
using loop::Term;
using low::ExprId;
using low::RegisterId;

class Frame {
 public:
  Frame(low::Function& function, const loop::Kernel& kernel);

  low::Builder b;

  // The register with the address of the arguments; parameter 0.
  void set_arguments(RegisterId args) { args_ = args; }

  // What a loop's variable or a start is, as a polynomial over primitives; replaces what it was.
  void bind(SymbolId symbol, Index value);
  bool is_bound(SymbolId symbol) const { return bound_[symbol.index]; }
  // Which symbols are bound; and those alone again, when others' loops have ended.
  const std::vector<bool>& bound() const { return bound_; }
  void forget_all_but(const std::vector<bool>& bound) { bound_ = bound; }
  // Bound, and to what registers hold.
  bool is_known(SymbolId symbol) const;
  const Index& binding(SymbolId symbol) const { return bindings_[symbol.index]; }
  // The same number means the same binding, now or before.
  int64_t version(SymbolId symbol) const { return versions_[symbol.index]; }
  // A register as a symbol, written in the innermost scope.
  SymbolId primitive(RegisterId reg);
  // Over primitives, and the variables `kept`, which stay.
  Index resolve(const Index& index, std::span<const SymbolId> kept = {});
  // A variable that was resolved where it had no value, if there was one: the function is not to be used.
  SymbolId missing() const { return missing_; }
  // Whether a polynomial had a product of too many symbols: the function is not to be used.
  bool is_too_large() const { return is_too_large_; }
  // Of polynomials over primitives: `y` is at least 1.
  Index quotient(const Index& x, const Index& y) { return defined(loop::SymbolKind::Quotient, x, y); }
  Index remainder(const Index& x, const Index& y) { return defined(loop::SymbolKind::Remainder, x, y); }
  Index minimum(const Index& x, const Index& y) { return defined(loop::SymbolKind::Minimum, x, y); }

  // A polynomial over primitives in a register or as a constant.
  ExprId value(const Index& resolved);
  // The same for addresses, which differ by a fixed step from one iteration of a loop to the next: without
  // the constant, which is the offset of the access.
  ExprId address(const Index& resolved, uint32_t& offset);
  const Index& base(loop::BufferId buffer);
  // The least scope in which all that is used is known.
  uint32_t depth_of(const Index& resolved) const;
  uint32_t depth() const { return static_cast<uint32_t>(scopes_.size() - 1); }

  // A loop of `count` iterations; returns its variable. What follows is its body until close_loop().
  SymbolId open_loop(const Index& count);
  void close_loop();
  // What follows is done if the condition, evaluated before, is not 0.
  void open_if(ExprId condition);
  void close_if();

  // Adds statements to the scope at this depth. They are before what is in the scopes inside. Within, only
  // lower depths can be asked for.
  template <class Body>
  auto at_depth(uint32_t depth, Body body) {
    uint32_t before = std::exchange(adding_at_, depth);
    // The list of a scope around lies with the scope inside it; a list in use changes places with it.
    bool elsewhere = depth != before;
    if (elsewhere) b.function().body.swap(scopes_[depth + 1].before);
    auto result = body();
    if (elsewhere) b.function().body.swap(scopes_[depth + 1].before);
    adding_at_ = before;
    return result;
  }

  const loop::Kernel& kernel() const { return kernel_; }
  bool is_primitive(SymbolId symbol) const { return symbol.index >= kernel_.symbols.size(); }
  // A number of the scope that is open at this depth: registers written there hold while it is.
  uint32_t scope_at(uint32_t depth) const { return scopes_[depth].number; }
  // The innermost condition: what is computed further out is computed though it may be false.
  uint32_t depth_of_condition() const;

 private:
  struct Primitive {
    RegisterId reg;
    uint32_t depth;
  };
  // Registers by the polynomials that they hold.
  struct Cached {
    uint32_t hash;
    Index index;
    RegisterId reg;
  };
  struct Induction {
    uint32_t hash;
    Index index;
    RegisterId reg;
    Index step;
  };
  struct Scope {
    std::vector<low::Statement> before;  // those of the scope around it, until here
    uint32_t number = 0;
    bool is_loop = false;
    SymbolId counter;
    Index count;
    ExprId condition;
    std::vector<Cached> values;
    std::vector<Induction> inductions;
  };
  struct Defined {
    loop::SymbolKind kind;
    Index a, b;
    SymbolId primitive;
  };

  ExprId refuse();
  const Primitive& primitive_of(SymbolId symbol) const {
    return primitives_[symbol.index - kernel_.symbols.size()];
  }
  SymbolId primitive_at(RegisterId reg, uint32_t depth);
  const Index& argument(uint32_t position, Index& known);
  const Index& size(SymbolId symbol);
  const Index& resolve(SymbolId symbol, Index& made);
  Index defined(loop::SymbolKind kind, const Index& x, const Index& y);
  const Cached* nearest(const Index& index, uint32_t depth) const;
  RegisterId computed(const Index& index, uint32_t hash, uint32_t depth);
  RegisterId sum_of(const Index& index, uint32_t depth);
  ExprId product_of(const Term& term, uint32_t depth);
  RegisterId inducted(const Index& index, uint32_t depth);
  void open(Scope scope);
  Scope close();

  const loop::Kernel& kernel_;
  RegisterId args_;
  SymbolId missing_;
  bool is_too_large_ = false;
  std::vector<Index> bindings_;
  std::vector<bool> bound_;
  std::vector<int64_t> versions_;
  int64_t version_count_ = 0;
  std::vector<Index> bases_;  // of buffers; zero until they are used
  std::vector<Primitive> primitives_;
  std::vector<Defined> defined_;
  std::vector<Scope> scopes_;
  uint32_t adding_at_ = 0;  // the depth of the scope whose list is the function's body now
  uint32_t scope_count_ = 1;
};

}  // namespace fuselane::lower_ir
