// What holds of the order and the marks of a kernel's loops: every move leaves it true, and lower/ builds on
// it. The rest of what holds of a kernel is in verify.h.
#pragma once

#include "base/result.h"
#include "loop/kernel.h"

namespace fuselane::loop {

// A loop that is written out has at most this many iterations: more is more code than an instruction cache
// likes, and no gain.
inline constexpr int64_t kMostUnrolled = 32;

// Checks, on the way from the kernel's outermost loop to each nest's innermost one, that
// - Parallel loops are Space loops with no other mark outside them, and their extents depend on sizes only;
//   with several nests they are the kernel's outer loops;
// - a loop over the chunks of an Even split, or of a Rest split whose chunks are split exactly or written
// out,
//   is neither Parallel nor written out: not all chunks have the same code;
// - the outer loop of a split is outside the inner one, except that an Exact one may be anywhere;
// - Unroll and Partial loops have a constant extent of at most kMostUnrolled, but that of an Unroll Reduce
//   loop may depend on Unroll loops around it; Partial and Reduce go together;
// - a Space loop inside a Reduce loop is Unroll or Vector;
// - a nest has at most one Vector loop, the innermost, of kLanes iterations, in which every access is to
//   consecutive elements or to one;
// - a path has at most one Call, outside all loops that are written out and all Reduce loops;
// - at most one of a nest's splits is Padded.
// Error: invalid-argument, with a sentence that names the loop.
Status check_loops(const Kernel& kernel);

// The loops around a nest's body, the outermost first.
std::vector<Loop> path_of(const Kernel& kernel, const Nest& nest);

// Vectors that are in use at once in the innermost loop of a nest's reduction: results, operands that lie in
// consecutive elements, and one that is the same for all lanes; the most over all nests. Over 15 V8 keeps
// some in memory (docs/decisions).
int64_t live_vectors(const Kernel& kernel);

}  // namespace fuselane::loop
