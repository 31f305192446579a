// @ts-check
// Fuselane gives what onnxruntime-web gives: outputs of every model, states carried over steps through copies and
// through handles, and for the models of which `everyValue` is set all values between the nodes.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { difference } from './compare.mjs';
import { fuselane, fuselaneIsBuilt, onnxruntimeWeb } from './engines.mjs';
import { withEveryOutput } from './intermediates.mjs';
import { all, cases, leftOut } from './models.mjs';
import { runCase } from './run.mjs';

/** @typedef {import('./engines.mjs').Engine} Engine */
/** @typedef {import('./inputs.mjs').Tensor} Tensor */
/** @typedef {import('./models.mjs').Case} Case */

/** What is compared, each with the peer; on one thread only the small models, unless all are. */
const settings = [
  { threads: 2, knobs: {} },
  { threads: 2, knobs: { passes: 'none' } },
  { threads: 1, knobs: {} },
  { threads: 1, knobs: { passes: 'none' } },
  { threads: 1, knobs: { tiling: false, layout: false } },
  { threads: 1, knobs: { vertical: false, horizontal: false } },
];

describe(
  'parity with onnxruntime-web',
  { skip: !fuselaneIsBuilt() && 'the package is not built: npm run build' },
  () => {
    /** By the number of threads. @type {Map<number, Engine>} */
    const ours = new Map();
    /** @type {Engine} */
    let peer;
    before(async () => {
      for (const threads of [1, 2]) ours.set(threads, await fuselane({ threads }));
      peer = await onnxruntimeWeb();
    });
    after(() => Promise.all([...ours.values()].map((engine) => engine.dispose())));

    for (const testCase of cases) {
      const skip = leftOut(testCase);
      const carries = Object.keys(testCase.state).length > 0;
      test(`${testCase.name}: outputs`, { skip }, () => compare(testCase, testCase.path, { keep: false }));
      if (carries)
        test(`${testCase.name}: state in handles`, { skip }, () =>
          compare(testCase, testCase.path, { keep: true }),
        );
      if (testCase.everyValue) {
        test(`${testCase.name}: every value`, { skip }, () => {
          const { bytes } = withEveryOutput(readFileSync(testCase.path));
          return compare(testCase, bytes, { keep: false, steps: 1 });
        });
      }
    }

    /**
     * @param {Case} testCase
     * @param {string | Uint8Array} source
     * @param {{ keep: boolean, steps?: number }} options
     */
    async function compare(testCase, source, { keep, ...more }) {
      const other = await peer.load(source);
      const expected = await runCase(other, testCase, more);
      await other.dispose();
      for (const { threads, knobs } of settings) {
        if (threads === 1 && testCase.from !== 'small' && !all) continue;
        const model = await ours.get(threads)?.load(source, { knobs });
        assert.ok(model);
        const got = await runCase(model, testCase, { keep, ...more });
        await model.dispose();
        const wrong = expected.flatMap((outputs, step) => wrongOutputs(got[step], outputs, step));
        const list = `\n${wrong.slice(0, 20).join('\n')}\n${wrong.length} outputs differ`;
        assert.equal(wrong.length, 0, `with ${JSON.stringify({ threads, knobs })}: ${list}`);
      }
    }
  },
);

/**
 * @param {Record<string, Tensor>} got
 * @param {Record<string, Tensor>} expected
 * @param {number} step
 */
function wrongOutputs(got, expected, step) {
  return Object.entries(expected).flatMap(([name, value]) => {
    const wrong = name in got ? difference(got[name], value) : 'missing';
    return wrong === undefined ? [] : [`step ${step}, ${name}: ${wrong}`];
  });
}
