// What each kind of move does to a kernel, for apply(): one file each. They check their own conditions;
// check_loops() comes after them. A kernel that was declined may be half changed.
#pragma once

#include "loop/moves.h"

namespace fuselane::loop {

Status apply_split(Kernel& kernel, const Move& move);
Status apply_order(Kernel& kernel, const Move& move);
Status apply_mark(Kernel& kernel, const Move& move);
Status apply_share(Kernel& kernel, const Move& move);

// A list of loops and a place in it.
struct LoopPlace {
  std::vector<Loop>* loops = nullptr;
  size_t position = 0;
  Nest* nest = nullptr;  // none: the kernel's outer loops

  Loop& operator*() const { return (*loops)[position]; }
};
Result<LoopPlace> find_loop(Kernel& kernel, std::string_view name);

// Puts an index in the place of a loop's variable, wherever that stands but in splits' ids.
void replace_variable(Kernel& kernel, SymbolId variable, const Index& by);

}  // namespace fuselane::loop
