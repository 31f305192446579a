#include "library/gather.h"

#include "library/copy_run.h"

namespace fuselane {

uint32_t gather(const void* raw, uint32_t begin, uint32_t end) {
  const auto& args = *static_cast<const GatherArgs*>(raw);
  const auto* x = static_cast<const uint8_t*>(args.x);
  auto* y = static_cast<uint8_t*>(args.y);
  for (uint32_t i = begin; i < end; ++i) {
    uint32_t at = i % args.count;
    int64_t index = args.wide ? static_cast<const int64_t*>(args.indices)[at]
                              : static_cast<const int32_t*>(args.indices)[at];
    if (index < 0) index += args.axis;
    if (index < 0 || index >= args.axis) return kBadData;
    size_t slice = size_t{i / args.count} * args.axis + static_cast<size_t>(index);
    copy_run(y + size_t{i} * args.slice_bytes, x + slice * args.slice_bytes, args.slice_bytes);
  }
  return kDone;
}

}  // namespace fuselane
