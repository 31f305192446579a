// MaxPool and AveragePool over one or two spatial axes, channels last.
#include <cstddef>

#include "assemble/kernels/planners.h"
#include "graph/operators/window.h"
#include "library/pool.h"

namespace fuselane {

Result<bool> plan_pool(Site& site) {
  const Dims& x = site.dims(0);
  if (!site.wants(0)) return false;
  const Dims& y = site.result_dims(0);
  if (site.dtype(0) != DType::Float32 || x.size() < 3 || x.size() > 4 || site.wants(1)) return false;
  if (!fits32(x) || !fits32(y) || element_count(y) == 0 || element_count(x) == 0) return false;
  auto axes = TRY(windows_of(site.node(), DimsView(x).subspan(2), site.node().integers(Attr::KernelShape)));
  for (const WindowAxis& axis : axes) {
    if (!fits32(axis.output * axis.stride + axis.kernel * axis.dilation + axis.pad_begin)) return false;
  }
  const auto [from, x_stride] = take_pixels(site, 0);
  const auto [to, y_stride] = make_pixels(site);
  PoolArgs args{.window = window_of(x, axes),
                .pad_bottom = axes.size() == 2 ? static_cast<uint32_t>(axes[0].pad_end) : 0,
                .pad_right = static_cast<uint32_t>(axes.back().pad_end),
                .x_stride = x_stride,
                .y_stride = y_stride,
                .kind = PoolKind::Max};
  if (site.node().op == Op::AveragePool) {
    args.kind = site.node().flag(Attr::CountIncludePad) ? PoolKind::AverageWithPads : PoolKind::Average;
  }
  site.call(row(KernelId::Pool), args, {{offsetof(PoolArgs, x), from}, {offsetof(PoolArgs, y), to}}, {from},
            {to}, args.window.n * args.window.oh, 1);
  return true;
}

}  // namespace fuselane
