// @ts-check
// What SIMD generated code may use: found out at start, forced down by an option, refused where it is not there.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { load } from 'fuselane';
import { tinyModel } from '../support/onnx_writer.mjs';

/** Node has relaxed SIMD from 21 on; 20 needs a flag. */
const hasRelaxed =
  Number.parseInt(process.versions.node) >= 21 ||
  process.execArgv.includes('--experimental-wasm-relaxed-simd');

const x = { dims: [1, 3], data: [-1, 0, 2] };

test('the best level is taken, and a lower one where it is asked for', async () => {
  const best = hasRelaxed ? 'relaxed' : 'baseline';
  for (const [options, level] of /** @type {const} */ ([
    [{}, best],
    [{ simd: 'auto' }, best],
    [{ simd: 'baseline' }, 'baseline'],
    [{ simd: 'none' }, 'none'],
    [{ simd: 'none', worker: false }, 'none'],
  ])) {
    const model = await load(tinyModel(), options);
    assert.deepEqual((await model.run({ x })).y.data, Float32Array.of(-2, 0, 4));
    assert.equal((await model.report()).simd, level);
    await model.dispose();
  }
});

const convnet = fileURLToPath(new URL('../models/convnet_13.onnx', import.meta.url));

test('kernels made for the model answer as the references, at every level', async () => {
  /** @param {import('fuselane').EngineOptions & import('fuselane').LoadOptions} options */
  const answer = async (options) => {
    const model = await load(convnet, { threads: 2, ...options });
    const [{ name, dims }] = model.inputs;
    const fixed = (dims ?? []).map((extent) => (typeof extent === 'number' ? extent : 2));
    const count = fixed.reduce((a, b) => a * b, 1);
    const data = Float32Array.from({ length: count }, (_, i) => Math.sin(i));
    const values = await model.run({ [name]: { dims: fixed, data } });
    const { kernels } = await model.report();
    await model.dispose();
    return { data: /** @type {Float32Array} */ (values[model.outputs[0].name].data), kernels };
  };
  const references = await answer({ knobs: { generated: false } });
  assert.equal(references.kernels, 0);
  const largest = references.data.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  for (const simd of /** @type {const} */ (['auto', 'baseline', 'none'])) {
    const made = await answer({ simd });
    assert.ok(made.kernels > 0, `none was made for ${simd}`);
    for (const [i, value] of made.data.entries())
      assert.ok(Math.abs(value - references.data[i]) <= 1e-5 * largest, `${simd}: element ${i} is ${value}`);
  }
});

test('relaxed SIMD is refused where it is not there', { skip: hasRelaxed && 'it is there' }, async () => {
  await assert.rejects(load(tinyModel(), { simd: 'relaxed' }), (/** @type {any} */ error) => {
    assert.equal(error.code, 'invalid-argument');
    assert.equal(error.subject, 'simd');
    assert.match(error.message, /"simd".*Chrome.*Firefox.*Node.*"auto"/);
    return true;
  });
});

test('relaxed SIMD is taken where it is there', { skip: !hasRelaxed && 'it is not' }, async () => {
  const model = await load(tinyModel(), { simd: 'relaxed' });
  assert.equal((await model.report()).simd, 'relaxed');
  await model.dispose();
});

test('with the flag of Node 20', { skip: hasRelaxed && 'it needs none' }, () => {
  const file = fileURLToPath(import.meta.url);
  const args = ['--experimental-wasm-relaxed-simd', '--test-reporter=tap', file];
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const output = execFileSync(process.execPath, args, { encoding: 'utf8', env });
  assert.match(output, /^ok \d+ - relaxed SIMD is taken where it is there$/m);
});
