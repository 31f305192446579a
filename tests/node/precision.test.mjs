// @ts-check
// How far float32 answers are from sums in float64, for each of the two precisions, at every SIMD level. Node 20 has relaxed
// SIMD behind a flag, which is set.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { createEngine } from 'fuselane';
import { random } from '../parity/random.mjs';
import { onnxModel, tinyModel } from '../support/onnx_writer.mjs';

if (process.versions.node.startsWith('20.')) setFlagsFromString('--experimental-wasm-relaxed-simd');

const levels = /** @type {const} */ (['relaxed', 'baseline', 'none']);
const engines = await Promise.all(levels.map((simd) => createEngine({ simd, threads: 2 })));
after(() => Promise.all(engines.map((engine) => engine.dispose())));

const { below } = random(3);
const numbers = (/** @type {number} */ count) =>
  Float32Array.from({ length: count }, () => below(2 ** 24) / 2 ** 23 - 1);

/**
 * Sums of products, in float64, and of their magnitudes.
 * @typedef {{ sum: number, magnitude: number }} Exact
 * @typedef {{ name: string, bytes: Buffer, dims: number[], x: Float32Array, terms: number, exact: Exact[] }} Case
 */

/** A 3x3 convolution with zeros around, from 32 channels to 40. @param {number} size @returns {Case} */
function convolution(size) {
  const [channels, features] = [32, 40];
  const [x, w] = [numbers(channels * size * size), numbers(features * channels * 9)];
  const dims = [1, channels, size, size];
  const exact = Array.from({ length: features * size * size }, (_, at) => {
    const [f, row, column] = [Math.floor(at / size / size), Math.floor(at / size) % size, at % size];
    const one = { sum: 0, magnitude: 0 };
    for (let c = 0; c < channels; c++)
      for (let k = 0; k < 9; k++) {
        const [r, s] = [row + Math.floor(k / 3) - 1, column + (k % 3) - 1];
        if (r < 0 || r >= size || s < 0 || s >= size) continue;
        const product = x[(c * size + r) * size + s] * w[(f * channels + c) * 9 + k];
        one.sum += product;
        one.magnitude += Math.abs(product);
      }
    return one;
  });
  const bytes = onnxModel({
    inputs: [{ name: 'x', dims }],
    constants: [{ name: 'w', dims: [features, channels, 3, 3], data: w }],
    nodes: [
      { op: 'Conv', inputs: ['x', 'w'], outputs: ['y'], attributes: { pads: { integers: [1, 1, 1, 1] } } },
    ],
    outputs: [{ name: 'y', dims: [1, features, size, size] }],
  });
  return { name: `convolution of ${size} x ${size}`, bytes, dims, x, terms: channels * 9, exact };
}

/** @returns {Case} */
function product() {
  const [rows, depth, columns] = [13, 300, 50];
  const [x, w] = [numbers(rows * depth), numbers(depth * columns)];
  const exact = Array.from({ length: rows * columns }, (_, at) => {
    const one = { sum: 0, magnitude: 0 };
    for (let k = 0; k < depth; k++) {
      const term = x[Math.floor(at / columns) * depth + k] * w[k * columns + (at % columns)];
      one.sum += term;
      one.magnitude += Math.abs(term);
    }
    return one;
  });
  const bytes = onnxModel({
    inputs: [{ name: 'x', dims: [rows, depth] }],
    constants: [{ name: 'w', dims: [depth, columns], data: w }],
    nodes: [{ op: 'MatMul', inputs: ['x', 'w'], outputs: ['y'] }],
    outputs: [{ name: 'y', dims: [rows, columns] }],
  });
  return { name: 'product', bytes, dims: [rows, depth], x, terms: depth, exact };
}

/**
 * @param {import('fuselane').Engine} engine @param {Case} it
 * @param {import('fuselane').LoadOptions} [options]
 */
async function answer(engine, it, options) {
  const model = await engine.load(it.bytes, options);
  const { y } = await model.run({ x: { dims: it.dims, data: it.x } });
  const { steps } = (await model.report({ detail: true })).detail;
  await model.dispose();
  return {
    y: /** @type {Float32Array} */ (y.data),
    filters: steps.some(({ kernel }) => kernel.startsWith('winograd')),
  };
}

/** The largest difference, as a part of the largest result. @param {Float32Array} y @param {Exact[]} exact */
function error(y, exact) {
  const largest = Math.max(...exact.map(({ sum }) => Math.abs(sum)));
  return Math.max(...exact.map(({ sum }, i) => Math.abs(y[i] - sum))) / largest;
}

for (const it of [convolution(12), convolution(15), product()]) {
  const isConvolution = it.dims.length === 4;
  test(`${it.name}: strict rounds products and sums, fast is within 1e-4 of the largest result`, async () => {
    const strict = await Promise.all(engines.map((engine) => answer(engine, it, { precision: 'strict' })));
    for (const [level, { y, filters }] of strict.entries()) {
      assert.ok(!filters, `${levels[level]}: Winograd's filtering`);
      // Each of the terms is rounded when it is multiplied and when it is added.
      const far = it.exact.findIndex(
        ({ sum, magnitude }, i) => Math.abs(y[i] - sum) > 2 * it.terms * 2 ** -24 * magnitude,
      );
      assert.equal(far, -1, `${levels[level]}: element ${far} is ${y[far]}, not ${it.exact[far]?.sum}`);
      assert.ok(error(y, it.exact) < 2e-6, `${levels[level]}: ${error(y, it.exact)}`);
    }
    assert.deepEqual(strict[0].y, strict[1].y);
    for (const memory of [2, 4]) {
      const fast = await Promise.all(
        engines.map((engine) => answer(engine, it, { precision: 'fast', knobs: { memory } })),
      );
      for (const [level, { y, filters }] of fast.entries()) {
        assert.equal(filters, isConvolution, levels[level]);
        assert.ok(error(y, it.exact) < 1e-4, `${levels[level]}: ${error(y, it.exact)}`);
      }
      assert.notDeepEqual(fast[0].y, strict[0].y);
      assert.notDeepEqual(fast[0].y, fast[1].y);
    }
  });
}

test('the products of a convolution in blocks have its multiply-adds', async () => {
  const it = convolution(44); // 121 tiles, more than a block of two threads has
  const model = await engines[0].load(it.bytes, { knobs: { memory: 4 } });
  await model.run({ x: { dims: it.dims, data: it.x } });
  const { steps } = (await model.report({ detail: true })).detail;
  const products = steps.filter(({ multiplyAdds }) => multiplyAdds > 0);
  assert.ok(products.length > 1 && products.every(({ kernel }) => kernel.startsWith('matmul')));
  assert.equal(
    products.reduce((sum, { multiplyAdds }) => sum + multiplyAdds, 0),
    it.exact.length * it.terms,
  );
  await model.dispose();
});

test('another precision is refused', async () => {
  await assert.rejects(
    engines[0].load(tinyModel(), { precision: /** @type {any} */ ('exact') }),
    (/** @type {any} */ failure) => {
      assert.equal(failure.code, 'invalid-argument');
      assert.match(failure.message, /"precision".*fast or strict/);
      return true;
    },
  );
});
