// @ts-check
// A model of 100 MB is loaded from a path: the wasm memory holds its weights once, and never the file beside them.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createEngine, load } from 'fuselane';
import { onnxModel } from '../support/onnx_writer.mjs';

const folder = mkdtempSync(join(tmpdir(), 'fuselane-'));
after(() => rmSync(folder, { recursive: true }));

/** Beyond the weights: the core itself, the model's description, the arena. */
const kRest = 32 * 2 ** 20;

/**
 * x [1, side] times `layers` matrices, each a rotation of the elements by one place, scaled by 2 and 0.5 in turn.
 * @param {number} side @param {number} layers
 */
function rotations(side, layers) {
  const constants = Array.from({ length: layers }, (_, layer) => {
    const data = new Float32Array(side * side);
    for (let row = 0; row < side; row++) data[row * side + ((row + 1) % side)] = layer % 2 ? 0.5 : 2;
    return { name: `w${layer}`, dims: [side, side], data };
  });
  return onnxModel({
    inputs: [{ name: 'x', dims: [1, side] }],
    outputs: [{ name: `v${layers}`, dims: [1, side] }],
    nodes: constants.map(({ name }, layer) => ({
      op: 'MatMul',
      inputs: [layer ? `v${layer}` : 'x', name],
      outputs: [`v${layer + 1}`],
    })),
    constants,
  });
}

/** @type {[string, number, number][]} */
const cases = [
  ['many matrices', 1024, 26],
  ['one matrix', 5100, 1],
];
for (const [name, side, layers] of cases) {
  test(`${name} of 100 MB`, async () => {
    const file = join(folder, 'large.onnx');
    const bytes = rotations(side, layers);
    assert.ok(bytes.length > 100e6);
    writeFileSync(file, bytes);
    const weights = layers * side * side * 4;
    const model = await load(file);
    const x = Float32Array.from({ length: side }, (_, i) => i);
    const results = await model.run({ x: { dims: [1, side], data: x } });
    const scale = layers % 2 ? 2 : 1;
    const expected = x.map((_, i) => scale * ((i - layers + side) % side));
    assert.deepEqual(results[`v${layers}`].data, expected);
    // The wasm memory never shrinks, so that its size is its peak.
    const { heapBytes, weightBytes } = await model.report();
    assert.ok(heapBytes <= weights + kRest, `the heap has ${heapBytes} bytes for ${weights} of weights`);
    assert.ok(weightBytes >= weights && heapBytes > weightBytes, `${weightBytes} bytes of weights reported`);
    await model.dispose();
  });
}

test('disposed models make room for others', async () => {
  const engine = await createEngine();
  const bytes = rotations(1024, 5);
  let heap = 0;
  for (let i = 0; i < 6; i++) {
    const model = await engine.load(bytes);
    await model.run({ x: { dims: [1, 1024], data: new Float32Array(1024) } });
    const { heapBytes } = await model.report();
    if (i === 1) heap = heapBytes;
    if (i > 1) assert.equal(heapBytes, heap, `model ${i + 1}`);
    await model.dispose();
  }
  await engine.dispose();
});

test('an input that cannot fit is refused and the model keeps working', async () => {
  const wide = await load(
    onnxModel({
      inputs: [{ name: 'x', dims: ['a', 'b'] }],
      outputs: [{ name: 'y', dims: ['a', 'b', 'c'] }],
      nodes: [
        { op: 'Transpose', inputs: ['x'], outputs: ['t'] },
        { op: 'Unsqueeze', inputs: ['t', 'axes'], outputs: ['u'] },
        { op: 'Mul', inputs: ['x', 'u'], outputs: ['y'] },
      ],
      constants: [{ name: 'axes', type: 'int64', dims: [1], data: BigInt64Array.of(2n) }],
    }),
  );
  const square = (/** @type {number} */ n) => ({
    x: { dims: [n, n], data: new Float32Array(n * n).fill(2) },
  });
  await assert.rejects(wide.run(square(1500)), (/** @type {any} */ error) => {
    assert.equal(error.code, 'out-of-memory', error.message);
    return true;
  });
  assert.deepEqual((await wide.run(square(1))).y.data, Float32Array.of(4));
  await wide.dispose();
});

test('feeds of ever other shapes do not fill the memory', async () => {
  const model = await load(
    onnxModel({
      inputs: [{ name: 'x', dims: ['n'] }],
      outputs: [{ name: 'y', dims: [1] }],
      nodes: [{ op: 'ReduceMax', inputs: ['x'], outputs: ['y'] }],
    }),
  );
  /** Of 4 MB and more, with the largest element at the end. @param {number} n */
  const run = async (n) => {
    const data = new Float32Array(2 ** 20 + n);
    data[data.length - 1] = n;
    const { y } = await model.run({ x: { dims: [data.length], data } });
    assert.deepEqual(y.data, Float32Array.of(n));
  };
  const all = Array.from({ length: 40 }, (_, i) => i + 1);
  for (const n of all) await run(n);
  for (const n of all.toReversed()) await run(n);
  const { heapBytes } = await model.report();
  assert.ok(heapBytes < 64 * 2 ** 20, `the heap has ${heapBytes} bytes`);
  await model.dispose();
});
