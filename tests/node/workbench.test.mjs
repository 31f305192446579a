// @ts-check
// The compiler by its texts: tasks lowered for each level of SIMD give code that differs, is valid where it should be,
// and computes what the interpreter of the loops does.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { makeFeeds } from '../../dist/cli/inputs.js';
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
  Array.from({ length: count }, (_, i) => ((i * 7) % 23) / 4 - 2.5);

/**
 * Tasks, with their buffers (the last is written) and sizes.
 * @type {{ task: string, buffers: number[][], sizes: Record<string, number> }[]}
 */
const cases = [
  {
    task: 'map outer 0 strides 1 steps activate 0 clamp 0 6',
    buffers: [numbers(101), numbers(101).fill(0)],
    sizes: { n: 101, chunk: 32 },
  },
  {
    task: 'matmul tail 0 then clamp 0 6',
    buffers: [numbers(7 * 5), numbers(2 * 8 * 6), numbers(7 * 16).fill(0)],
    sizes: {
      batches: 1, rows: 7, depth: 5, whole_panels: 2, a_batch: 35, a_row: 5, w_batch: 96, c_batch: 112, c_row: 16, group_panels: 2, block_rows: 6,
    }, // prettier-ignore
  },
];

/** The values of the sizes that the text of the loops declares, in its order. */
const sizesOf = (/** @type {string} */ loops, /** @type {Record<string, number>} */ values) =>
  (/size ([^\n]*)/.exec(loops)?.[1] ?? '')
    .split(', ')
    .map((name) => values[name] ?? assert.fail(`no ${name}`));

/**
 * Runs a kernel's wasm once over its whole range.
 * @param {Uint8Array<ArrayBuffer>} bytes @param {number[][]} buffers @param {number[]} sizes @param {number} extent
 */
function run(bytes, buffers, sizes, extent) {
  const memory = new WebAssembly.Memory({ initial: 1 });
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { env: { memory } });
  const args = new Int32Array(memory.buffer, 16, buffers.length + sizes.length);
  let at = 1024;
  const views = buffers.map((buffer, i) => {
    args[i] = at;
    const view = new Float32Array(memory.buffer, at, buffer.length);
    view.set(buffer);
    at += buffer.length * 4;
    return view;
  });
  args.set(sizes, buffers.length);
  const [kernel] = /** @type {Function[]} */ (Object.values(exports));
  assert.equal(kernel(16, 0, extent), 0);
  return views.map((view) => Float32Array.from(view));
}

for (const { task, buffers, sizes: values } of cases) {
  test(`${task}: each level of SIMD has code of its own, which computes the same`, () => {
    const modules = levels.map((simd) => workbench.assemble(task, { simd }));
    assert.notDeepEqual(modules[0], modules[1]);
    levels.forEach((simd, i) => {
      const low = workbench.show(task, 'low', { simd });
      assert.equal(/v128/.test(low), simd !== 'none', simd);
      const isRelaxed = /relaxed/.test(low);
      assert.equal(isRelaxed, simd === 'relaxed' && task.startsWith('matmul'), simd);
      assert.equal(WebAssembly.validate(modules[i]), hasRelaxed || !isRelaxed, simd);
      if (isRelaxed && !hasRelaxed) return;
      const sizes = sizesOf(workbench.show(task, 'loops', { simd }), values);
      const expected = workbench.interpret(task, { simd }, buffers, sizes);
      const actual = run(modules[i], buffers, sizes, workbench.extent(task, { simd }, sizes));
      assert.ok(expected.at(-1)?.some((value) => value > 0));
      actual.forEach((view, b) =>
        view.forEach((value, e) => assert.ok(Math.abs(value - expected[b][e]) <= 1e-5, `${simd} ${b}[${e}]`)),
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
