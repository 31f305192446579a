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
export const time = (milliseconds) => milliseconds.toFixed(milliseconds < 1 ? 3 : milliseconds < 10 ? 2 : 1);
/** @param {number} value */
const two = (value) => value.toFixed(2);

/** @typedef {{ title: string, width: number }} Column */
/** @typedef {{ median: number, low: number, high: number }} Ratio */

/** @param {string} title @param {number} width @returns {Column} */
export const column = (title, width) => ({ title, width: Math.max(title.length, width) });
/** @param {string[]} models */
export const modelColumn = (models) => column('model', Math.max(...models.map((name) => name.length)));
/** How the columns of an engine that is compared end. */
export const comparison = [column('ratio (quartiles)', 17), column('difference', 10)];
/** @param {{ ratio: Ratio, difference: number }} result */
export const compared = ({ ratio: { median, low, high }, difference }) => [
  `${two(median)} (${two(low)}-${two(high)})`,
  difference.toExponential(1),
];

/**
 * Columns for these engines, the first of which the others are compared with.
 * @param {string[]} engines
 * @param {string[]} models
 */
export function columns(engines, models) {
  return [
    modelColumn(models),
    column('MMAC', 6),
    ...engines.flatMap((name, i) => [
      column(`${name} ms`, 8),
      column('of peak', 7),
      column('cores', 5),
      ...(i > 0 ? comparison : []),
    ]),
  ];
}

/** @param {Column[]} table @param {string[]} cells */
export const line = (table, cells) =>
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
    const { milliseconds, cores } = result;
    const share = counted ? `${Math.round((100 * least) / milliseconds)}%` : '-';
    const own = [time(milliseconds), share, cores.toFixed(1)];
    return i === 0 ? own : [...own, ...compared(result)];
  });
  return line(table, [model, counted ? (arithmetic.multiplyAdds / 1e6).toFixed(1) : '-', ...cells]);
}

/**
 * For each engine behind the first: the geometric mean and the least of its ratios.
 * @param {string[]} engines
 * @param {{ model: string, results: (Failure | { engine: string, ratio: Ratio })[] }[]} rows
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
