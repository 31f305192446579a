// The first loops of all nests become the kernel's outer loops: what one nest computes is used by the next
// while it is near (compute-at).
//
// Legal when all nests have these loops, and what a nest reads of an earlier one's results was written in the
// same iteration of them: some dimension of the buffer is indexed by the shared variable alone on both sides.
#include <algorithm>

#include "base/printer.h"
#include "loop/move_kinds.h"

namespace fuselane::loop {
namespace {

std::unexpected<Error> decline(std::string_view why) {
  return fail(ErrorCode::InvalidArgument, cat("the nests cannot share loops: ", why));
}

// The loads of the values that a nest computes.
void collect_loads(const Kernel& kernel, ValueId id, std::vector<const Value*>& loads) {
  if (!id) return;
  const Value& value = kernel[id];
  if (value.kind == ValueKind::Load && !std::ranges::contains(loads, &value)) loads.push_back(&value);
  for (ValueId operand : value.operands) collect_loads(kernel, operand, loads);
}

bool has_index(const std::vector<Index>& store, const std::vector<Index>& load, SymbolId variable) {
  for (size_t d = 0; d < store.size() && d < load.size(); ++d) {
    if (store[d] == Index(variable) && load[d] == Index(variable)) return true;
  }
  return false;
}

// Whether each iteration of the shared loop keeps to elements of its own, where one nest writes and another
// one reads.
Status check_flow(const Kernel& kernel, const Nest& writer, const Nest& reader, SymbolId variable) {
  std::vector<const Value*> loads;
  collect_loads(kernel, reader.init, loads);
  collect_loads(kernel, reader.term, loads);
  for (const Store& store : reader.stores) collect_loads(kernel, store.value, loads);
  for (const Value* load : loads) {
    for (const Store& store : writer.stores) {
      bool is_same = store.buffer == load->buffer && kernel[load->buffer].storage == Storage::Memory;
      if (is_same && !has_index(store.indices, load->indices, variable))
        return decline(cat("nest ", reader.name, " reads of ", kernel[load->buffer].name, " what nest ",
                           writer.name, " writes in other iterations of ", kernel[variable].name));
    }
  }
  return {};
}

}  // namespace

Status apply_share(Kernel& kernel, const Move& move) {
  if (move.count < 1 || kernel.nests.size() < 2) return decline("there are not several nests and a loop");
  if (!kernel.splits.empty()) return decline("loops must be shared before any is split");
  for (int64_t i = 0; i < move.count; ++i) {
    for (const Nest& nest : kernel.nests) {
      if (nest.loops.empty()) return decline(cat("nest ", nest.name, " has no loop left"));
      const Loop& loop = nest.loops[0];
      const Loop& first = kernel.nests[0].loops[0];
      if (loop.kind != LoopKind::Space || loop.mark != Mark::Serial || loop.extent != first.extent)
        return decline(cat("loop ", kernel[loop.symbol].name, " of nest ", nest.name, " is not as ",
                           kernel[first.symbol].name));
    }
    Loop shared = kernel.nests[0].loops[0];
    kernel.outer.push_back(shared);
    for (size_t n = 0; n < kernel.nests.size(); ++n) {
      SymbolId own = kernel.nests[n].loops[0].symbol;
      kernel.nests[n].loops.erase(kernel.nests[n].loops.begin());
      if (own != shared.symbol) replace_variable(kernel, own, shared.symbol);
    }
    for (const Nest& writer : kernel.nests) {
      for (const Nest& reader : kernel.nests) {
        if (&writer != &reader) TRY(check_flow(kernel, writer, reader, shared.symbol));
      }
    }
  }
  return {};
}

}  // namespace fuselane::loop
