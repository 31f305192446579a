// @ts-check
// onnxruntime-web as its documentation advises for the CPU: the WebAssembly execution provider of the build that has
// nothing else, SIMD, all graph optimizations, threads where the page is isolated.

/** @param {import('./page.mjs').Opening} opening @returns {Promise<import('./page.mjs').Opened>} */
export async function open({ model, package: folder, threads, feeds }) {
  /** @type {typeof import('onnxruntime-web')} */
  const ort = await import(`${folder}dist/ort.wasm.min.mjs`);
  Object.assign(ort.env.wasm, { numThreads: threads, simd: true, wasmPaths: `${folder}dist/` });
  const session = await ort.InferenceSession.create(model, {
    executionProviders: ['wasm'],
    graphOptimizationLevel: 'all',
    logSeverityLevel: 3,
  });
  // It sets the number to 1 where it cannot have threads.
  if (ort.env.wasm.numThreads !== threads)
    throw new Error(`it runs on ${ort.env.wasm.numThreads} threads instead of ${threads}`);
  const fed = Object.fromEntries(
    Object.entries(feeds).map(([name, { type, data, dims }]) => [
      name,
      new ort.Tensor(/** @type {'float32'} */ (type), /** @type {Float32Array} */ (data), dims),
    ]),
  );
  return {
    run: async () =>
      /** @type {Record<string, import('./page.mjs').Tensor>} */ (
        /** @type {unknown} */ (await session.run(fed))
      ),
  };
}
