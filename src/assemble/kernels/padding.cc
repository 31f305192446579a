// Pad with known pads: along each axis a few stretches of the result that each run through x evenly, and a
// copy for every combination of them.
#include <cstddef>

#include "assemble/kernels/copying.h"
#include "assemble/kernels/planners.h"

namespace fuselane {
namespace {

// Elements [to, to + count) of an axis of the result are those of x from `from` on, `step` apart: 1, -1 or 0.
struct Stretch {
  int64_t to, from, step, count;
};

// What one element more than this of stretches along all axes together would copy.
constexpr size_t kMostCopies = 27;

// How an axis of `extent` elements gets its pads; nothing for pads that repeat more than the axis has.
std::optional<std::vector<Stretch>> stretches_of(std::string_view mode, int64_t extent, int64_t before,
                                                 int64_t after) {
  if (before < 0 || after < 0) return std::nullopt;
  std::vector<Stretch> stretches = {{before, 0, 1, extent}};
  if (mode == "constant") return stretches;
  bool edge = mode == "edge";
  int64_t most = edge ? std::max(before, after) : mode == "wrap" ? extent : extent - 1;
  if (std::max(before, after) > most) return std::nullopt;
  int64_t end = before + extent;
  if (edge) {
    stretches.push_back({0, 0, 0, before});
    stretches.push_back({end, extent - 1, 0, after});
  } else if (mode == "wrap") {
    stretches.push_back({0, extent - before, 1, before});
    stretches.push_back({end, 0, 1, after});
  } else {
    stretches.push_back({0, before, -1, before});
    stretches.push_back({end, extent - 2, -1, after});
  }
  std::erase_if(stretches, [](const Stretch& stretch) { return stretch.count == 0; });
  return stretches;
}

// The stretches of every axis; nothing if they are not known or too many.
std::optional<std::vector<std::vector<Stretch>>> all_stretches(const Site& site) {
  const Dims& x = site.dims(0);
  const Tensor* pads = site.known(1);
  auto rank = static_cast<int64_t>(x.size());
  if (!pads || site.has(3) || pads->count() != 2 * rank) return std::nullopt;
  std::vector<std::vector<Stretch>> axes;
  size_t copies = 1;
  for (int64_t axis = 0; axis < rank; ++axis) {
    auto stretches = stretches_of(site.node().text(Attr::Mode), x[static_cast<size_t>(axis)],
                                  pads->integer(axis), pads->integer(rank + axis));
    if (!stretches) return std::nullopt;
    copies *= stretches->size();
    if (copies > kMostCopies) return std::nullopt;
    axes.push_back(*std::move(stretches));
  }
  return axes;
}

struct PadCopy {
  LoopNest nest;
  int64_t to, from;
};

// The copy of one combination: stretch choice[axis] of each axis.
std::optional<PadCopy> copy_of(const std::vector<std::vector<Stretch>>& axes,
                               const std::vector<size_t>& choice, const Dims& x_strides,
                               const Dims& y_strides) {
  Dims extents;
  End to, from;
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    const Stretch& stretch = axes[axis][choice[axis]];
    extents.push_back(stretch.count);
    to.strides.push_back(y_strides[axis]);
    from.strides.push_back(x_strides[axis] * stretch.step);
    to.offset += stretch.to * y_strides[axis];
    from.offset += stretch.from * x_strides[axis];
  }
  auto nest = copy_nest(extents, to, from);
  if (!nest) return std::nullopt;
  return PadCopy{*nest, to.offset, from.offset};
}

std::optional<std::vector<PadCopy>> copies_of(const Site& site, const std::vector<std::vector<Stretch>>& axes,
                                              Layout layout) {
  Dims x_strides = site.strides(0, layout);
  Dims y_strides = site.output_strides(0, layout);
  std::vector<PadCopy> copies;
  std::vector<size_t> choice(axes.size());
  while (true) {
    auto copy = copy_of(axes, choice, x_strides, y_strides);
    if (!copy) return std::nullopt;
    copies.push_back(*copy);
    size_t axis = 0;
    while (axis < axes.size() && ++choice[axis] == axes[axis].size()) choice[axis++] = 0;
    if (axis == axes.size()) return copies;
  }
}

}  // namespace

Result<bool> plan_pad(Site& site) {
  uint32_t size = copy_size(site.dtype(0));
  Dims y = site.result_dims(0);
  if (!is_copyable(site, 0, 0) || element_count(site.dims(0)) == 0) return false;
  auto axes = all_stretches(site);
  if (!axes) return false;
  bool fills = site.node().text(Attr::Mode) == "constant";
  if (fills && site.has(2) && !site.known(2)) return false;
  Layout layout = keep_layout(site, 0);
  auto copies = copies_of(site, *axes, layout);
  End all{.strides = site.output_strides(0, layout)};
  auto everything = copy_nest(y, all, all);
  if (!copies || !everything) return false;
  BufferId from = site.strided(0, layout);
  BufferId to = site.output_strided(0, layout);
  if (fills) {
    FillArgs fill{.nest = *everything, .element_size = size, .value = 0};
    if (site.has(2)) std::memcpy(&fill.value, site.known(2)->bytes().data(), size);
    site.call(row(KernelId::Fill), fill, {{offsetof(FillArgs, to), to}}, {}, {to}, fill_extent(fill), 1);
  }
  for (const PadCopy& copy : *copies) call_copy(site, from, copy.from, to, copy.to, copy.nest, size);
  return true;
}

}  // namespace fuselane
