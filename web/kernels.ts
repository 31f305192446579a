// Installing generated kernels: the core makes modules, the host compiles and instantiates them. That is asynchronous
// everywhere, so that a page's own thread is not held up; the core's other threads install from the module's bytes by
// themselves (wasm/install.cc).

import type { Core } from './core.js';
import { reasonOf } from './errors.js';

/** Installs what the core has made. A module that cannot be installed fails the runs that need it, in the core. */
export async function installKernels({ call, heap }: Core): Promise<void> {
  for (let pending = true; pending;) {
    const { pointer, bytes } = call.pending();
    const copy = heap.copyOut(pointer, bytes);
    try {
      const { instance } = await WebAssembly.instantiate(copy, { env: { memory: heap.memory } });
      pending = call.install(instance.exports).kernels;
    } catch (error) {
      pending = call.refuse(reasonOf(error)).kernels;
    }
  }
}
