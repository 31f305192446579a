// @ts-check
// How long the compiler takes for each kernel of tests/golden/kernels.txt in Chromium: from the text of a task by its
// default schedule, loops and low instructions to the bytes of a wasm module.
//
// The workbench (wasm/workbench.cc) is asked, whose rooms of src/ are compiled as the core's are, with -Oz. It does what
// the engine does, and beside it parses the task and copies the bytes to JavaScript.
//
// Every kernel has a page of its own, whose process has compiled nothing before. Cold is the first call: V8 compiles
// each function of the compiler when it is first called, by its baseline tier, and that is part of it. Warm is the
// median of calls in the same worker, after so many that V8 has optimized what they spend their time in. At last all
// kernels of a SIMD level are made once in one new worker, as a model's are when it is loaded.

import { readFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { launchChromium } from '../browser/chromium.mjs';
import { serve } from '../browser/server.mjs';
import { root } from '../setup/machine.mjs';
import { SetupError } from '../setup/terminal.mjs';
import { blankPage } from './measure.mjs';
import { median } from './statistics.mjs';

/** @typedef {{ task: string, simd: import('fuselane').SimdLevel }} Listed */
/** @typedef {Listed & { bytes: number, cold: number, warm: number }} Row milliseconds */

const usage = `npm run bench:emit -- [--only TEXT]

  --only  kernels whose task or SIMD level contains this, such as gelu or relaxed; all when left out`;

/** V8 optimizes in the background meanwhile. */
const kWarm = { milliseconds: 500, calls: 50 };

/** The bindings of the workbench make functions of text, which the server's usual policy does not allow. */
const policy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval' 'unsafe-eval'; worker-src 'self'";

/**
 * The kernels of the golden list, whose lines are `task: simd bytes hash`.
 * @param {string} golden @returns {Listed[]}
 */
export function listed(golden) {
  return golden
    .trim()
    .split('\n')
    .map((line) => {
      const [, task, simd] = /^(.+): (none|baseline|relaxed) \d+ [0-9a-f]+$/.exec(line) ?? [];
      if (task === undefined) throw new Error(`not a line of the golden kernels: "${line}"`);
      return { task, simd: /** @type {Listed['simd']} */ (simd) };
    });
}

/** @param {readonly Row[]} rows at least one @returns {string} the largest and the median of both times */
export function summary(rows) {
  const of = (/** @type {'cold' | 'warm'} */ what) => {
    const largest = rows.reduce((a, b) => (b[what] > a[what] ? b : a));
    const middle = median(rows.map((row) => row[what]));
    return `${what}: median ${middle.toFixed(3)} ms, largest ${largest[what].toFixed(3)} ms (${largest.task}: ${largest.simd})`;
  };
  return `${rows.length} kernels\n${of('cold')}\n${of('warm')}`;
}

/** @param {string} simd @param {readonly number[]} times of each kernel, in the order in which they were made */
export function inOneWorker(simd, times) {
  const mean = (/** @type {readonly number[]} */ some) =>
    (some.reduce((sum, time) => sum + time, 0) / some.length).toFixed(3);
  const next =
    times.length > 1 ? `, the next ${Math.min(9, times.length - 1)} ${mean(times.slice(1, 10))} ms each` : '';
  return `${simd}, ${times.length} kernels once in one new worker: the first ${mean(times.slice(0, 1))} ms${next}, all ${mean(times)} ms each`;
}

/** @param {string[]} args */
function parsed(args) {
  try {
    const options = /** @type {const} */ ({
      only: { type: 'string', default: '' },
      help: { type: 'boolean', default: false },
    });
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new SetupError(`${/** @type {Error} */ (error).message}\n\n${usage}`);
  }
}

/**
 * @param {{ browser: import('playwright-core').Browser, url: string }} host
 * @param {string[]} tasks @param {string} simd @param {typeof kWarm} warm
 * @returns {Promise<import('./page/emission.mjs').Emission>}
 */
async function emission(host, tasks, simd, warm) {
  const page = await blankPage(host);
  try {
    return await page.evaluate((given) => /** @type {any} */ (globalThis).bench.emission(given), {
      glue: '/dist/cli/workbench-glue.js',
      tasks,
      simd,
      warm,
    });
  } finally {
    await page.close();
  }
}

/** @param {string[]} args @returns {Promise<number>} the exit code */
export async function run(args) {
  const { only, help } = parsed(args);
  if (help) {
    console.log(usage);
    return 0;
  }
  const all = listed(readFileSync(`${root}/tests/golden/kernels.txt`, 'utf8'));
  const kernels = all.filter(({ task, simd }) => `${task}: ${simd}`.includes(only));
  if (kernels.length === 0) throw new SetupError(`no kernel contains "${only}"\n\n${usage}`);
  const server = await serve({
    folders: ['dist/', 'tools/bench/page/'],
    isolated: true,
    headers: { 'Content-Security-Policy': policy },
  });
  const browser = await launchChromium();
  const host = { browser, url: server.url };
  try {
    console.log(`${cpus()[0]?.model}, ${availableParallelism()} cores; Chromium ${browser.version()}\n`);
    console.log('   bytes  cold ms  warm ms  kernel');
    const rows = [];
    for (const { task, simd } of kernels) {
      const { bytes, cold, calls } = await emission(host, [task], simd, kWarm);
      const row = { task, simd, bytes: bytes[0], cold: cold[0], warm: median(calls) };
      rows.push(row);
      console.log(
        `${String(row.bytes).padStart(8)} ${row.cold.toFixed(3).padStart(8)} ${row.warm.toFixed(3).padStart(8)}  ${row.task}: ${row.simd}`,
      );
    }
    console.log(`\n${summary(rows)}\n`);
    for (const level of new Set(kernels.map(({ simd }) => simd))) {
      const tasks = kernels.filter(({ simd }) => simd === level).map(({ task }) => task);
      const { cold } = await emission(host, tasks, level, { milliseconds: 0, calls: 0 });
      console.log(inOneWorker(level, cold));
    }
    return 0;
  } finally {
    await browser.close();
    server.close();
  }
}
