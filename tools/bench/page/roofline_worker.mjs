// @ts-check
// One thread of the roofline: runs a loop for a while and answers its best rate, in operations or bytes a second.

import { fma, kBytesPerTurn, kOperationsPerTurn, mulAdd, read } from './loops.mjs';

/** Calls are short, because the browser replaces its first, slow code only between calls. */
const kTurns = 2000;
const kWarmMilliseconds = 100;
const kWindowMilliseconds = 20;
const kWindows = 10;
/** More than the last-level caches of common machines. */
const kMemory = 128 << 20;
const kPiece = kBytesPerTurn * 2048;

/** @typedef {'fma' | 'mulAdd' | 'read'} Kind */

/** @param {Kind} kind @returns {{ step: () => number, amount: number }} amount: what one step does */
function loopOf(kind) {
  if (kind === 'read') return reading();
  const run = functionOf(kind === 'fma' ? fma() : mulAdd()).run;
  return { step: () => run(kTurns), amount: kTurns * kOperationsPerTurn };
}

function reading() {
  const { run, memory } = functionOf(read(kMemory));
  // Pages that were never written are all the same one.
  new Uint8Array(memory.buffer).fill(1);
  let at = 0;
  const step = () => {
    if (at + kPiece > kMemory) at = 0;
    at += kPiece;
    return run(at - kPiece, at);
  };
  return { step, amount: kPiece };
}

/** @param {WebAssembly.Module} module */
const functionOf = (module) =>
  /** @type {{ run: (...n: number[]) => number, memory: WebAssembly.Memory }} */ (
    /** @type {unknown} */ (new WebAssembly.Instance(module).exports)
  );

/** Steps a second. @param {() => number} step @param {number} milliseconds */
function rate(step, milliseconds) {
  const start = performance.now();
  for (let steps = 1; ; steps++) {
    step();
    const passed = performance.now() - start;
    if (passed >= milliseconds) return (1000 * steps) / passed;
  }
}

addEventListener('message', ({ data }) => {
  const { step, amount } = loopOf(/** @type {Kind} */ (data));
  rate(step, kWarmMilliseconds);
  const rates = Array.from({ length: kWindows }, () => rate(step, kWindowMilliseconds));
  postMessage(amount * Math.max(...rates));
});
