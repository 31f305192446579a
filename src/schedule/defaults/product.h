// The order of products' loops: a register tile of rows by 8 columns, blocks of rows that stay in the cache
// while a group of panels passes over them.
#pragma once

#include <string>
#include <string_view>

#include "types/target.h"

namespace fuselane {

// Splits and marks of j, and of k into so many steps that are written out. Of more than one panel at a time,
// j0 are these and jn one of them.
std::string default_columns(std::string_view algorithm, uint8_t columns_tail, int64_t steps,
                            int64_t panels = 1);
// The same, for a product of many rows; `outer` and `sums` are the loops around and within, as in "b" and
// "k0".
std::string default_tiles(std::string_view algorithm, uint8_t columns_tail, std::string_view outer,
                          std::string_view sums, const Target& target);

}  // namespace fuselane
