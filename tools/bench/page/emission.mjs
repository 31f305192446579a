// @ts-check
// The compiler in a new worker of this page.

/**
 * @typedef {object} Asked
 * @property {string} glue address of the workbench's glue
 * @property {string[]} tasks
 * @property {string} simd
 * @property {{ milliseconds: number, calls: number }} warm of the last task: how long it is called before the calls
 *   that are measured, and how many these are
 *
 * @typedef {object} Emission
 * @property {number[]} bytes of each task's wasm
 * @property {number[]} cold milliseconds of each task's first call, in their order
 * @property {number[]} calls milliseconds of the last task's calls that are measured
 */

/** @param {Asked} asked @returns {Promise<Emission>} */
export function emission(asked) {
  const worker = new Worker(new URL('emission_worker.mjs', import.meta.url), { type: 'module' });
  /** @type {Promise<Emission>} */
  const answer = new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => ('error' in data ? reject(new Error(data.error)) : resolve(data));
    worker.onerror = ({ message }) => reject(new Error(`the compiler's worker failed: ${message}`));
    worker.postMessage(asked);
  });
  return answer.finally(() => worker.terminate());
}
