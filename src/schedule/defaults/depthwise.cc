// Depthwise convolutions: a register tile of columns, whose windows share what they read of x.
#include "base/printer.h"
#include "schedule/families.h"

namespace fuselane {
namespace {

// Columns of the tile. Neighbours whose windows are a column apart share most of what they read: more is
// faster until the sums leave the registers, at 8. With wider strides they share little, and 3 were as fast
// as any other number, in less code; over 112x112x96 faster. Of 17 layers of six models none was over a tenth
// slower than its best number from 1 to 8, with multiply-add or apart (docs/kernels.md).
int64_t columns_of(const loop::DepthwiseTask& task, const Target& target) {
  if (!target.tiling || target.simd == SimdLevel::None) return 1;
  return task.stride == 1 ? 6 : 3;
}

// Columns of the filter, and of a border, that are written out at most.
constexpr int64_t kMostWritten = 8;

bool is_written(const loop::DepthwiseTask& task, uint8_t beyond) {
  const int columns = (beyond + task.stride - 1) / task.stride;
  return task.borders && task.width <= kMostWritten && columns <= kMostWritten;
}

// The columns of one border; those that are known are few, and then written out.
std::string border(const char* side, bool is_written) {
  std::string out;
  auto line = [&](auto... words) { append(out, cat(words..., "\n")); };
  line("split j", side, " 4 rest as j", side, "0, j", side, "1");
  line("vector j", side, "1");
  if (is_written) {
    line("unroll c", side, ", q", side);
    line("order j", side, "0, p", side, ", c", side, ", q", side, ", j", side, "1");
    line("call j", side, "0");
  } else {
    line("call c", side);
  }
  return out;
}

}  // namespace

std::string default_depthwise(const loop::DepthwiseTask& task, const Target& target) {
  std::string out =
      "algorithm depthwise\n"
      "split j 4 rest as j0, j1\n"
      "vector j1\n";
  append(out, cat("split c ", columns_of(task, target), " even as c0, c1\n"));
  const bool is_short = task.width <= kMostWritten;
  if (!is_short) append(out, "split q 4 rest as q0, q1\n");
  const char* written = is_short ? "q" : "q1";
  append(out, cat("unroll c1, ", written, "\norder c0, j0, p, ", is_short ? "" : "q0, ", written,
                  ", c1, j1\ncall c0\n"));
  const auto known = task.borders.value_or(loop::DepthwiseTask::Borders{1, 1});
  if (known.left > 0) append(out, border("l", is_written(task, known.left)));
  if (known.right > 0) append(out, border("r", is_written(task, known.right)));
  append(out, "parallel b, r\n");
  return out;
}

}  // namespace fuselane
