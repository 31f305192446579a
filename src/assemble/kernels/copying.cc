#include "assemble/kernels/copying.h"

#include <cstddef>

#include "assemble/kernels/planners.h"

namespace fuselane {

uint32_t copy_size(DType dtype) {
  int bits = bits_of(dtype);
  return bits == 8 || bits == 16 || bits == 32 || bits == 64 ? static_cast<uint32_t>(bits / 8) : 0;
}

Dims strides_in(DimsView dims, Layout layout) {
  Dims strides = strides_of(memory_dims(dims, layout));
  if (layout == Layout::RowMajor || dims.size() < 3) return strides;
  Dims by_dim(dims.size());
  by_dim[0] = strides[0];
  by_dim[1] = strides.back();
  for (size_t i = 2; i < dims.size(); ++i) by_dim[i] = strides[i - 1];
  return by_dim;
}

std::optional<LoopNest> copy_nest(DimsView extents, const End& to, const End& from, Layout layout) {
  Dims strides[] = {memory_dims(to.strides, layout), memory_dims(from.strides, layout)};
  return collapse(memory_dims(extents, layout), strides);
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

CopyArgs layout_copy(DimsView dims, DType dtype, Layout from, Layout to) {
  // The nest cannot fail: at most rank loops remain of what memory_dims and collapse leave,
  // [n][positions][channels].
  auto nest = copy_nest(dims, {strides_in(dims, to)}, {strides_in(dims, from)}, to);
  return {
      .from = nullptr, .to = nullptr, .nest = nest.value_or(LoopNest{}), .element_size = copy_size(dtype)};
}

}  // namespace fuselane
