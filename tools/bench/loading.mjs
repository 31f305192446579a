// @ts-check
// How long a page waits for the first output of a model: from the first import of the engine's package, its core neither
// fetched nor compiled, to the results of one run. Every measurement has a page of its own, in a new browser context,
// whose process has compiled nothing and whose cache is empty; the engines take turns. Files come from a server on the same
// machine: what a network adds for larger files is not in these times.

import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { launchChromium } from '../browser/chromium.mjs';
import { serve } from '../browser/server.mjs';
import { root } from '../setup/machine.mjs';
import { kLoads, request, usage } from './arguments.mjs';
import { engineFiles } from './engines.mjs';
import { blankPage, largestDifference, outputsOf, sentence } from './measure.mjs';
import { complaints, folders, heading, machine } from './run.mjs';
import { median, ratioOf } from './statistics.mjs';
import { column, compared, comparison, header, line, modelColumn, summary, time } from './table.mjs';

/** @typedef {import('../../tests/parity/inputs.mjs').Tensor} Tensor */
/** @typedef {import('fuselane').Report} Report */
/** @typedef {import('./measure.mjs').Engine} Engine */
/** @typedef {import('./measure.mjs').Failure} Failure */
/** @typedef {{ browser: import('playwright-core').Browser, url: string }} Host */
/**
 * @typedef {object} Loading
 * @property {string} engine
 * @property {number} milliseconds median over the rounds
 * @property {number[]} rounds
 * @property {Report[]} reports of each round, where the engine has them
 * @property {import('./table.mjs').Ratio} ratio its time / that of the first engine that did not fail
 * @property {number} difference from that one's outputs, as a part of the largest value
 * @typedef {{ model: string, results: (Loading | Failure)[] }} Row
 */

/**
 * One page from its start to the first output.
 * @param {Host} host
 * @param {Engine} engine
 * @param {{ model: string, feeds: Record<string, Tensor> }} what
 * @param {number} threads
 * @returns {Promise<{ milliseconds: number, report?: Report, outputs: Record<string, Tensor> }>}
 */
async function loadOnce(host, { module, package: folder, options }, { model, feeds }, threads) {
  const page = await blankPage(host);
  try {
    const timed = await page.evaluate(
      ([name, opening]) => /** @type {any} */ (globalThis).bench.begin(name, opening),
      /** @type {const} */ ([module, { model, package: folder, threads, options, feeds }]),
    );
    return { ...timed, outputs: await outputsOf(page) };
  } finally {
    await page.close();
  }
}

/**
 * @param {Host} host
 * @param {Engine[]} engines
 * @param {{ model: string, feeds: Record<string, Tensor> }} what model: its address
 * @param {{ threads: number, rounds: number }} how
 * @returns {Promise<(Loading | Failure)[]>} in the order of the engines
 */
export async function measureLoads(host, engines, what, { threads, rounds }) {
  /** @type {Map<string, string>} */
  const failures = new Map();
  const loads = engines.map(() => /** @type {Awaited<ReturnType<typeof loadOnce>>[]} */ ([]));
  // The first round only makes the system read the files.
  for (let round = -1; round < rounds; round++) {
    for (const [i, engine] of engines.entries()) {
      if (failures.has(engine.label)) continue;
      try {
        const load = await loadOnce(host, engine, what, threads);
        if (round >= 0) loads[i].push(load);
      } catch (error) {
        failures.set(engine.label, sentence(error));
      }
    }
  }
  const base = engines.findIndex(({ label }) => !failures.has(label));
  const times = loads.map((all) => all.map(({ milliseconds }) => milliseconds));
  return engines.map(({ label }, i) => {
    const error = failures.get(label);
    if (error !== undefined) return { engine: label, error };
    return {
      engine: label,
      milliseconds: median(times[i]),
      rounds: times[i],
      reports: loads[i].flatMap(({ report }) => report ?? []),
      ratio: ratioOf(times[i], times[base]),
      difference: largestDifference(loads[i][0].outputs, loads[base][0].outputs),
    };
  });
}

/** The compiler's own work: what is neither reading weights nor the browser's. @param {Report} report */
export const compiling = ({ preparation: { import: read, optimize, plan, emit } }) =>
  read + optimize + plan + emit;

/** Columns of an engine that reports. */
const parts = [
  column('compiler', 8),
  column('weights', 7),
  column('install', 7),
  column('kernels', 7),
  column('code kB', 7),
];

/** @param {readonly Report[]} reports at least one */
function partsOf(reports) {
  const middle = (/** @type {(report: Report) => number} */ of) => median(reports.map(of));
  const { kernels, kernelBytes } = reports[0];
  return [
    middle(compiling).toFixed(1),
    middle(({ preparation }) => preparation.weights).toFixed(1),
    middle(({ preparation }) => preparation.install).toFixed(1),
    String(kernels),
    (kernelBytes / 1000).toFixed(0),
  ];
}

/** @param {{ label: string, name: string }} engine */
const reports = ({ name }) => name === 'fuselane';

/** @param {{ label: string, name: string }[]} engines @param {string[]} models */
export const loadColumns = (engines, models) => [
  modelColumn(models),
  ...engines.flatMap((engine, i) => [
    column(`${engine.label} ms`, 8),
    ...(reports(engine) ? parts : []),
    ...(i > 0 ? comparison : []),
  ]),
];

/** @param {{ label: string, name: string }[]} engines @param {Row} row @returns {string[]} a cell for each column */
export const loadCells = (engines, { model, results }) => [
  model,
  ...engines.flatMap((engine, i) => {
    const result = results[i];
    const own = reports(engine) ? parts.length : 0;
    if ('error' in result) return ['failed', ...Array(own + (i > 0 ? comparison.length : 0)).fill('')];
    return [
      time(result.milliseconds),
      ...(own ? partsOf(result.reports) : []),
      ...(i > 0 ? compared(result) : []),
    ];
  }),
];

/** @param {string[]} args @returns {Promise<number>} the exit code: 1 when an engine failed or outputs differ too much */
export async function run(args) {
  if (args.includes('--help')) {
    console.log(usage(kLoads));
    return 0;
  }
  const asked = request(args, kLoads);
  if (asked.missing.length > 0)
    console.log(`not there, so not measured: ${asked.missing.join(', ')} (npm run zoo exports them)`);
  const server = await serve({ folders, isolated: true });
  const browser = await launchChromium();
  const host = { browser, url: server.url };
  try {
    const engines = [];
    for (const choice of asked.engines) engines.push({ ...choice, ...(await engineFiles(choice.name)) });
    const where = machine(browser, engines);
    for (const text of heading(where, asked.threads)) console.log(text);
    const table = loadColumns(engines, asked.models.map(({ name }) => name)); // prettier-ignore
    console.log(header(table));
    /** @type {Row[]} */
    const rows = [];
    for (const model of asked.models) {
      const what = { model: `/${relative(root, model.path)}`, feeds: model.feeds() };
      const row = { model: model.name, results: await measureLoads(host, engines, what, asked) };
      rows.push(row);
      console.log(line(table, loadCells(engines, row)));
    }
    for (const text of ['', ...summary(engines.map(({ label }) => label), rows)]) console.log(text); // prettier-ignore
    if (asked.json !== undefined) {
      const { threads, rounds } = asked;
      writeFileSync(
        asked.json,
        `${JSON.stringify({ machine: where, threads, rounds, models: rows }, null, 2)}\n`,
      );
    }
    const wrong = complaints(rows);
    for (const text of wrong) console.error(text);
    return wrong.length > 0 ? 1 : 0;
  } finally {
    await browser.close();
    server.close();
  }
}
