// @ts-check
// Engines with several threads: how many there are, the same bits from any number, traps that fail a run and nothing
// else, runs that end at a flag, threads and memory that go with their engine.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { after, describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { createEngine, load } from 'fuselane';
import { startCore } from '../../dist/core.js';
import { installKernels } from '../../dist/kernels.js';
import { nodeParts } from '../../dist/node_host.js';
import { fuselane } from '../parity/engines.mjs';
import { cases, leftOut } from '../parity/models.mjs';
import { runCase } from '../parity/run.mjs';
import { onnxModel, slowModel, tinyModel } from '../support/onnx_writer.mjs';

const x = { dims: [1, 3], data: [-1, 0, 2] };

test('the number of threads is told', async () => {
  for (const [options, threads] of /** @type {const} */ ([
    [{}, Math.min(availableParallelism(), 8)],
    [{ threads: 1 }, 1],
    [{ threads: 3 }, 3],
    [{ threads: 2, worker: false }, 2],
  ])) {
    const model = await load(tinyModel(), options);
    assert.deepEqual((await model.run({ x })).y.data, Float32Array.of(-2, 0, 4));
    const report = await model.report();
    assert.equal(report.threads, threads);
    assert.equal(report.oneThreadBecause, undefined);
    await model.dispose();
  }
});

test('numbers of threads that cannot be are refused', async () => {
  for (const threads of [0, -1, 1.5, 65, '2', NaN])
    await assert.rejects(createEngine(/** @type {any} */ ({ threads })), (/** @type {any} */ error) => {
      assert.equal(error.code, 'invalid-argument');
      assert.match(error.message, /"threads".*a whole number from 1 to 64, not/);
      return true;
    });
});

describe('1, 2 and 4 threads give the same bits', () => {
  const npm = ['ppocr_recognition', 'silero_v5', 'blazeface_front'];
  const zoo = ['mobilenet_v2', 'shufflenet_v2', 'minilm_dyn', 'unet_small'];
  const engines = Promise.all([1, 2, 4].map((threads) => fuselane({ threads })));
  after(async () => (await engines).forEach((engine) => engine.dispose()));
  for (const testCase of cases) {
    if (testCase.from !== 'small' && ![...npm, ...zoo].includes(testCase.name)) continue;
    test(testCase.name, { skip: leftOut(testCase) }, async () => {
      const results = [];
      for (const engine of await engines) {
        const model = await engine.load(testCase.path);
        results.push(await runCase(model, testCase));
        await model.dispose();
      }
      assert.deepEqual(results[1], results[0]);
      assert.deepEqual(results[2], results[0]);
    });
  }
});

/** A product of two [m, m], where the node has a name. */
const product = onnxModel({
  inputs: [{ name: 'x', dims: ['m', 'm'] }],
  outputs: [{ name: 'y', dims: ['m', 'm'] }],
  nodes: [{ op: 'MatMul', inputs: ['x', 'x'], outputs: ['y'], name: 'the_product' }],
});

/**
 * A core in this thread: what a host drives (web/host.ts), without its messages.
 * @param {number} threads
 */
async function openCore(threads) {
  const core = await startCore(nodeParts, {}, { threads, simd: 'auto', names: false }, () => {});
  const { call, heap } = core;
  /** @param {Uint8Array} bytes */
  const loadBytes = (bytes) => {
    const read = (
      /** @type {number} */ offset,
      /** @type {number} */ length,
      /** @type {number} */ pointer,
    ) => {
      heap.view(pointer, length).set(bytes.subarray(offset, offset + length));
      return '';
    };
    return call.load({ size: bytes.length, read, close() {} }, 'model', {}, false).model;
  };
  /** Begins a run with ones. @param {number} model @param {number} m */
  const start = async (model, m) => {
    const { tensor } = call.allocate('float32', [m, m]);
    heap.copyIn(call.tensor(tensor).pointer, new Float32Array(m * m).fill(1).buffer);
    if (call.start(model, [{ name: 'x', tensor }], [], false).kernels) await installKernels(core);
  };
  return { core, call, heap, loadBytes, start };
}

