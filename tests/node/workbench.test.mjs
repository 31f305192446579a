// @ts-check
// The compiler by its texts: tasks lowered for each level of SIMD give code that differs, is valid where it should be,
// and computes what the interpreter of the loops does.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { makeFeeds } from '../../dist/cli/inputs.js';
import { runKernel } from '../../dist/cli/kernel_run.js';
import { kernelsOf } from '../../dist/cli/kernels.js';
import { Workbench } from '../../dist/cli/workbench.js';
import { load } from '../../dist/node.js';

const workbench = await Workbench.open();
const levels = /** @type {const} */ (['none', 'baseline', 'relaxed']);
/** Node has relaxed SIMD from 21 on; 20 needs a flag. */
const hasRelaxed =
  Number.parseInt(process.versions.node) >= 21 ||
  process.execArgv.includes('--experimental-wasm-relaxed-simd');

const numbers = (/** @type {number} */ count) =>
  Float32Array.from({ length: count }, (_, i) => ((i * 7) % 23) / 4 - 2.5);

/**
 * Tasks, with sizes, the dimensions of their buffers (the last is written), and the sizes that are made for them.
 * @type {{ task: string, sizes: Record<string, number>, dims: number[][], made: Record<string, number> }[]}
 */
const cases = [
  {
    task: 'map outer 0 strides 1 steps activate 0 clamp 0 6',
    sizes: { n: 101, chunk: 32 },
    dims: [[101], [101]],
    made: {},
  },
  {
    task: 'matmul tail 3 finish activate 0 clamp 0 6',
    sizes: { batches: 2, rows: 7, depth: 5, whole_panels: 2, c_row: 24, block_rows: 4 },
    dims: [
      [2, 7, 5],
      [2, 3, 6, 8],
      [2, 7, 19],
    ],
    made: { a_batch: 35, a_row: 5, w_batch: 144, c_batch: 168, group_panels: 3 },
  },
];
const given = (/** @type {Record<string, number>} */ sizes) =>
  Object.entries(sizes).map(([name, value]) => ({ name, value }));

for (const { task, sizes, dims, made } of cases) {
  test(`${task}: a call is made whole`, () => {
    const call = workbench.call(task, { simd: 'baseline' }, given(sizes));
    assert.deepEqual(
      call.buffers.map((buffer) => buffer.dims),
      dims,
    );
    for (const { name, value } of call.sizes) assert.equal(value, { ...sizes, ...made }[name], name);
    assert.deepEqual(
      call.buffers.map(({ read, written }) => [read, written]),
      dims.map((_, i) => [i < dims.length - 1, i === dims.length - 1]),
    );
    assert.throws(() => workbench.call(task, { simd: 'none' }, []), {
      message: /need sizes: give (n|batches, rows)/,
    });
    assert.throws(() => workbench.call(task, { simd: 'none' }, given({ ...sizes, m: 1 })), {
      message: /no size m: /,
    });
  });

  test(`${task}: engines make the same code, without names`, () => {
    for (const simd of levels) {
      const made = workbench.make(task, { simd });
      const named = workbench.assemble(task, { simd });
      assert.ok(made.length < named.length);
      assert.deepEqual(made, named.subarray(0, made.length), simd);
    }
  });

  test(`${task}: each level of SIMD has code of its own, which computes the same`, () => {
    const modules = levels.map((simd) => workbench.assemble(task, { simd }));
    assert.notDeepEqual(modules[0], modules[1]);
    levels.forEach((simd, i) => {
      const low = workbench.show(task, 'low', { simd });
      assert.equal(/v128/.test(low), simd !== 'none', simd);
      const isRelaxed = /relaxed/.test(low);
      assert.equal(isRelaxed, simd === 'relaxed' && task.startsWith('matmul'), simd);
      assert.equal(WebAssembly.validate(modules[i]), hasRelaxed || !isRelaxed, simd);
      const call = workbench.call(task, { simd }, given(sizes));
      const buffers = call.buffers.map(({ elements, written }) =>
        written ? new Float32Array(elements) : numbers(elements),
      );
      const [expected, ...others] = /** @type {const} */ (['loops', 'low', 'wasm'])
        .filter((level) => level !== 'wasm' || hasRelaxed || !isRelaxed)
        .map(
          (level) =>
            runKernel(workbench, { text: task, of: task }, { simd }, call, buffers, level, 1).buffers,
        );
      assert.ok(expected.at(-1)?.some((value) => value > 0));
      for (const actual of others)
        actual.forEach((view, b) =>
          view.forEach((value, e) =>
            assert.ok(Math.abs(value - expected[b][e]) <= 1e-5, `${simd} ${b}[${e}]`),
          ),
        );
    });
  });

  test(`${task}: texts are read as they are written`, () => {
    const options = /** @type {const} */ ({ simd: 'baseline' });
    assert.equal(workbench.show(task, 'tasks', options), task);
    const schedule = workbench.show(task, 'schedule', options);
    assert.equal(workbench.show(task, 'schedule', { ...options, schedule }), schedule);
    const loops = workbench.show(task, 'loops', options);
    assert.equal(workbench.show(loops, 'loops', options), loops);
    const low = workbench.show(task, 'low', options);
    assert.deepEqual(workbench.assemble(loops, options), workbench.assemble(task, options));
    assert.equal(workbench.show(low, 'low', options), low);
    assert.deepEqual(workbench.assemble(low, options), workbench.assemble(task, options));
  });
}

for (const name of ['convnet_13', 'decoder_14', 'legacy_7']) {
  test(`${name}: its kernels' texts give the same bytes, from each level`, async () => {
    const model = await load(fileURLToPath(new URL(`../models/${name}.onnx`, import.meta.url)));
    const { kernels, ...options } = await kernelsOf(model, makeFeeds(model.inputs, [], 1));
    await model.dispose();
    assert.ok(kernels.length >= 3, String(kernels.length));
    for (const { task } of kernels) {
      const bytes = workbench.assemble(task, options);
      const schedule = workbench.show(task, 'schedule', options);
      assert.deepEqual(workbench.assemble(task, { ...options, schedule }), bytes, task);
      const [loops, low, wat] = ['loops', 'low', 'wat'].map((level) => workbench.show(task, level, options));
      for (const text of [`// as dump heads it\n${loops}`, `// ${task}\n${low}`]) {
        assert.deepEqual(workbench.assemble(text, options), bytes, task);
        assert.equal(workbench.show(text, 'wat', options), wat, task);
      }
      assert.match(wat, /^\(module\n.*"env" "memory"/);
    }
  });
}

test('what cannot be lowered is told', () => {
  const show = (/** @type {string} */ text, /** @type {string} */ level) => () =>
    workbench.show(text, level, { simd: 'baseline' });
  assert.throws(show('kernel "x" {', 'low'), { code: 'invalid-text', message: /line 1/ });
  assert.throws(show('hello', 'low'), { code: 'invalid-text', message: /begins with graph.*'hello'/ });
  assert.throws(show('map outer 0 strides 1 steps abs 0', 'graph'), { code: 'invalid-argument' });
  assert.throws(show('map outer 0 strides 1 steps abs 0', 'assembly'), {
    code: 'invalid-argument',
    message: /levels are graph, tasks, schedule, loops, low and wat/,
  });
});
