// @ts-check
// What this machine and browser can do at most: arithmetic and reading of memory on some threads at once.

/** @typedef {import('../../../dist/cli/roofline/rate.js').Roofline} Roofline */

/** @param {number} threads @returns {Promise<Roofline>} */
export async function roofline(threads) {
  return {
    fma: await rateOf('fma', threads),
    mulAdd: await rateOf('mulAdd', threads),
    read: await rateOf('read', threads),
  };
}

/** The sum over all threads. @param {keyof Roofline} kind @param {number} threads */
async function rateOf(kind, threads) {
  const rates = await Promise.all(Array.from({ length: threads }, () => rateOfOne(kind)));
  return rates.reduce((a, b) => a + b, 0);
}

/** @param {keyof Roofline} kind @returns {Promise<number>} */
function rateOfOne(kind) {
  const worker = new Worker(new URL('roofline_worker.mjs', import.meta.url), { type: 'module' });
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(`the roofline's worker failed: ${message}`));
    worker.postMessage(kind);
  }).finally(() => worker.terminate());
}
