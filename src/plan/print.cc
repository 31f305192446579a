#include "plan/print.h"

namespace fuselane {
namespace {

void append_buffers(std::string& out, const std::vector<BufferId>& ids) {
  append(out, "(");
  for (size_t i = 0; i < ids.size(); ++i) {
    if (i > 0) append(out, ", ");
    if (ids[i]) {
      append(out, cat("b", ids[i].index));
    } else {
      append(out, "_");
    }
  }
  append(out, ")");
}

}  // namespace

std::string print(const Segment& segment, const std::function<std::string(const Step&)>& name_of_step) {
  std::string out = cat("segment arena ", segment.arena_bytes, " {\n");
  for (size_t i = 0; i < segment.buffers.size(); ++i) {
    const PlanBuffer& buffer = segment.buffers[i];
    append(out, cat("  b", i, ": ", text_of(buffer.dtype, buffer.dims), text_of(buffer.layout), " = "));
    if (!buffer.strides.empty()) append(out, cat("strides ", text_of(buffer.strides), " "));
    switch (buffer.storage) {
      case Storage::Arena:
        append(out, cat("arena ", buffer.offset));
        break;
      case Storage::Weight:
        append(out, cat("weight ", buffer.index));
        break;
      case Storage::Packed:
        append(out, cat("packed ", buffer.index));
        break;
      case Storage::Feed:
        append(out, cat("feed ", buffer.index));
        break;
      case Storage::Literal:
        append(out, cat("literal ", buffer.index));
        break;
    }
    if (buffer.offset > 0 && buffer.storage != Storage::Arena) append(out, cat(" at ", buffer.offset));
    append(out, "\n");
  }
  for (size_t i = 0; i < segment.steps.size(); ++i) {
    const Step& step = segment.steps[i];
    append(out, i > 0 && step.stage == segment.steps[i - 1].stage ? "  | " : "  ");
    append_buffers(out, step.outputs);
    append(out, cat(" = ", name_of_step(step), " "));
    append_buffers(out, step.inputs);
    append(out, "\n");
  }
  append(out, segment.ending == Ending::Return ? "  return " : "  read ");
  append_buffers(out, segment.results);
  append(out, "\n}\n");
  return out;
}

}  // namespace fuselane
