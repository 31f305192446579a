// @ts-check
// The measurements as lines of text: one line a model, which can be printed as soon as it is measured.

import { geometricMean } from './statistics.mjs';

/** @typedef {import('./arithmetic.mjs').Arithmetic} Arithmetic */
/** @typedef {import('./measure.mjs').Measurement} Measurement */
/** @typedef {import('./measure.mjs').Failure} Failure */
/** @typedef {import('./page/roofline.mjs').Roofline} Roofline */
/** @typedef {{ model: string, arithmetic: Arithmetic, results: (Measurement | Failure)[] }} Row */

/**
 * The least milliseconds that a run could take here: its multiply-adds at the peak, or its weights read from memory.
 * @param {Arithmetic} arithmetic
 * @param {Roofline} roofline
 */
export const leastMilliseconds = ({ multiplyAdds, weightBytes }, { fma, mulAdd, read }) =>
  1000 * Math.max((2 * multiplyAdds) / Math.max(fma, mulAdd), weightBytes / read);

/** @param {number} milliseconds */
const time = (milliseconds) => milliseconds.toFixed(milliseconds < 1 ? 3 : milliseconds < 10 ? 2 : 1);
/** @param {number} value */
const two = (value) => value.toFixed(2);

/** @typedef {{ title: string, width: number }} Column */

/**
 * Columns for these engines, the first of which the others are compared with.
 * @param {string[]} engines
 * @param {string[]} models
 */
export function columns(engines, models) {
  /** @param {string} title @param {number} width */
  const column = (title, width) => ({ title, width: Math.max(title.length, width) });
  return [
    column('model', Math.max(...models.map((name) => name.length))),
    column('MMAC', 6),
    ...engines.flatMap((name, i) => [
      column(`${name} ms`, 8),
      column('of peak', 7),
      column('cores', 5),
      ...(i > 0 ? [column('ratio (quartiles)', 17), column('difference', 10)] : []),
    ]),
  ];
}

/** @param {Column[]} table @param {string[]} cells */
const line = (table, cells) =>
  cells
    .map((cell, i) => (i === 0 ? cell.padEnd(table[i].width) : cell.padStart(table[i].width)))
    .join('  ')
    .trimEnd();

/** @param {Column[]} table */
export const header = (table) =>
  line(
    table,
    table.map(({ title }) => title),
  );

/**
 * @param {Column[]} table
 * @param {Row} row
 * @param {Roofline} roofline
 */
export function rowLine(table, { model, arithmetic, results }, roofline) {
  const least = leastMilliseconds(arithmetic, roofline);
  const counted = arithmetic.multiplyAdds > 0;
  const cells = results.flatMap((result, i) => {
    if ('error' in result) return ['failed', '', '', ...(i > 0 ? ['', ''] : [])];
    const { milliseconds, cores, ratio, difference } = result;
    const share = counted ? `${Math.round((100 * least) / milliseconds)}%` : '-';
    const own = [time(milliseconds), share, cores.toFixed(1)];
    if (i === 0) return own;
    return [
      ...own,
      `${two(ratio.median)} (${two(ratio.low)}-${two(ratio.high)})`,
      difference.toExponential(1),
    ];
  });
  return line(table, [model, counted ? (arithmetic.multiplyAdds / 1e6).toFixed(1) : '-', ...cells]);
}

/**
 * For each engine behind the first: the geometric mean and the least of its ratios.
 * @param {string[]} engines
 * @param {Row[]} rows
 */
export function summary(engines, rows) {
  const [first, ...others] = engines;
  return others.flatMap((name) => {
    const ratios = rows.flatMap(({ model, results }) =>
      results.flatMap((result) =>
        'error' in result || result.engine !== name || 'error' in results[0]
          ? []
          : [{ model, ratio: result.ratio.median }],
      ),
    );
    if (ratios.length === 0) return [];
    const least = ratios.reduce((a, b) => (b.ratio < a.ratio ? b : a));
    const mean = geometricMean(ratios.map(({ ratio }) => ratio));
    return [
      `${name} / ${first}: geometric mean ${two(mean)} over ${ratios.length} models, least ${two(least.ratio)} (${least.model})`,
    ];
  });
}
