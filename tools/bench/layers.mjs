// @ts-check
// How long each step of a model takes on Fuselane in Chromium, and how near to the peak its arithmetic comes. The peak
// is measured in the same page, before and after.

import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { launchChromium } from '../browser/chromium.mjs';
import { serve } from '../browser/server.mjs';
import { root } from '../setup/machine.mjs';
import { SetupError } from '../setup/terminal.mjs';
import { request } from './arguments.mjs';
import { blankPage } from './measure.mjs';
import { folders } from './run.mjs';

/** @typedef {import('fuselane').Profile} Profile */
/** @typedef {import('fuselane').StepTime} StepTime */
/** @typedef {import('./page/roofline.mjs').Roofline} Roofline */

const usage = `npm run profile -- --models NAME,… [--operator TEXT] [--engine fuselane:NAME=VALUE…] [--threads N]
                  [--runs N] [--by operator|step] [--json]

  --models    names as in docs/benchmarks.md
  --operator  only steps whose operator or kernel contains this
  --engine    options of load(), as for npm run bench
  --threads   1 when left out
  --runs      50 when left out; times are medians
  --by        one row for each step in their order, or for each operator and kernel together (when left out)
  --json      print JSON`;

const options = /** @type {const} */ ({
  models: { type: 'string' },
  operator: { type: 'string', default: '' },
  engine: { type: 'string', default: 'fuselane' },
  threads: { type: 'string', default: '1' },
  runs: { type: 'string', default: '50' },
  by: { type: 'string', default: 'operator' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
});

/** The kernel without what makes it one of many. @param {StepTime} step */
const family = ({ operator, kernel }) => `${operator} by ${kernel.split(' ')[0]}`;

/**
 * Steps of one kind together.
 * @param {readonly StepTime[]} steps
 * @returns {{ name: string, count: number, milliseconds: number, multiplyAdds: number }[]} the slowest first
 */
export function byFamily(steps) {
  /** @type {Map<string, { name: string, count: number, milliseconds: number, multiplyAdds: number }>} */
  const rows = new Map();
  for (const step of steps) {
    const name = family(step);
    const row = rows.get(name) ?? { name, count: 0, milliseconds: 0, multiplyAdds: 0 };
    row.count++;
    row.milliseconds += step.milliseconds;
    row.multiplyAdds += step.multiplyAdds;
    rows.set(name, row);
  }
  return [...rows.values()].sort((a, b) => b.milliseconds - a.milliseconds);
}

/** @param {{ milliseconds: number, multiplyAdds: number }} row @param {number} peak operations a second */
const ofPeak = ({ milliseconds, multiplyAdds }, peak) =>
  multiplyAdds === 0 ? '' : `${((100 * 2 * multiplyAdds) / (milliseconds / 1000) / peak).toFixed(0)}%`;

/** @param {string} model @param {Profile} profile @param {number} peak @param {readonly StepTime[]} steps @param {string} by */
function printTable(model, profile, peak, steps, by) {
  const inSteps = profile.steps.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
  console.log(
    `\n${model}: ${profile.milliseconds.toFixed(3)} ms a run, ${inSteps.toFixed(3)} of them in ${profile.steps.length} steps; ` +
      `peak ${(peak / 1e9).toFixed(1)} GFLOP/s`,
  );
  const rows =
    by === 'step'
      ? steps.map((step) => ({ ...step, count: 1, name: `${step.operator} by ${step.kernel}  ${step.node}` }))
      : byFamily(steps);
  console.log('      ms  share     MMAC  of peak  steps');
  for (const row of rows) {
    const share = `${((100 * row.milliseconds) / inSteps).toFixed(1)}%`;
    const work = row.multiplyAdds === 0 ? '' : (row.multiplyAdds / 1e6).toFixed(1);
    console.log(
      `${row.milliseconds.toFixed(3).padStart(8)} ${share.padStart(6)} ${work.padStart(8)} ${ofPeak(row, peak).padStart(8)} ` +
        `${String(row.count).padStart(6)}  ${row.name}`,
    );
  }
  const all = steps.reduce(
    (sum, { milliseconds, multiplyAdds }) =>
      multiplyAdds === 0
        ? sum
        : { milliseconds: sum.milliseconds + milliseconds, multiplyAdds: sum.multiplyAdds + multiplyAdds },
    { milliseconds: 0, multiplyAdds: 0 },
  );
  console.log(
    `steps with multiply-adds: ${all.milliseconds.toFixed(3)} ms, ${ofPeak(all, peak)} of the peak`,
  );
}

/** @param {string[]} args */
function parsed(args) {
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new SetupError(`${/** @type {Error} */ (error).message}\n\n${usage}`);
  }
}

/** @param {string[]} args @returns {Promise<number>} the exit code */
export async function run(args) {
  const values = parsed(args);
  if (values.help || values.models === undefined) {
    console.log(usage);
    return values.help ? 0 : 1;
  }
  if (values.by !== 'step' && values.by !== 'operator')
    throw new SetupError(`--by must be operator or step, not "${values.by}"`);
  const { engines, models, threads, rounds } = request([
    ...['--models', values.models, '--engines', values.engine],
    ...['--threads', values.threads, '--rounds', values.runs],
  ]);
  const server = await serve({ folders, isolated: true });
  const browser = await launchChromium();
  try {
    for (const { name, path, feeds } of models) {
      const page = await blankPage({ browser, url: server.url });
      const opening = {
        ...{ model: `/${relative(root, path)}`, package: '/dist/', threads },
        ...{ options: engines[0].options, feeds: feeds() },
      };
      const [before, profile, after] = await page.evaluate(async ([given, runs]) => {
        const { roofline, profile } = /** @type {any} */ (globalThis).bench;
        const first = await roofline(given.threads);
        return [first, await profile(given, runs), await roofline(given.threads)];
      }, /** @type {const} */ ([opening, rounds]));
      await page.close();
      const peak = Math.max(before.fma, after.fma);
      /** @type {StepTime[]} */
      const steps = profile.steps.filter((/** @type {StepTime} */ step) =>
        `${step.operator} ${step.kernel}`.includes(values.operator),
      );
      if (values.json) console.log(JSON.stringify({ model: name, peak, ...profile, steps }));
      else printTable(name, profile, peak, steps, values.by);
    }
    return 0;
  } finally {
    await browser.close();
    server.close();
  }
}
