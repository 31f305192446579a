// The compiler from the inside, for tools and tests: text of one level in, text or bytes of a lower one out,
// and interpreters. Pages do not download it: a program of its own is linked with it (wasm/workbench.cc).
//
// A text is at the level that its first word says: "graph"; "tasks" for "matmul", "conv", "depthwise", "map"
// or "reduce"; "loops" for "kernel"; "low" for "func" or "memory".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/guard.h"
#include "base/result.h"
#include "types/target.h"

namespace fuselane::workbench {

struct Options {
  Target target;
  std::string schedule;  // of a task, as text; empty: the default one
};

// The text at that level or a lower one: "graph", "tasks", "schedule" (of a task), "loops", "low", "wat" (of
// the bytes that assemble() gives). What is read is verified, and what is made of it. Errors: invalid-text;
// invalid-argument for a level that it cannot be brought to; those of the verifiers.
Result<std::string> show(std::string_view text, std::string_view level, const Options& options);

// The wasm module of a task, loops or low text, with names. It exports its kernels.
Result<std::vector<uint8_t>> assemble(std::string_view text, const Options& options);

// The module of a task as engines make it: nothing in between is verified, and it has no names.
Result<std::vector<uint8_t>> make(std::string_view task, const Options& options);

// How a kernel is called: what a caller has to bring.
struct Call {
  struct Buffer {
    std::string name;
    bool read = false, written = false;
    std::vector<int64_t> dims;     // that are touched
    std::vector<int64_t> strides;  // from one element to the next along each, in elements
    int64_t elements = 0;          // up to the last one
  };
  std::vector<Buffer> buffers;                         // those in memory, in the order of the arguments
  std::vector<std::pair<std::string, int64_t>> sizes;  // likewise; behind the buffers
  int64_t extent = 0;                                  // the range of the kernel's parallel loops
};

// Of the kernel of a task or of loops. A size that is not given must be a stride, which is then that of dense
// buffers, or that of the blocks of a split loop, which then has one block. Errors: invalid-argument, which
// names the sizes that are missing, not there, or too large.
Result<Call> call_of(std::string_view text, const Options& options,
                     std::span<const std::pair<std::string, int64_t>> sizes);

// Interprets the kernel of a task or of loops. `buffers` are all float32. Those that are written change.
// Errors: also those of the interpreter.
Status interpret(std::string_view text, const Options& options, std::span<std::vector<float>> buffers,
                 std::span<const int64_t> sizes);

// Interprets the exported function of a low text, or of what is lowered to it, as a kernel: over the range
// [0, extent) of its parallel loops, with its arguments at an address of the memory. Errors: invalid-argument
// where the text does not export one kernel; invalid-data for a trap.
Status interpret_low(std::string_view text, const Options& options, std::span<uint8_t> memory,
                     int32_t arguments, int32_t extent);

}  // namespace fuselane::workbench
