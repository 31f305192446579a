// What is made of the sums of a product or a convolution: in its kernel, or in a loop of its own behind it.
#pragma once

#include <optional>
#include <vector>

#include "assemble/kernels/generated.h"

namespace fuselane {

// The node's activation, then the group's steps, over as many operands beside the sum.
std::vector<loop::Step> finish_of(const Site& site, size_t operands);

// A call over the result where it lies, behind the one that stores its sums.
struct FinishCall {
  GeneratedCall call;
  uint32_t grain = 1;
};

// Takes the steps of a finish out of the kernel where they are faster in a loop of their own: functions by
// polynomials want more registers for their constants than the sums leave, so that a kernel makes these anew
// for every vector. In Chromium 156 SiLU takes 2.5 ns an element behind a tile of sums and 0.75 in a loop,
// GELU 3.9 and 1.1; to read and write the result once more takes 0.3 at most. Nothing, and the steps stay,
// where they have other operands or are short, or the result is small. `strided`: the result is made with
// output_strides(), not densely.
std::optional<FinishCall> take_apart(const Site& site, std::vector<loop::Step>& finish, size_t operands,
                                     Layout layout, bool strided);

void call_finish(Site& site, const FinishCall& finish, BufferId result);

}  // namespace fuselane
