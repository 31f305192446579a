// @ts-check
// Measures one model on several engines. Every engine has a page of its own, new for each model; the pages take turns,
// round by round, so that what disturbs the machine disturbs all alike. All get the same feeds, threads and warm-up.

import { distance } from '../../tests/parity/compare.mjs';
import { median, ratioOf } from './statistics.mjs';

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('../../tests/parity/inputs.mjs').Tensor} Tensor */
/**
 * @typedef {{ label: string, name: string, options: Record<string, unknown>, module: string, package: string }} Engine
 * @typedef {{ engine: string, error: string }} Failure
 * @typedef {object} Measurement
 * @property {string} engine
 * @property {number} milliseconds median over rounds of a round's time for one run
 * @property {number[]} rounds
 * @property {number} runs in all rounds
 * @property {number} cores that all of the browser kept busy during this engine's rounds
 * @property {{ median: number, low: number, high: number }} ratio its time / the first engine's
 * @property {number} difference from the first engine's outputs, as a part of the largest value
 */

/**
 * V8 replaces its first, slow code between calls, as it finds time: after this much every kernel of the zoo's models
 * has been replaced.
 */
const kWarm = { milliseconds: 1500, runs: 4 };

/**
 * @param {{ browser: import('playwright-core').Browser, url: string }} host
 * @param {Engine[]} engines
 * @param {{ model: string, feeds: Record<string, Tensor> }} what model: its address
 * @param {{ threads: number, rounds: number, milliseconds: number }} how
 * @returns {Promise<(Measurement | Failure)[]>} in the order of the engines
 */
export async function measure(host, engines, what, how) {
  /** @type {Failure[]} */
  const failures = [];
  const opened = [];
  for (const engine of engines) {
    try {
      const page = await openPage(host, engine, what, how.threads);
      opened.push({ engine, page, rounds: /** @type {number[]} */ ([]), runs: 0, cpu: 0, wall: 0 });
    } catch (error) {
      failures.push({ engine: engine.label, error: sentence(error) });
    }
  }
  try {
    const processes = await host.browser.newBrowserCDPSession();
    for (let round = 0; round < how.rounds; round++) {
      for (const one of opened) {
        const [cpu, start] = [await cpuSeconds(processes), performance.now()];
        const { runs, milliseconds } = await repeat(one.page, { milliseconds: how.milliseconds, runs: 1 });
        one.wall += (performance.now() - start) / 1000;
        one.cpu += (await cpuSeconds(processes)) - cpu;
        one.rounds.push(milliseconds);
        one.runs += runs;
      }
    }
    const first = opened[0];
    const expected = first && (await outputsOf(first.page));
    const measured = [];
    for (const { engine, page, rounds, runs, cpu, wall } of opened) {
      measured.push({
        engine: engine.label,
        milliseconds: median(rounds),
        rounds,
        runs,
        cores: cpu / wall,
        ratio: ratioOf(rounds, first.rounds),
        difference: largestDifference(await outputsOf(page), expected),
      });
    }
    const all = [...measured, ...failures];
    return engines.flatMap(({ label }) => all.filter(({ engine }) => engine === label));
  } finally {
    for (const { page } of opened) await page.close();
  }
}

/**
 * @param {{ browser: import('playwright-core').Browser, url: string }} host
 * @param {Engine} engine
 * @param {{ model: string, feeds: Record<string, Tensor> }} what
 * @param {number} threads
 */
async function openPage(host, { module, package: folder, options }, { model, feeds }, threads) {
  const page = await blankPage(host);
  try {
    await page.evaluate(
      ([name, opening]) => /** @type {any} */ (globalThis).bench.open(name, opening),
      /** @type {const} */ ([module, { model, package: folder, threads, options, feeds }]),
    );
    await repeat(page, kWarm);
    return page;
  } catch (error) {
    await page.close();
    throw error;
  }
}

/** @param {{ browser: import('playwright-core').Browser, url: string }} host */
export async function blankPage({ browser, url }) {
  const page = await browser.newPage();
  await page.goto(`${url}/tools/bench/page/page.html`);
  await page.waitForFunction(() => 'bench' in globalThis);
  return page;
}

/** @param {Page} page @param {{ milliseconds: number, runs: number }} least */
const repeat = (page, least) =>
  /** @type {Promise<{ runs: number, milliseconds: number }>} */ (
    page.evaluate((given) => /** @type {any} */ (globalThis).bench.repeat(given), least)
  );

/** @param {Page} page @returns {Promise<Record<string, Tensor>>} */
export const outputsOf = (page) => page.evaluate(() => /** @type {any} */ (globalThis).bench.outputs());

/** @param {import('playwright-core').CDPSession} session @returns what all of the browser's processes have used */
async function cpuSeconds(session) {
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
}

/** @param {Record<string, Tensor>} got @param {Record<string, Tensor>} expected */
export function largestDifference(got, expected) {
  const differences = Object.entries(expected).map(([name, value]) =>
    name in got ? distance(value, got[name]) : Infinity,
  );
  // A NaN that only one of the two has makes the distance NaN.
  return differences.some(Number.isNaN) ? Infinity : Math.max(0, ...differences);
}

/** @param {unknown} error */
export const sentence = (error) => String(error instanceof Error ? error.message : error).split('\n')[0];
