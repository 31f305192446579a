#include "assemble/kernels/copying.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>

#include "assemble/kernels/planners.h"

namespace fuselane {

uint32_t copy_size(DType dtype) {
  int bits = bits_of(dtype);
  return bits == 8 || bits == 16 || bits == 32 || bits == 64 ? static_cast<uint32_t>(bits / 8) : 0;
}

std::optional<LoopNest> copy_nest(DimsView extents, const End& to, const End& from) {
  std::vector<size_t> order(extents.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater(), [&](size_t axis) { return to.strides[axis]; });
  Dims sorted, strides[2];
  for (size_t axis : order) {
    if (extents[axis] == 1) continue;
    sorted.push_back(extents[axis]);
    strides[0].push_back(to.strides[axis]);
    strides[1].push_back(from.strides[axis]);
  }
  return collapse(sorted, strides);
}

void call_copy(Site& site, BufferId from, int64_t from_offset, BufferId to, int64_t to_offset,
               const LoopNest& nest, uint32_t size) {
  CopyArgs args{.nest = nest, .element_size = size};
  site.call(row(KernelId::Copy), args,
            {{offsetof(CopyArgs, from), from, static_cast<uint64_t>(from_offset) * size},
             {offsetof(CopyArgs, to), to, static_cast<uint64_t>(to_offset) * size}},
            {from}, {to}, copy_extent(args), 1);
}

Layout keep_layout(const Site& site, size_t input) {
  return site.dims(input).size() > 2 ? site.layout(input) : Layout::RowMajor;
}

bool is_copyable(const Site& site, size_t input, size_t output) {
  return copy_size(site.dtype(input)) > 0 && fits32(site.dims(input)) && fits32(site.result_dims(output));
}

void copy_all(Site& site, BufferId from, BufferId to, uint32_t count) {
  call_copy(site, from, 0, to, 0, {.loops = 1, .extent = {count}, .stride = {{1}, {1}}}, 4);
}

void zero_all(Site& site, BufferId to, uint32_t count) {
  FillArgs fill{.nest = {.loops = 1, .extent = {count}, .stride = {{1}}}, .element_size = 4, .value = 0};
  site.call(row(KernelId::Fill), fill, {{offsetof(FillArgs, to), to}}, {}, {to}, fill_extent(fill), 1);
}

CopyArgs strided_copy(DimsView dims, DType dtype, const Dims& to, const Dims& from) {
  // Between dense layouts at most [n][positions][channels] remain, and views are made only where there is a
  // nest.
  auto nest = copy_nest(dims, {to}, {from});
  return {
      .from = nullptr, .to = nullptr, .nest = nest.value_or(LoopNest{}), .element_size = copy_size(dtype)};
}

std::vector<size_t> permutation_of(const Node& node, size_t rank) {
  auto stated = node.integers(Attr::Permutation);
  std::vector<size_t> permutation(rank);
  for (size_t i = 0; i < rank; ++i)
    permutation[i] = stated.empty() ? rank - 1 - i : static_cast<size_t>(stated[i]);
  return permutation;
}

}  // namespace fuselane
