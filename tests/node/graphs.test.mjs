// @ts-check
// Random networks, whose nodes are fused, whose values are views and parts of others, and whose branches run together: at
// every SIMD level, with one thread and with two, with each of these and without, the engine answers as its reference does;
// with two threads it gives the bits that one gives. Node 20 has relaxed SIMD behind a flag, which is set.
//
// FUSELANE_SEED=n takes other networks, and FUSELANE_TEST_ALL=1 2,000 of them.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { createEngine } from 'fuselane';
import { difference } from '../support/difference.mjs';
import { randomGraph } from '../support/random_graphs.mjs';

if (process.versions.node.startsWith('20.')) setFlagsFromString('--experimental-wasm-relaxed-simd');

const first = 100_000 * Number(process.env['FUSELANE_SEED'] ?? '1');
const count = process.env['FUSELANE_TEST_ALL'] ? 2000 : 60;
/** Of sums of sums, and of Winograd's filtering: a dozen operators lie behind each other. */
const kSumsOfSums = 2e-4;

/** @type {import('fuselane').Knobs[]} */
const settings = [
  {},
  { vertical: false },
  { horizontal: false },
  { vertical: false, horizontal: false },
  { layout: false },
  { tiling: false },
  { winograd: false },
  { memory: 8 },
];

const engines = await Promise.all(
  /** @type {const} */ (['none', 'baseline', 'relaxed']).map(async (simd) => ({
    simd,
    one: await createEngine({ simd, threads: 1 }),
    two: await createEngine({ simd, threads: 2 }),
  })),
);
const reference = await createEngine({ threads: 1 });
after(() =>
  Promise.all([reference, ...engines.flatMap(({ one, two }) => [one, two])].map((each) => each.dispose())),
);

/**
 * @param {import('fuselane').Engine} engine
 * @param {import('../support/random_graphs.mjs').Graph} graph
 * @param {import('fuselane').Knobs} knobs
 */
async function answer(engine, graph, knobs) {
  const model = await engine.load(graph.bytes, { knobs });
  const results = await model.run(graph.feeds);
  const { steps, detail } = await model.report({ detail: true });
  await model.dispose();
  return { results, steps, stages: new Set(detail.steps.map(({ stage }) => stage)).size };
}

/**
 * The first output that is not as wanted, in words.
 * @param {Record<string, import('fuselane').Tensor>} got
 * @param {Record<string, import('fuselane').Tensor>} wanted
 * @param {number} most as in difference()
 */
function wrong(got, wanted, most) {
  for (const [output, tensor] of Object.entries(wanted)) {
    const found = difference(got[output], tensor, most);
    if (found) return `${output}: ${found}`;
  }
  return undefined;
}

test('random networks are answered as by the reference', async () => {
  /** Of all networks, with two threads: steps by setting, and the stages of the first. */
  const steps = settings.map(() => 0);
  let stages = 0;
  for (let seed = first; seed < first + count; seed++) {
    const graph = randomGraph(seed);
    const wanted = await answer(reference, graph, { passes: 'none', kernels: false });
    for (const { simd, one, two } of engines) {
      for (const [i, knobs] of settings.entries()) {
        const where = `seed ${seed}, ${simd}, ${JSON.stringify(knobs)}`;
        const alone = await answer(one, graph, knobs);
        const far = wrong(alone.results, wanted.results, kSumsOfSums);
        assert.ok(!far, `${where}: ${far}\n${graph.text}`);
        const shared = await answer(two, graph, knobs);
        const other = wrong(shared.results, alone.results, 0);
        assert.ok(!other, `${where}, with two threads: ${other}\n${graph.text}`);
        steps[i] += shared.steps;
        if (i === 0) stages += shared.stages;
      }
    }
  }
  const [all, noVertical, noHorizontal, neither] = steps;
  assert.ok(
    all < noVertical && all < noHorizontal && noVertical < neither && noHorizontal < neither,
    `${steps}`,
  );
  assert.ok(stages < all, `${stages} stages`);
});
