#include "assemble/kernels/generated.h"

#include <algorithm>
#include <limits>

#include "base/printer.h"
#include "loop/evaluate.h"

namespace fuselane {

std::optional<GeneratedCall> prepare_generated(const Site& site, const loop::Task& task,
                                               std::span<const SizeArgument> sizes) {
  auto generated = site.generated(task);
  if (!generated) return std::nullopt;
  GeneratedCall call{.kernel = *generated, .extent = 0, .sizes = {}};
  const loop::Kernel& loops = *generated->loops;
  for (loop::SymbolId symbol : loop::sizes_of(loops)) {
    auto at = std::ranges::find(sizes, loops[symbol].name, &SizeArgument::first);
    if (at == sizes.end() || at->second > std::numeric_limits<int32_t>::max()) return std::nullopt;
    call.sizes.push_back(static_cast<int64_t>(at->second));
  }
  int64_t extent = loop::parallel_extent(loops, call.sizes);
  if (extent > std::numeric_limits<int32_t>::max()) return std::nullopt;
  call.extent = static_cast<uint32_t>(extent);
  return call;
}

void call_generated(Site& site, const GeneratedCall& call, std::span<const Site::Address> buffers,
                    uint32_t grain) {
  site.call(call.kernel, buffers, call.sizes, call.extent, grain);
}

void call_generated(Site& site, const GeneratedCall& call, const std::vector<BufferId>& buffers,
                    uint32_t grain) {
  std::vector<Site::Address> addresses;
  for (BufferId buffer : buffers) addresses.push_back({.buffer = buffer});
  call_generated(site, call, addresses, grain);
}

namespace {

// 16 kB of elements: enough work for a claim, and they stay in the first-level cache.
constexpr uint32_t kChunk = 4096;

}  // namespace

std::optional<GeneratedCall> prepare_map(const Site& site, std::vector<loop::Step> steps,
                                         const LoopNest& nest, uint32_t operands) {
  uint32_t last = nest.last();
  uint32_t row = nest.extent[last];
  loop::MapTask task{.outer = static_cast<uint8_t>(last), .strides = {}, .steps = std::move(steps)};
  std::vector<SizeArgument> sizes = {{"n", row}, {"chunk", std::min(row, kChunk)}};
  for (uint32_t d = 0; d < last; ++d) sizes.push_back({cat("n", d), nest.extent[d]});
  auto add_strides = [&](const std::string& name, uint32_t array) {
    for (uint32_t d = 0; d < last; ++d)
      sizes.push_back({cat(name, "_", d), static_cast<uint64_t>(nest.stride[array][d])});
  };
  for (uint32_t x = 0; x < operands; ++x) {
    task.strides.push_back(static_cast<uint8_t>(nest.stride[x + 1][last]));
    add_strides(cat("x", x), x + 1);
  }
  add_strides("y", 0);
  return prepare_generated(site, task, sizes);
}

uint32_t map_grain(const LoopNest& nest) {
  return std::max(kChunk / std::max(nest.extent[nest.last()], 1u), 1u);
}

}  // namespace fuselane
