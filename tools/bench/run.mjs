// @ts-check
// How long models take on Fuselane and on its peers in Chromium, side by side. docs/benchmarks.md says what is measured
// and how.

import { writeFileSync } from 'node:fs';
import { arch, availableParallelism, cpus, platform } from 'node:os';
import { relative } from 'node:path';
import { kTolerance } from '../../tests/parity/compare.mjs';
import { launchChromium } from '../browser/chromium.mjs';
import { serve } from '../browser/server.mjs';
import { output, root } from '../setup/machine.mjs';
import { arithmeticOf } from './arithmetic.mjs';
import { kRuns, request, usage } from './arguments.mjs';
import { engineFiles } from './engines.mjs';
import { blankPage, measure } from './measure.mjs';
import { columns, header, rowLine, summary } from './table.mjs';

/** @typedef {import('./page/roofline.mjs').Roofline} Roofline */

export const folders = [
  'dist/',
  'tools/bench/page/',
  'tests/models/',
  'node_modules/',
  '.cache/zoo/',
  '.cache/peers/',
];

/** @param {import('playwright-core').Browser} browser @param {{ label: string, version: string }[]} engines */
export const machine = (browser, engines) => ({
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: availableParallelism(),
  system: `${platform()} ${arch()}`,
  chromium: browser.version(),
  node: process.versions.node,
  engines: Object.fromEntries(engines.map(({ label, version }) => [label, version])),
  commit: output('git', ['-C', root, 'describe', '--always', '--dirty']) ?? 'unknown',
});

/** What stands above a table. @param {ReturnType<typeof machine>} where @param {number} threads */
export const heading = ({ cpu, cores, system, chromium, node, engines, commit }, threads) => [
  `${cpu}, ${cores} cores, ${system}; Chromium ${chromium}, Node ${node}`,
  [...Object.entries(engines).map(([label, version]) => `${label} ${version}`), `commit ${commit}`].join(
    ', ',
  ),
  `${threads} thread${threads > 1 ? 's' : ''}\n`,
];

/** @param {number} perSecond */
const giga = (perSecond) => (perSecond / 1e9).toFixed(1);

/** @param {{ browser: import('playwright-core').Browser, url: string }} host @param {number} threads */
export async function rooflineOf(host, threads) {
  const page = await blankPage(host);
  const roofline = await page.evaluate((n) => /** @type {any} */ (globalThis).bench.roofline(n), threads);
  await page.close();
  return /** @type {Roofline} */ (roofline);
}

/** What a quieter moment showed counts. @param {Roofline} a @param {Roofline} b @returns {Roofline} */
const best = (a, b) => ({
  fma: Math.max(a.fma, b.fma),
  mulAdd: Math.max(a.mulAdd, b.mulAdd),
  read: Math.max(a.read, b.read),
});

/**
 * @param {{ model: string, results: (import('./measure.mjs').Failure | { engine: string, difference: number })[] }[]} rows
 * @returns {string[]} a sentence for everything that is wrong
 */
export function complaints(rows) {
  return rows.flatMap(({ model, results }) =>
    results.flatMap((result) => {
      if ('error' in result) return [`${model}: ${result.engine} failed: ${result.error}`];
      if (result.difference <= kTolerance) return [];
      const { engine, difference } = result;
      const part = difference.toExponential(1);
      return [
        `${model}: ${engine} and ${results[0].engine} differ by ${part} of the largest value; at most ${kTolerance} was expected`,
      ];
    }),
  );
}

/**
 * Measures what was asked for, printing as it goes.
 * @param {import('./arguments.mjs').Request} asked
 * @param {{ browser: import('playwright-core').Browser, url: string }} host
 */
async function bench(asked, host) {
  const engines = [];
  for (const choice of asked.engines) engines.push({ ...choice, ...(await engineFiles(choice.name)) });
  const { threads } = asked;
  const where = machine(host.browser, engines);
  for (const text of heading(where, threads)) console.log(text);
  const labels = engines.map(({ label }) => label);
  const table = columns(labels, asked.models.map(({ name }) => name)); // prettier-ignore
  console.log(header(table));
  const rows = [];
  let roofline = { fma: 0, mulAdd: 0, read: 0 };
  for (const model of asked.models) {
    roofline = best(roofline, await rooflineOf(host, threads));
    const feeds = model.feeds();
    const arithmetic = await arithmeticOf(model, feeds);
    const what = { model: `/${relative(root, model.path)}`, feeds };
    const row = { model: model.name, arithmetic, results: await measure(host, engines, what, asked) };
    rows.push(row);
    console.log(rowLine(table, row, roofline));
  }
  console.log(
    `\nroofline: relaxed madd ${giga(roofline.fma)} GFLOP/s, mul + add ${giga(roofline.mulAdd)} GFLOP/s, ` +
      `reading memory ${giga(roofline.read)} GB/s`,
  );
  for (const sentence of summary(labels, rows)) console.log(sentence);
  if (asked.json !== undefined) {
    const { threads, rounds, milliseconds } = asked;
    const all = { machine: where, threads, rounds, milliseconds, roofline, models: rows };
    writeFileSync(asked.json, `${JSON.stringify(all, null, 2)}\n`);
  }
  return complaints(rows);
}

/**
 * @param {string[]} args
 * @returns the exit code: 1 when an engine failed or outputs differ by more than the tolerance
 */
export async function run(args) {
  if (args.includes('--help')) {
    console.log(usage(kRuns));
    return 0;
  }
  const asked = request(args);
  if (asked.missing.length > 0)
    console.log(`not there, so not measured: ${asked.missing.join(', ')} (npm run zoo exports them)`);
  const server = await serve({ folders, isolated: true });
  const browser = await launchChromium();
  try {
    const wrong = await bench(asked, { browser, url: server.url });
    for (const sentence of wrong) console.error(sentence);
    return wrong.length > 0 ? 1 : 0;
  } finally {
    await browser.close();
    server.close();
  }
}
