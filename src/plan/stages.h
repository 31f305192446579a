// Which steps may run at the same time. In: what each step reads and writes. Out: for each step a stage, such
// that steps of one stage do not need each other, and need those of earlier stages only.
//
// Within a stage threads go from step to step without waiting for each other; that is what it is for.
// Branches of a network that come together again become a few stages, whatever the order of their nodes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace fuselane {

// Of a block of memory, by one of the buffers that lie in it. Buffers that are only written do not overlap:
// every element is written once, but for a buffer that several steps write, and for one that is made over
// another, which its step reads as well.
struct Access {
  uint32_t block;
  uint32_t buffer;
  bool writes = false;
};

struct StepAccess {
  std::vector<Access> blocks;
  bool is_alone = false;  // nothing runs beside it, and nothing passes it
};

struct BlockUse {
  uint64_t bytes = 0;
  bool is_before = false;  // it holds something when the first step begins
  bool is_after = false;   // or is read after the last one
};

// Steps are in an order in which they may run one after another. Stages are numbered from 0 without gaps.
// A step goes to the first stage that it can: where what lives at one time does not take more bytes than it
// takes at most when the steps run in their order.
std::vector<uint32_t> stages_of(std::span<const StepAccess> steps, std::span<const BlockUse> blocks);

}  // namespace fuselane
