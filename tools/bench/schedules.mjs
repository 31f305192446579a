// @ts-check
// How fast the kernels of a family are by every schedule of a set, beside that by the default one, in Chromium: what the
// numbers in src/schedule/defaults/ were chosen by. docs/kernels.md has the table.

import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { launchChromium } from '../browser/chromium.mjs';
import { serve } from '../browser/server.mjs';
import { SetupError } from '../setup/terminal.mjs';
import { blankPage } from './measure.mjs';
import * as depthwise from './sweeps/depthwise.mjs';
import * as row from './sweeps/row.mjs';

/**
 * @typedef {object} Layer
 * @property {string} name
 * @property {string} task
 * @property {readonly { name: string, value: number }[]} sizes
 * @property {number} multiplyAdds
 *
 * @typedef {{ name: string, text: string }} Candidate a schedule
 *
 * @typedef {object} Family
 * @property {readonly Layer[]} layers
 * @property {(layer: Layer) => Candidate[]} candidates
 */

/** @type {Record<string, Family>} */
const families = { depthwise, row };

const usage = `npm run bench:sweep -- --family ${Object.keys(families).join('|')} [--simd relaxed|baseline|none] [--only TEXT]

  --simd  what code is made for; relaxed when left out
  --only  layers whose name contains this; all when left out`;

const policy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval' 'unsafe-eval'; worker-src 'self'";

/** @param {string[]} args */
function parsed(args) {
  try {
    const options = /** @type {const} */ ({
      family: { type: 'string', default: '' },
      simd: { type: 'string', default: 'relaxed' },
      only: { type: 'string', default: '' },
      help: { type: 'boolean', default: false },
    });
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new SetupError(`${/** @type {Error} */ (error).message}\n\n${usage}`);
  }
}

/** @param {string[]} args @returns {Promise<number>} the exit code */
export async function run(args) {
  const { family: name, simd, only, help } = parsed(args);
  const family = Object.hasOwn(families, name) ? families[name] : undefined;
  if (help || !family) {
    console.log(usage);
    return help ? 0 : 1;
  }
  const server = await serve({
    folders: ['dist/', 'tools/bench/page/'],
    isolated: true,
    headers: { 'Content-Security-Policy': policy },
  });
  const browser = await launchChromium();
  try {
    console.log(`${cpus()[0]?.model}, ${availableParallelism()} cores; Chromium ${browser.version()}`);
    const page = await blankPage({ browser, url: server.url });
    const bench = (/** @type {string} */ what, /** @type {unknown} */ given) =>
      page.evaluate(
        ([f, g]) => /** @type {any} */ (globalThis).bench[f](g),
        /** @type {const} */ ([what, given]),
      );
    const roofline = await bench('roofline', 1);
    const peak = simd === 'relaxed' ? roofline.fma : roofline.mulAdd;
    console.log(`${simd}; peak ${(peak / 1e9).toFixed(1)} GFLOP/s\n`);
    for (const layer of family.layers.filter((one) => one.name.includes(only))) {
      const candidates = [{ name: 'default', text: '' }, ...family.candidates(layer)];
      const { task, sizes, multiplyAdds } = layer;
      const schedules = candidates.map(({ text }) => text);
      const swept = { glue: '/dist/cli/workbench-glue.js', task, simd, sizes, schedules };
      /** @type {import('./page/sweep.mjs').Timed[]} */
      const times = await bench('sweep', swept);
      const ofPeak = (/** @type {number} */ ns) => (200 * multiplyAdds) / (ns / 1e9) / peak;
      const best = Math.min(...times.map(({ nanoseconds }) => nanoseconds));
      console.log(
        `${layer.name}: ${(times[0].nanoseconds / 1000).toFixed(1)} us, ${ofPeak(times[0].nanoseconds).toFixed(0)}% of the peak; default / best ${(times[0].nanoseconds / best).toFixed(2)}`,
      );
      times.forEach(({ nanoseconds, bytes }, i) =>
        console.log(
          `  ${ofPeak(nanoseconds).toFixed(0).padStart(4)}%  ${String(bytes).padStart(6)} B  ${candidates[i].name}`,
        ),
      );
    }
    return 0;
  } finally {
    await browser.close();
    server.close();
  }
}
