// @ts-check
// Makes a kernel by each schedule and calls it again and again, on buffers of its own. Schedules take turns, so that what
// disturbs the machine disturbs all alike; a time is the least of a few windows.

/** @typedef {import('./sweep.mjs').Swept} Swept */
/** @typedef {import('./sweep.mjs').Timed} Timed */

const kWarmMilliseconds = 60;
const kWindowMilliseconds = 8;
const kWindows = 5;
const kPage = 65536;
const kArgs = 4096; // buffers lie behind it (lower/lower.h)

/** @param {Swept} swept @returns {Promise<Timed[]>} */
async function sweep({ glue, task, simd, sizes, schedules }) {
  const { default: create } = await import(glue);
  const workbench = await create();
  const kernels = schedules.map((schedule) => {
    const options = { simd, sharedMemory: false, schedule };
    const made = workbench.assemble(task, options);
    const call = workbench.call(task, options, sizes);
    for (const { error } of [made, call])
      if (error) throw new Error(`${task}\n${schedule}\n${error.message}`);
    return { run: instantiated(made.bytes, call), bytes: made.bytes.length, nanoseconds: Infinity };
  });
  for (const { run } of kernels) perCall(run, kWarmMilliseconds);
  for (let window = 0; window < kWindows; window++) {
    for (const kernel of kernels)
      kernel.nanoseconds = Math.min(kernel.nanoseconds, perCall(kernel.run, kWindowMilliseconds));
  }
  return kernels.map(({ bytes, nanoseconds }) => ({ bytes, nanoseconds }));
}

/**
 * @param {BufferSource} bytes
 * @param {{ buffers: { elements: number }[], sizes: { value: number }[], extent: number }} call
 */
function instantiated(bytes, { buffers, sizes, extent }) {
  let end = kArgs + 4 * (buffers.length + sizes.length);
  const addresses = buffers.map(({ elements }) => {
    const address = (end + 63) & ~63;
    end = address + 4 * elements;
    return address;
  });
  const memory = new WebAssembly.Memory({ initial: Math.ceil(end / kPage) });
  new Int32Array(memory.buffer, kArgs).set([...addresses, ...sizes.map(({ value }) => value)]);
  buffers.forEach(({ elements }, i) => {
    const view = new Float32Array(memory.buffer, addresses[i], elements);
    for (let e = 0; e < elements; e++) view[e] = ((e * 7919) % 1009) / 1009 - 0.5;
  });
  const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes), { env: { memory } });
  const [kernel] = /** @type {((...n: number[]) => number)[]} */ (Object.values(instance.exports));
  return () => {
    kernel(kArgs, 0, extent);
  };
}

/** @param {() => void} run @param {number} milliseconds */
function perCall(run, milliseconds) {
  const start = performance.now();
  for (let calls = 1; ; calls++) {
    run();
    const passed = performance.now() - start;
    if (passed >= milliseconds) return (1e6 * passed) / calls;
  }
}

addEventListener('message', ({ data }) => {
  sweep(data).then(postMessage, (error) => postMessage({ error: String(error.message ?? error) }));
});
