// @ts-check
// Statistics that a few slow rounds on a busy machine do not move much.

/**
 * The value below which a part of the values lies, linear between neighbours.
 * @param {readonly number[]} values at least one
 * @param {number} part from 0 to 1
 */
export function quantile(values, part) {
  const sorted = [...values].sort((a, b) => a - b);
  const place = part * (sorted.length - 1);
  const low = Math.floor(place);
  const high = Math.min(low + 1, sorted.length - 1);
  return sorted[low] + (place - low) * (sorted[high] - sorted[low]);
}

/** @param {readonly number[]} values at least one */
export const median = (values) => quantile(values, 0.5);

/** @param {readonly number[]} values at least one, all above 0 */
export const geometricMean = (values) =>
  Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);

/**
 * How many times as long the other took, from rounds that were measured in pairs: the median of the pairs' ratios,
 * and their quartiles.
 * @param {readonly number[]} other milliseconds of each round
 * @param {readonly number[]} own
 */
export function ratioOf(other, own) {
  const ratios = other.map((value, round) => value / own[round]);
  return { median: median(ratios), low: quantile(ratios, 0.25), high: quantile(ratios, 0.75) };
}
