// The compiler from the inside, for tools and tests: text of one level in, text or bytes of a lower one out,
// and interpreters. Pages do not download it: a program of its own is linked with it (wasm/workbench.cc).
//
// A text is at the level that its first word says: "graph"; "tasks" for "matmul", "map" or "reduce"; "loops"
// for "kernel"; "low" for "func" or "module".
#pragma once

#include <span>
#include <string>
#include <string_view>
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

// Interprets the kernel of a task or of loops: each buffer in memory as float32, in their order, then the
// sizes. Buffers that are written change. Errors: also those of the interpreter.
Status interpret(std::string_view text, const Options& options, std::span<std::vector<float>> buffers,
                 std::span<const int64_t> sizes);

// The range of its parallel loops.
Result<int64_t> extent(std::string_view text, const Options& options, std::span<const int64_t> sizes);

}  // namespace fuselane::workbench
