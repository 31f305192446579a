// The loops of a kernel to instructions, in one function; what is marked Call in functions of their own.
#pragma once

#include <functional>
#include <map>
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
    auto operator<=>(const Key&) const = default;
  };

  void iteration(size_t outer);
  void nest(const loop::Nest& nest);
  void loops(size_t at);
  void unrolled(size_t at, int64_t count);
  void vector(size_t at);
  void chunks(size_t at, const loop::Split& split);
  void tail(size_t at, SymbolId inner, const Index& rest);
  void even(size_t at, const loop::Split& split);
  void even_run(size_t at, const loop::Split& split, int64_t rows, const Index& count, const Index& start);
  void each_of(size_t at, SymbolId symbol, const Index& count);
  void reduction(size_t at);
  void begin_results(size_t at);
  void end_results(size_t at);
  void each_result(size_t at, const std::function<void()>& visit);
  void point();
  void stores();
  void store_within(const loop::Store& store);
  const loop::Split* padded();
  bool has_begun(SymbolId symbol) const;
  Index left_of(const loop::Split& split);
  bool has_chunks(SymbolId inner) const;
  bool vectors_are_lanes() const { return unit_.target.simd != SimdLevel::None; }
  const loop::Loop* find(SymbolId symbol) const;
  // What `body` emits becomes a function, called here. It gets the polynomials `extra` as they are there.
  void call_out(const std::string& name, const std::vector<Index>& extra,
                const std::function<void(Nests&, const std::vector<Index>&)>& body);
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
  Lanes lanes_;
  std::optional<Index> part_;  // of the vector loop, in its tail
  bool reducing_ = false;
  Key key_;
  // Iterations that are left of a chunk whose stores end before it does.
  std::optional<Index> left_;
  SymbolId left_in_;
  std::map<Key, RegisterId> results_;
};

}  // namespace fuselane::lower_ir
