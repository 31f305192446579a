// @ts-check
// Compares what two engines gave for the same feeds. Floating-point outputs agree when no value is further off than a
// part of the expected output's largest finite value; NaN agrees with NaN only, an infinity with the same infinity
// only; integers, booleans and strings agree when they are equal. Types and dims agree always.

/** @typedef {import('./inputs.mjs').Tensor} Tensor */

/** The project's bound through a whole network (see "Numbers" in docs/architecture.md). */
export const kTolerance = 1e-3;

const floats = new Set(['float32', 'float64']);

/**
 * @param {Tensor} got
 * @param {Tensor} expected
 * @param {number} [tolerance] part of the largest expected value
 * @returns {string | undefined} what is wrong, in words, or undefined
 */
export function difference(got, expected, tolerance = kTolerance) {
  if (got.type !== expected.type) return `type ${got.type}, expected ${expected.type}`;
  if (got.dims.length !== expected.dims.length || got.dims.some((d, i) => d !== expected.dims[i]))
    return `dims [${got.dims.join(', ')}], expected [${expected.dims.join(', ')}]`;
  if (got.data.length !== expected.data.length)
    return `${got.data.length} values, expected ${expected.data.length}`;
  return floats.has(expected.type)
    ? floatDifference(got, expected, tolerance)
    : exactDifference(got, expected);
}

/** @param {Tensor} got @param {Tensor} expected */
function exactDifference(got, expected) {
  for (let i = 0; i < expected.data.length; i++) {
    if (got.data[i] !== expected.data[i])
      return `${got.data[i]} at ${place(i, expected.dims)}, expected ${expected.data[i]}`;
  }
  return undefined;
}

/** @param {Tensor} got @param {Tensor} expected @param {number} tolerance */
function floatDifference(got, expected, tolerance) {
  const [g, e] = [/** @type {Float32Array} */ (got.data), /** @type {Float32Array} */ (expected.data)];
  const largest = largestMagnitude(e);
  let worst = 0;
  let at = -1;
  for (let i = 0; i < e.length; i++) {
    if (Object.is(g[i], e[i]) || g[i] === e[i]) continue;
    const off = Number.isFinite(g[i]) && Number.isFinite(e[i]) ? Math.abs(g[i] - e[i]) : Infinity;
    if (off > worst) [worst, at] = [off, i];
  }
  if (worst <= tolerance * largest) return undefined;
  const share = Number.isFinite(worst)
    ? `, off by ${(worst / largest).toExponential(1)} of the largest value ${largest}`
    : '';
  return `${g[at]} at ${place(at, expected.dims)}, expected ${e[at]}${share}`;
}

/** The largest finite magnitude. @param {Float32Array} values */
function largestMagnitude(values) {
  let largest = 0;
  for (const value of values) if (Number.isFinite(value)) largest = Math.max(largest, Math.abs(value));
  return largest;
}

/** Index i as coordinates. @param {number} i @param {readonly number[]} dims */
function place(i, dims) {
  const coordinates = [];
  for (const dim of [...dims].reverse()) {
    coordinates.unshift(i % dim);
    i = Math.floor(i / dim);
  }
  return `[${coordinates.join(', ')}]`;
}

/**
 * How far two outputs of one model for different inputs are apart, as a part of the largest value of the first;
 * Infinity when they differ in dims or, for other types than floats, in any value.
 * @param {Tensor} a
 * @param {Tensor} b
 */
export function distance(a, b) {
  if (difference(a, b, 0) === undefined) return 0;
  if (!floats.has(a.type) || a.data.length !== b.data.length) return Infinity;
  const [x, y] = [/** @type {Float32Array} */ (a.data), /** @type {Float32Array} */ (b.data)];
  let most = 0;
  for (let i = 0; i < x.length; i++) most = Math.max(most, Math.abs(x[i] - y[i]));
  return most / largestMagnitude(x);
}
