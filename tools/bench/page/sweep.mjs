// @ts-check
// Schedules of one task, timed in a new worker of this page.

/**
 * @typedef {object} Swept
 * @property {string} glue address of the workbench's glue
 * @property {string} task
 * @property {string} simd
 * @property {readonly { name: string, value: number }[]} sizes of the kernel; strides may be left out
 * @property {readonly string[]} schedules empty: the default one
 *
 * @typedef {{ nanoseconds: number, bytes: number }} Timed of one call, and of the module
 */

/** @param {Swept} swept @returns {Promise<Timed[]>} of each schedule */
export function sweep(swept) {
  const worker = new Worker(new URL('sweep_worker.mjs', import.meta.url), { type: 'module' });
  /** @type {Promise<Timed[]>} */
  const answer = new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => ('error' in data ? reject(new Error(data.error)) : resolve(data));
    worker.onerror = ({ message }) => reject(new Error(`the sweep's worker failed: ${message}`));
    worker.postMessage(swept);
  });
  return answer.finally(() => worker.terminate());
}