for (const threads of [1, 2, 3]) {
  for (let thread = 0; thread < threads; thread++) {
    test(`a trap on thread ${thread} of ${threads} fails the run, and the engine goes on`, async () => {
      const { call, heap, loadBytes, start } = await openCore(threads);
      const model = loadBytes(product);
      const m = 256;
      const succeed = async () => {
        await start(model, m);
        assert.ok(call.advance(model, 1e9).done);
        const { pointer } = call.output(model, 'y');
        assert.equal(new DataView(heap.copyOut(pointer, 4)).getFloat32(0, true), m);
      };
      await succeed();
      for (let round = 0; round < 3; round++) {
        call.trapOn(thread);
        // Whether a thread gets a chunk of a certain run is up to the scheduler.
        const end = Date.now() + 20_000;
        let error;
        while (!error) {
          assert.ok(Date.now() < end, 'the thread runs nothing');
          await start(model, m);
          const begin = performance.now();
          try {
            call.advance(model, 1e9);
          } catch (thrown) {
            error = /** @type {any} */ (thrown);
            assert.ok(performance.now() - begin < 1000);
          }
          await new Promise((resolve) => setTimeout(resolve, 5)); // threads start by the event loop
        }
        assert.equal(error.code, 'internal-error', error.message);
        assert.equal(error.node, 'the_product');
        assert.match(error.message, /MatMul.*the_product.*trap/);
        await succeed();
        const other = loadBytes(product);
        await start(other, 8);
        assert.ok(call.advance(other, 1e9).done);
        call.dispose(other);
      }
      call.end();
    });
  }
}

test('a flag ends a run that does not return to its event loop', async () => {
  const { core, call, loadBytes, start } = await openCore(2);
  const layers = 200;
  const model = loadBytes(slowModel(layers));
  await start(model, 512);
  const flag = new Int32Array(new SharedArrayBuffer(4));
  core.watch(flag);
  const raise = `
    const { workerData } = require('node:worker_threads');
    setTimeout(() => Atomics.store(workerData, 0, 1), 20);`;
  const worker = new Worker(raise, { eval: true, workerData: flag });
  await new Promise((resolve) => worker.once('online', () => resolve(undefined)));
  const begin = performance.now();
  assert.throws(() => call.advance(model, 1e9), { code: 'cancelled' });
  const elapsed = performance.now() - begin;
  core.watch(undefined);
  await start(model, 512);
  const whole = performance.now();
  assert.ok(call.advance(model, 1e9).done);
  const step = (performance.now() - whole) / layers;
  assert.ok(elapsed < (layers / 2) * step, `cancelled after ${elapsed} ms, a step takes ${step}`);
  await worker.terminate();
  call.end();
});

const tasks = '/proc/self/task';
test('threads and memory go with their engine', { skip: !existsSync(tasks) && 'not Linux' }, async () => {
  const resident = () => {
    const pages = Number(readFileSync('/proc/self/statm', 'utf8').split(' ')[1]);
    return (pages * 4096) / 2 ** 20;
  };
  const use = async () => {
    const model = await load(slowModel(1), { threads: 4 });
    await model.run({ x: { dims: [2048, 2048], data: new Float32Array(2 ** 22) } });
    await model.dispose();
  };
  await use();
  const threads = readdirSync(tasks).length;
  const before = resident();
  for (let i = 0; i < 6; i++) await use();
  const grown = resident() - before;
  assert.ok(grown < 100, `the process has grown by ${grown.toFixed(0)} MB`);
  // An engine that has been disposed of may still be ending.
  for (let i = 0; i < 100 && readdirSync(tasks).length > threads; i++)
    await new Promise((resolve) => setTimeout(resolve, 20));
  assert.ok(readdirSync(tasks).length <= threads, `${readdirSync(tasks).length} threads, not ${threads}`);
});
