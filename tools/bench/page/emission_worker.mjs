// @ts-check
// Makes the wasm of each kernel once, then of the last one again and again, and answers how long each time took. The page
// is cross-origin isolated: its timers count in steps of 5 us.

/** @typedef {import('./emission.mjs').Asked} Asked */
/** @typedef {import('./emission.mjs').Emission} Emission */

/** @param {Asked} asked @returns {Promise<Emission>} */
async function emission({ glue, tasks, simd, warm }) {
  if (!crossOriginIsolated) throw new Error('the page is not cross-origin isolated');
  const { default: create } = await import(glue);
  const workbench = await create();
  const options = { simd, sharedMemory: true, schedule: '' };
  const timed = (/** @type {string} */ task) => {
    const start = performance.now();
    const made = workbench.make(task, options);
    const milliseconds = performance.now() - start;
    if ('error' in made) throw new Error(`${task}: ${made.error.message}`);
    return { task, bytes: made.bytes, milliseconds };
  };
  const first = tasks.map(timed);
  for (const { task, bytes } of first)
    if (!WebAssembly.validate(bytes)) throw new Error(`${task}: the wasm for ${simd} is not valid`);
  const again = () => timed(tasks[tasks.length - 1]);
  for (const end = performance.now() + warm.milliseconds; performance.now() < end;) again();
  const calls = Array.from({ length: warm.calls }, () => again().milliseconds);
  return {
    bytes: first.map(({ bytes }) => bytes.length),
    cold: first.map(({ milliseconds }) => milliseconds),
    calls,
  };
}

addEventListener('message', ({ data }) => {
  emission(data).then(postMessage, (error) => postMessage({ error: String(error.message ?? error) }));
});
