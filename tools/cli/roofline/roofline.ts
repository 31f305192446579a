// What this machine and Node can do at most: arithmetic and reading of memory on some threads at once.

import { Worker } from 'node:worker_threads';
import type { Roofline } from './rate.js';

/** One of these at a time. `fma` is 0 where there is no relaxed SIMD. */
export async function roofline(threads: number, relaxed: boolean): Promise<Roofline> {
  return {
    fma: relaxed ? await rateOf('fma', threads) : 0,
    mulAdd: await rateOf('mulAdd', threads),
    read: await rateOf('read', threads),
  };
}

/** The better of two measurements: what else the machine does can only make one worse. */
export const best = (a: Roofline, b: Roofline): Roofline => ({
  fma: Math.max(a.fma, b.fma),
  mulAdd: Math.max(a.mulAdd, b.mulAdd),
  read: Math.max(a.read, b.read),
});

/** The sum over all threads. */
async function rateOf(kind: keyof Roofline, threads: number): Promise<number> {
  const rates = await Promise.all(Array.from({ length: threads }, () => rateOfOne(kind)));
  return rates.reduce((a, b) => a + b, 0);
}

function rateOfOne(kind: keyof Roofline): Promise<number> {
  const worker = new Worker(new URL('./node_worker.js', import.meta.url), { workerData: kind });
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}
