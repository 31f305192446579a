// One thread of the roofline: runs a loop for a while and tells its best rate. In pages and in Node.

import { fma, kBytesPerTurn, kOperationsPerTurn, mulAdd, read } from './loops.js';

/** What a machine can do at most on some threads at once: operations, operations, bytes a second. */
export interface Roofline {
  readonly fma: number;
  readonly mulAdd: number;
  readonly read: number;
}

/** Calls are short, because engines replace their first, slow code only between calls. */
const kTurns = 2000;
const kWarmMilliseconds = 100;
const kWindowMilliseconds = 20;
const kWindows = 10;
/** More than the last-level caches of common machines. */
const kMemory = 128 << 20;
const kPiece = kBytesPerTurn * 2048;

/** `amount` is what one step does. */
function loopOf(kind: keyof Roofline): { step: () => number; amount: number } {
  if (kind === 'read') return reading();
  const { run } = functionOf(kind === 'fma' ? fma() : mulAdd());
  return { step: () => run(kTurns), amount: kTurns * kOperationsPerTurn };
}

function reading(): { step: () => number; amount: number } {
  const { run, memory } = functionOf(read(kMemory));
  // Pages that were never written are all the same one.
  new Uint8Array(memory.buffer).fill(1);
  let at = 0;
  const step = (): number => {
    if (at + kPiece > kMemory) at = 0;
    at += kPiece;
    return run(at - kPiece, at);
  };
  return { step, amount: kPiece };
}

interface Loop {
  readonly run: (...n: number[]) => number;
  readonly memory: WebAssembly.Memory;
}

const functionOf = (module: WebAssembly.Module): Loop =>
  new WebAssembly.Instance(module).exports as unknown as Loop;

/** Steps a second. */
function rate(step: () => number, milliseconds: number): number {
  const start = performance.now();
  for (let steps = 1; ; steps++) {
    step();
    const passed = performance.now() - start;
    if (passed >= milliseconds) return (1000 * steps) / passed;
  }
}

/** Operations or bytes a second. */
export function bestRate(kind: keyof Roofline): number {
  const { step, amount } = loopOf(kind);
  rate(step, kWarmMilliseconds);
  const rates = Array.from({ length: kWindows }, () => rate(step, kWindowMilliseconds));
  return amount * Math.max(...rates);
}
