// What the functions of a module have in common while it is made.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "loop/kernel.h"
#include "low/low.h"
#include "types/target.h"

namespace fuselane::lower_ir {

class Unit {
 public:
  explicit Unit(const Target& made_for) : target(made_for) {}

  const Target& target;
  // A function's number is its place in the module.
  std::vector<std::unique_ptr<low::Function>> functions;

  // Names are unique: one that is there already gets a number.
  low::FunctionId add(low::Function function);
  low::FunctionId add(std::string name, bool exported);
  // (address, count) -> v128: the first `count` float32 of up to four, the other lanes 0; memory behind them
  // is not touched. And (address, v128, count), which stores them.
  low::FunctionId load_lanes();
  low::FunctionId store_lanes();

  // How a value of a kernel is computed where it is stored, in a scalar or in all lanes of a vector.
  struct Computation {
    const loop::Kernel* kernel;
    loop::ValueId value;
    bool is_vector;
    std::vector<loop::ValueId> parameters;  // of the function: loads and the result
    low::FunctionId function;               // none: where it is stored
  };
  std::vector<Computation> computations;

 private:
  low::FunctionId load_lanes_, store_lanes_;
};

}  // namespace fuselane::lower_ir
