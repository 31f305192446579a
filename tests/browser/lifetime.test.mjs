// @ts-check
// Engines in a page over time: calls queue, failures leave the engine usable, the caller's buffers stay whole, and an
// engine whose worker was killed says so.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onnxModel, slowModel, tinyModel } from '../support/onnx_writer.mjs';
import { file, useChromium, withPage } from './pages.mjs';

useChromium();

/** A product whose result has a terabyte. */
const hugeModel = onnxModel({
  inputs: [{ name: 'x', dims: ['n', 1] }, { name: 'y', dims: [1, 'm'] }],
  outputs: [{ name: 'z', dims: ['n', 'm'] }],
  nodes: [{ op: 'MatMul', inputs: ['x', 'y'], outputs: ['z'] }],
}); // prettier-ignore
const answers = {
  '/tiny.onnx': file(tinyModel()),
  '/slow.onnx': file(slowModel(60)),
  '/huge.onnx': file(hugeModel),
};

for (const isolated of [true, false]) {
  const where = `${isolated ? 'with' : 'without'} shared memory`;

  test(`loads and runs queue, and what fails leaves the rest alone, ${where}`, () =>
    withPage({ isolated, answers }, async (page, complaints) => {
      const found = await page.evaluate(async () => {
        const engine = await fuselane.createEngine();
        const [slow, tiny, huge] = await Promise.all(
          ['/slow.onnx', '/tiny.onnx', '/huge.onnx'].map((path) => engine.load(path)),
        );
        /** @type {string[]} */
        const order = [];
        const note = (/** @type {string} */ name) => () => void order.push(name);
        const m = 256;
        const run = slow.run({ x: { dims: [m, m], data: new Float32Array(m * m) } }).then(note('slow'));
        const x = { dims: [1, 1], data: [4] };
        const calls = [
          run,
          tiny.run({ x }).then(note('tiny')),
          failure(tiny.run({ w: x })).then(({ code }) => note(code)()),
          failure(tiny.run({ x: { dims: [3], data: [1, 1, 1] } })).then(({ code }) => note(code)()),
          failure(huge.run({ x: { dims: [500000, 1], data: new Float32Array(500000) }, y: { dims: [1, 500000], data: new Float32Array(500000) } })).then(({ code }) => note(code)()),
          engine.load('/tiny.onnx').then(note('load')),
        ]; // prettier-ignore
        await Promise.all(calls);
        const doomed = failure(slow.run({ x: { dims: [m, m], data: new Float32Array(m * m) } }));
        const answers = (await tiny.run({ x })).y.data;
        const after = (await huge.run({ x: { dims: [1, 1], data: [2] }, y: { dims: [1, 1], data: [3] } })).z
          .data;
        await doomed;
        const ending = failure(slow.run({ x: { dims: [m, m], data: new Float32Array(m * m) } }));
        await engine.dispose();
        return { order, answers: [answers[0], after[0]], ending: (await ending).code };
      });
      const { order } = found;
      assert.deepEqual(order.filter((name) => name !== 'load'), ['slow', 'tiny', 'invalid-input', 'invalid-input', 'out-of-memory']); // prettier-ignore
      assert.ok(order.includes('load'));
      assert.deepEqual([found.answers, found.ending], [[8, 6], 'disposed']);
      assert.deepEqual(complaints, []);
    }));

  test(`the caller's buffers are never detached or changed, ${where}`, () =>
    withPage({ isolated, answers }, async (page) => {
      const found = await page.evaluate(async () => {
        const bytes = await (await fetch('/tiny.onnx')).arrayBuffer();
        const copy = bytes.slice(0);
        const wide = new Uint8Array(bytes.byteLength + 20);
        wide.set(new Uint8Array(bytes), 10);
        /** @type {(ArrayBufferLike | Uint8Array)[]} */
        const sources = [bytes, new Uint8Array(bytes), wide.subarray(10, 10 + bytes.byteLength)];
        const hasShared = typeof SharedArrayBuffer !== 'undefined';
        if (hasShared) {
          const shared = new SharedArrayBuffer(bytes.byteLength);
          new Uint8Array(shared).set(new Uint8Array(bytes));
          sources.push(shared, new Uint8Array(shared));
        }
        const wasmBinary = await (await fetch(`/dist/fuselane${hasShared ? '' : '-single'}.wasm`)).arrayBuffer();
        const wasmBytes = wasmBinary.byteLength;
        const engine = await fuselane.createEngine({ wasmBinary });
        const answers = [];
        const all = Float32Array.of(9, 1, 2, 9);
        const shared = hasShared ? new Float32Array(new SharedArrayBuffer(8)) : new Float32Array(2);
        shared.set([1, 2]);
        for (const source of sources) {
          const model = await engine.load(source);
          for (const data of [all.subarray(1, 3), shared])
            answers.push([...(await model.run({ x: { dims: [1, 2], data } })).y.data].join());
        }
        const same = (/** @type {ArrayBufferLike} */ a) => a.byteLength === copy.byteLength && new Uint8Array(a).every((byte, i) => byte === new Uint8Array(copy)[i]);
        const kept = sources.every((source) => same(ArrayBuffer.isView(source) ? source.slice().buffer : source));
        return { answers: [...new Set(answers)], count: answers.length, kept, wasm: wasmBinary.byteLength === wasmBytes, feeds: [all.join(), shared.join()] };
      }); // prettier-ignore
      assert.deepEqual(found, { answers: ['2,4'], count: isolated ? 10 : 6, kept: true, wasm: true, feeds: ['9,1,2,9', '1,2'] }); // prettier-ignore
    }));

  test(`a worker that is killed or crashes rejects what waits, and load works again, ${where}`, () =>
    withPage({ isolated, answers }, async (page) => {
      const found = await page.evaluate(async () => {
        /** @type {Worker[]} */
        const made = [];
        const createWorker = (/** @type {string} */ name) => {
          made.push(new Worker(`/dist/${name}`, { type: 'module', name: 'fuselane' }));
          return /** @type {Worker} */ (made.at(-1));
        };
        const feeds = { x: { dims: [1024, 1024], data: new Float32Array(2 ** 20) } };
        const results = [];
        for (const how of ['terminate', 'crash', 'idle']) {
          const model = await fuselane.load('/slow.onnx', { createWorker });
          const worker = /** @type {Worker} */ (made.at(-1));
          const running = how === 'idle' ? Promise.resolve() : model.run(feeds);
          const second = how === 'idle' ? Promise.resolve() : model.report();
          const outcomes = [failure(running), failure(second)];
          await new Promise((resolve) => setTimeout(resolve, 100));
          if (how === 'crash') worker.postMessage(null);
          else worker.terminate();
          const begin = performance.now();
          const codes = (await Promise.all(outcomes)).map(({ code }) => code);
          if (how === 'idle') await new Promise((resolve) => setTimeout(resolve, 300));
          const milliseconds = performance.now() - begin;
          const later = await failure(model.report());
          await model.dispose();
          results.push({ codes, later, quick: milliseconds < 2000 });
        }
        const again = await fuselane.load('/tiny.onnx', { createWorker });
        return { results, y: (await again.run({ x: { dims: [1, 1], data: [2] } })).y.data[0] };
      });
      const ended = ['engine-ended', 'engine-ended'];
      assert.deepEqual(found.results.map(({ codes, quick }) => [codes, quick]), [[ended, true], [ended, true], [['none', 'none'], true]]); // prettier-ignore
      for (const { later } of found.results) {
        assert.equal(later.code, 'engine-ended');
        assert.match(later.message, /worker ended.*make a new engine/);
      }
      assert.equal(found.y, 4);
    }));
}
