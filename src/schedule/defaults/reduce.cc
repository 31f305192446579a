// Reductions: along a dense axis, partial sums in the lanes of several vectors; over an outer one, vectors
// along the inner axis.
#include "schedule/families.h"

namespace fuselane {

std::string default_reduce(const loop::ReduceTask& task, const Target&) {
  if (task.contiguous) {
    return "algorithm reduce\n"
           "split k 16 rest as k0, k1\n"
           "split k1 4 exact as k2, k3\n"
           "partial k2\n"
           "vector k3\n"
           "parallel o\n";
  }
  return "algorithm reduce\n"
         "split i chunk rest as ic, ii\n"
         "split ii 16 rest as i0, i1\n"
         "split i1 4 exact as i2, i3\n"
         "unroll i2\n"
         "vector i3\n"
         "order o, ic, i0, k, i2, i3\n"
         "parallel o, ic\n";
}

}  // namespace fuselane
