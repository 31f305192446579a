// @ts-check
// The reader of ONNX's wire format that tools and tests use: what it finds in a model of every storage and attribute
// kind, and what it says about bytes that are no model.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fields, lengthDelimited, readModel } from '../../tools/zoo/onnx_wire.mjs';

const model = (/** @type {string} */ name) =>
  readModel(readFileSync(new URL(`../models/${name}.onnx`, import.meta.url)));

test('a model of IR version 3 with attributes of every kind', () => {
  const { irVersion, opsets, graph } = model('legacy_7');
  assert.equal(irVersion, 3);
  assert.deepEqual(opsets, [{ domain: '', version: 7 }]);
  assert.deepEqual(graph.inputs, [{ name: 'input', type: 'float32', dims: [1, 3, 20, 24] }]);
  assert.deepEqual(
    graph.outputs.map(({ name, dims }) => [name, dims]),
    [
      ['shares', [1, 1, 16]],
      ['output', [1, 6]],
    ],
  );
  assert.deepEqual(new Set(graph.initializers.map((t) => t.storage)), new Set(['raw_data', 'float_data']));
  assert.deepEqual(graph.initializers[0].dims, [8, 3, 3, 3]);
  const attributes = Object.fromEntries(
    graph.nodes.flatMap((n) => n.attributes.map((a) => [`${n.op}.${a.name}`, a.value])),
  );
  assert.deepEqual(attributes['Pad.pads'], [0, 0, 1, 2, 0, 0, 1, 2]);
  assert.equal(attributes['Pad.mode'], 'reflect');
  assert.deepEqual(attributes['Slice.ends'], [10]);
  assert.deepEqual(attributes['Upsample.scales'], [1, 1, 2, 2]);
  assert.equal(attributes['Gemm.beta'], 0.5);
  assert.equal(attributes['ReduceMean.keepdims'], 0);
});

test('symbolic dimensions, negative constants and graphs inside graphs', () => {
  const { graph } = model('branch_16');
  assert.deepEqual(graph.inputs[0].dims, ['n', 6]);
  const branches = graph.nodes.filter((n) => n.op === 'If').flatMap((n) => n.attributes.map((a) => a.value));
  const [inner] = branches.filter(
    (b) => typeof b === 'object' && 'nodes' in b && b.nodes.some((n) => n.op === 'If'),
  );
  assert.ok(inner, 'one branch holds another If');
  const slice = model('integers_13').graph.nodes.find((n) => n.op === 'Slice');
  assert.equal(slice?.inputs.length, 5);
});

test('bytes that are no message are refused with their place', () => {
  const list = (/** @type {number[]} */ ...bytes) => [...fields(Uint8Array.from(bytes))];
  assert.throws(() => list(0x08), /ends inside a varint at byte 1/);
  assert.throws(() => list(0x0a, 5, 1, 2), /field at byte 0 ends beyond its message/);
  assert.throws(() => list(0x08, 1, 0x0b), /wire type 3 at byte 2/);
  assert.throws(() => list(...Array.from({ length: 11 }, () => 0xff)), /more than 10 bytes/);
  assert.throws(() => readModel(Uint8Array.of(0x08, 7)), /holds no graph/);
});

test('what is written is read back', () => {
  const payload = new Uint8Array(300).fill(9);
  const [field] = fields(lengthDelimited(300, payload));
  assert.deepEqual([field.field, field.bytes.length, field.end], [300, 300, 304]);
  assert.deepEqual([...field.bytes], [...payload]);
});
