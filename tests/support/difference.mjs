// @ts-check
// Whether an answer is what the reference gives.

/** @typedef {import('fuselane').Tensor} Tensor */

/** What sums of other roundings differ by. */
const kRounding = 1e-5;

/**
 * Sums may be taken in another order and rounded once less, and functions are good to an ulp or two.
 * @param {unknown} got @param {unknown} wanted
 * @param {number} most a part of the number, or of `least` if that is larger
 * @param {number} least
 */
function isClose(got, wanted, most, least) {
  if (got === wanted || Object.is(got, wanted)) return true;
  if (typeof got !== 'number' || typeof wanted !== 'number') return false;
  return Math.abs(got - wanted) <= most * Math.max(least, Math.abs(wanted));
}

/**
 * What is wrong, in words. Where it is exact, the bits are the same but for those of NaN.
 * @param {Tensor} got
 * @param {Tensor} wanted
 * @param {number} [most] a part of the number, or of the largest one, which counts as 1 to 64; 0: exact, as integers are
 */
export function difference(got, wanted, most = kRounding) {
  const isExact = most === 0 || wanted.type !== 'float32';
  if (got.type !== wanted.type || got.dims.join() !== wanted.dims.join())
    return `${got.type} [${got.dims.join(', ')}], not ${wanted.type} [${wanted.dims.join(', ')}]`;
  const finite = isExact ? [] : Array.from(/** @type {Float32Array} */ (wanted.data)).filter(Number.isFinite);
  const largest = finite.reduce((high, value) => Math.max(high, Math.abs(value)), 0);
  const least = Math.max(1, Math.min(largest, 64));
  const all = Array.from(/** @type {ArrayLike<number | bigint>} */ (wanted.data));
  const at = all.findIndex((value, i) =>
    isExact ? !Object.is(got.data[i], value) : !isClose(got.data[i], value, most, least),
  );
  return at < 0 ? undefined : `element ${at} is ${got.data[at]}, not ${wanted.data[at]}`;
}
