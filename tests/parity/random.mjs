// @ts-check
// Random numbers from a seed, the same on every machine.

/** @typedef {{ uniform: () => number, normal: () => number, below: (n: number) => number }} Random */

/**
 * Mulberry32 by Tommy Ettinger: 32 bits of state, good enough for test inputs.
 * @param {number} seed
 * @returns {Random} uniform in [0, 1), normal with mean 0 and deviation 1, integers below n
 */
export function random(seed) {
  let state = (seed * 0x9e3779b9) >>> 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  return { uniform, normal, below: (n) => Math.floor(uniform() * n) };
}
