// The loops of a kernel to instructions, in one function; what is marked Call in functions of their own.
#pragma once

#include <functional>
#include <vector>

#include "lower/frame.h"
#include "lower/values.h"

namespace fuselane::lower_ir {

class Nests {
 public:
  // `function` has its parameters; the first is the address of the arguments.
  Nests(Unit& unit, low::Function& function, const loop::Kernel& kernel);

  // The iterations [begin, end) of the kernel's parallel loops.
  void range(RegisterId begin, RegisterId end);
  Status status() const;

 private:
  // The place of a result among those of a reduction, and which of its partial results.
  struct Key {
    int64_t space = 0;
    int64_t partial = 0;
  };

  // Chunks of an Even split that have the same size: how many rows each has, how many there are, and the
  // first row of the first.
  struct Run {
    Index rows, count, start;
  };
  // What stores the results of one iteration of a loop that is written out.
  struct StoreOfRow {
    ExprId expr;
    int64_t row;
  };
  // A function, and what it is to be called with beside the address of the arguments.
  struct Outline {
    low::FunctionId function;
    std::vector<SymbolId> passed = {};
  };

  void iteration(size_t outer);
  void nest(const loop::Nest& nest);
  void loops(size_t at);
  void unrolled(size_t at, int64_t count);
  void vector(size_t at);
  void chunks(size_t at, const loop::Split& split);
  void tail(size_t at, SymbolId inner, const Index& rest);
  void even(size_t at, const loop::Split& split);
  void even_sizes(size_t at, const loop::Split& split, int64_t most, const Run& run);
  void even_run(size_t at, const loop::Split& split, int64_t size, const Run& run);
  std::string name_of(const loop::Split& split, int64_t size) const;
  std::vector<Outline> cut_from_largest(size_t at, const loop::Split& split, int64_t most, const Run& run);
  bool has_sizes(const loop::Loop& loop) const;
  Index count_of(const loop::Loop& loop);
  void each_of(size_t at, SymbolId symbol, const Index& count);
  void reduction(size_t at);
  RegisterId result(const Key& key) const;
  void begin_results(size_t at);
  void end_results(size_t at);
  void each_result(size_t at, const std::function<void()>& visit);
  void point();
  void stores();
  void store(const loop::Store& store);
  void store_within(const loop::Store& store);
  const loop::Split* padded();
  bool has_begun(SymbolId symbol) const;
  Index left_of(const loop::Split& split);
  bool has_chunks(SymbolId inner) const;
  bool vectors_are_lanes() const { return unit_.target.simd != SimdLevel::None; }
  const loop::Loop* find(SymbolId symbol) const;
  // What `body` emits becomes a function. It gets the polynomials `extra` as they are there.
  Outline outlined(const std::string& name, const std::vector<Index>& extra,
                   const std::function<void(Nests&, const std::vector<Index>&)>& body);
  void call(const Outline& outline);
  // Whether the loop is to be in a function of its own, and this is not it.
  bool calls_out(size_t at) const { return nest_->loops[at].mark == loop::Mark::Call && !is_called_; }
  Error failure_because(std::string_view sentence) const;
  void decline(std::string_view sentence);

  Unit& unit_;
  const loop::Kernel& kernel_;
  Frame frame_;
  low::Builder& b;
  Values values_;
  std::optional<Error> failure_;

  const loop::Nest* nest_ = nullptr;
  bool is_called_ = false;     // this function is what was marked Call
  std::vector<bool> pinned_;   // variables with a value, whose loops are not to be begun
  std::vector<int64_t> rows_;  // iterations of the inner loop of an Even split; 0: not known
  SymbolId row_;               // of a loop that is written out: what is stored in its iterations is listed
  std::vector<StoreOfRow> stores_of_rows_;
  Lanes lanes_;
  std::optional<Index> part_;  // of the vector loop, in its tail
  bool reducing_ = false;
  Key key_;
  // Iterations that are left of a chunk whose stores end before it does.
  std::optional<Index> left_;
  SymbolId left_in_;
  // The registers of results, all partial ones of a place together.
  std::vector<RegisterId> results_;
  int64_t partials_ = 1;
};

}  // namespace fuselane::lower_ir
