// @ts-check
// Random models of one operator or two: at every SIMD level, with one thread and with two, the engine answers as its
// reference does, and threads and vertical fusion make no difference. Node 20 has relaxed SIMD behind a flag, which is set.
//
// FUSELANE_SEED=n takes other models, and FUSELANE_TEST_ALL=1 more.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { createEngine } from 'fuselane';
import { difference } from '../support/difference.mjs';
import { randomModel } from '../support/random_models.mjs';

if (process.versions.node.startsWith('20.')) setFlagsFromString('--experimental-wasm-relaxed-simd');

const first = 1000 * Number(process.env.FUSELANE_SEED ?? '1');
const count = process.env.FUSELANE_TEST_ALL ? 1000 : 300;
const levels = /** @type {const} */ (['none', 'baseline', 'relaxed']);

const reference = await createEngine({ threads: 1 });
const engines = await Promise.all(
  levels.map(async (simd) => ({
    simd,
    one: await createEngine({ simd, threads: 1 }),
    two: await createEngine({ simd, threads: 2 }),
  })),
);
after(() =>
  Promise.all([reference, ...engines.flatMap(({ one, two }) => [one, two])].map((it) => it.dispose())),
);

/** How many kernels each engine has made. */
const made = new Map();

/**
 * @param {import('fuselane').Engine} engine
 * @param {import('../support/random_models.mjs').Model} it
 * @param {import('fuselane').Knobs} [knobs]
 */
async function answer(engine, it, knobs) {
  const model = await engine.load(it.bytes, { knobs });
  const [y] = Object.values(await model.run(it.feeds));
  made.set(engine, (await model.report()).kernels);
  await model.dispose();
  return y;
}

/** What Winograd's filtering makes answers differ by, before a function of elements. */
const kFiltering = 1e-4;

test('random models are answered as by the reference', async () => {
  for (let seed = first; seed < first + count; seed++) {
    const it = randomModel(seed);
    const wanted = await answer(reference, it, { passes: 'none', kernels: false });
    // Room for tiles of 4 x 4 results in every other model.
    const memory = seed % 2 === 0 ? 4 : 2;
    for (const { simd, one, two } of engines) {
      const direct = difference(await answer(one, it, { winograd: false }), wanted);
      assert.ok(!direct, `seed ${seed}, ${simd}, without winograd: ${direct}\n${it.text}`);
      const got = await answer(one, it, { memory });
      const wrong = difference(got, wanted, kFiltering);
      assert.ok(!wrong, `seed ${seed}, ${simd}: ${wrong}\n${it.text}`);
      const other = difference(await answer(two, it, { memory }), got, 0);
      assert.ok(!other, `seed ${seed}, ${simd}, with two threads: ${other}\n${it.text}`);
      for (const knob of ['vertical', 'horizontal', 'tiling']) {
        const apart = difference(await answer(one, it, { memory, [knob]: false }), got, 0);
        assert.ok(!apart, `seed ${seed}, ${simd}, without ${knob}: ${apart}\n${it.text}`);
      }
      const plain = difference(await answer(two, it, { memory, layout: false }), wanted, kFiltering);
      assert.ok(!plain, `seed ${seed}, ${simd}, without layout: ${plain}\n${it.text}`);
    }
  }
  for (const { simd, one } of engines)
    assert.ok(made.get(one) > Math.min(count / 4, 100), `${made.get(one)} kernels were made for ${simd}`);
  assert.equal(made.get(reference), 0);
});
