#include "install.h"

#include <emscripten/em_js.h>

// The exports are given, or those of a new instance of the module: its bytes are copied, because shared
// memory cannot be compiled. V8 compiles equal bytes once for all threads.
EM_JS_DEPS(put_functions, "$wasmTable,$Emval")
EM_JS(int, put_functions, (emscripten::EM_VAL given, const uint8_t* module, size_t bytes, uint32_t count), {
  try {
    let exports = Emval.toValue(given);
    if (!exports) {
      const copy = new Uint8Array(new Uint8Array(wasmMemory.buffer, module >>> 0, bytes));
      const imports = {"env" : {"memory" : wasmMemory}};
      exports = new WebAssembly.Instance(new WebAssembly.Module(copy), imports).exports;
    }
    // In the order in which the module exports them.
    const kernels = Object.values(exports);
    if (kernels.length != count) throw new Error(kernels.length + ' exports instead of ' + count);
    const first = wasmTable.grow(count);
    kernels.forEach(function(kernel, i) { wasmTable.set(first + i, kernel); });
    return first;
  } catch (error) {
    err('generated kernels cannot be installed: ' + error);
    return -1;
  }
})

namespace fuselane {

std::optional<uint32_t> put_kernels(const emscripten::val& exports, uint32_t count) {
  int first = put_functions(exports.as_handle(), nullptr, 0, count);
  if (first < 0) return std::nullopt;
  return static_cast<uint32_t>(first);
}

bool install_here(const Install& install) {
  const emscripten::val none = emscripten::val::undefined();
  int first = put_functions(none.as_handle(), install.module.data(), install.module.size(), install.kernels);
  return first == static_cast<int>(install.first);
}

}  // namespace fuselane
