// @ts-check
// The package as a Node program uses it: engines in workers and in the calling thread, sources, kept tensors, the queue,
// cancellation, disposal.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { createEngine, FuselaneError, load } from 'fuselane';
import { slowModel, tinyModel } from '../support/onnx_writer.mjs';

const folder = mkdtempSync(join(tmpdir(), 'fuselane-'));
after(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'tiny.onnx');
writeFileSync(file, tinyModel());

const x = { dims: [1, 3], data: [-1, 0, 2] };

/** @param {string} code @param {RegExp} [message] @returns {(error: unknown) => true} */
const failsWith = (code, message) => (error) => {
  assert.ok(error instanceof FuselaneError, String(error));
  assert.equal(error.code, code, error.message);
  if (message) assert.match(error.message, message);
  return true;
};

test('a model tells its ports, runs and reports', async () => {
  const model = await load(file);
  assert.deepEqual(model.inputs, [{ name: 'x', type: 'float32', dims: [1, 'n'] }]);
  assert.deepEqual(
    model.outputs.map(({ name, type }) => [name, type]),
    [
      ['y', 'float32'],
      ['z', 'float32'],
    ],
  );
  const results = await model.run({ x });
  assert.deepEqual(results, {
    y: { type: 'float32', dims: [1, 3], data: Float32Array.of(-2, 0, 4) },
    z: { type: 'float32', dims: [1, 3], data: Float32Array.of(0, 0, 2) },
  });
  assert.deepEqual(Object.keys(await model.run({ x }, { outputs: ['z'] })), ['z']);
  const report = await model.report();
  assert.equal(report.nodesImported, 2);
  assert.equal(report.build, 'threads');
  assert.ok(report.steps > 0 && report.plans > 0 && report.heapBytes >= 16 << 20, JSON.stringify(report));
  // Nothing of it was made twice, and each part took a while.
  const { preparation } = report;
  assert.deepEqual(Object.keys(preparation), ['import', 'optimize', 'weights', 'plan', 'emit', 'install']);
  for (const part of /** @type {const} */ (['import', 'optimize', 'plan', 'emit', 'install']))
    assert.ok(preparation[part] > 0 && preparation[part] < 60_000, JSON.stringify(preparation));
  await model.run({ x });
  const { install } = (await model.report()).preparation;
  assert.equal(install, preparation.install);
  assert.match(await model.dump('graph'), /positive|relu/i);
  await model.dispose();
});

test('a profile tells the steps of a run, their kernels, times and multiply-adds', async () => {
  const convnet = new URL('../models/convnet_13.onnx', import.meta.url);
  const model = await load(convnet, { threads: 1 });
  const [{ name, dims }] = model.inputs;
  const extents = (dims ?? []).map((extent) => (typeof extent === 'number' ? extent : 1));
  const data = new Float32Array(extents.reduce((a, b) => a * b, 1)).fill(0.5);
  const feeds = { [name]: { dims: extents, data } };
  const { runs, milliseconds, steps } = await model.profile(feeds, { runs: 3 });
  assert.equal(runs, 3);
  assert.equal(steps.length, (await model.report()).steps);
  const inSteps = steps.reduce((sum, step) => sum + step.milliseconds, 0);
  assert.ok(inSteps > 0 && inSteps < 1.5 * milliseconds, `${inSteps} of ${milliseconds}`);
  const convolutions = steps.filter(({ operator, multiplyAdds }) => operator === 'Conv' && multiplyAdds > 0);
  assert.ok(convolutions.length > 0 && convolutions.every(({ kernel }) => kernel !== 'reference'));
  await assert.rejects(model.profile(feeds, { runs: 0 }), failsWith('invalid-argument', /runs/));
  await assert.rejects(model.profile({}), failsWith('invalid-input'));
  // Without kernels all steps are references.
  const bare = await load(convnet, { threads: 1, knobs: { kernels: false } });
  const profile = await bare.profile(feeds, { runs: 1 });
  assert.ok(profile.steps.every(({ kernel }) => kernel === 'reference'));
  await Promise.all([model.dispose(), bare.dispose()]);
});

test('the memory of feeds is used again, and neither feeds nor results change by it', async () => {
  const model = await load(file);
  const feed = (/** @type {number} */ value) => ({
    x: { dims: [1, 4], data: new Float32Array(4).fill(value) },
  });
  const fed = [1, 2, 3, 4, 5, 6].map(feed);
  const first = await model.run(fed[0]);
  // Queued together, so that buffers come back while others are under way.
  const results = await Promise.all(fed.map((feeds) => model.run(feeds)));
  const expected = await Promise.all(
    fed.map((feeds) => model.run({ x: { ...feeds.x, data: [...feeds.x.data] } })),
  );
  assert.deepEqual(results, expected);
  assert.deepEqual(first, results[0]);
  fed.forEach(({ x }, i) => assert.deepEqual(x.data, new Float32Array(4).fill(i + 1)));
  await model.dispose();
});

test('knobs switch graph passes and kernels off; dump shows the graph between passes', async () => {
  const convnet = new URL('../models/convnet_13.onnx', import.meta.url);
  const engine = await createEngine();
  const [full, bare] = [
    await engine.load(convnet),
    await engine.load(convnet, { knobs: { passes: 'none', kernels: false } }),
  ];
  const [optimized, imported] = [await full.report(), await bare.report()];
  assert.equal(imported.nodes, imported.nodesImported);
  assert.equal(optimized.nodesImported, imported.nodesImported);
  assert.ok(optimized.nodes < imported.nodes, `${optimized.nodes} of ${imported.nodes}`);
  const before = await full.dump('graph', { pass: 'import' });
  assert.equal(before, await bare.dump('graph'));
  assert.match(before, /= BatchNormalization\(/);
  assert.doesNotMatch(await full.dump('graph', { pass: 'fold_batch_norm' }), /= BatchNormalization\(/);
  assert.equal(await full.dump('graph', { pass: 'remove_dead' }), await full.dump('graph'));
  await assert.rejects(
    bare.dump('graph', { pass: 'fold_batch_norm' }),
    failsWith('invalid-argument', /import/),
  );
  await assert.rejects(
    full.dump('graph', { pass: 'fold' }),
    failsWith('invalid-argument', /fold_batch_norm/),
  );
  await assert.rejects(
    engine.load(convnet, { knobs: { passes: 'all,-fold' } }),
    failsWith('invalid-argument', /'-fold' is not a pass.*fold_shapes/),
  );
  await assert.rejects(
    engine.load(convnet, { knobs: /** @type {any} */ ({ pases: '' }) }),
    failsWith('invalid-argument', /"passes"/),
  );
  await assert.rejects(
    engine.load(convnet, { knobs: /** @type {any} */ ({ tilesAndMore: true }) }),
    failsWith(
      'invalid-argument',
      /"tilesAndMore".*passes, kernels, generated, vertical, horizontal, tiling, layout, winograd, memory/,
    ),
  );
  await assert.rejects(
    engine.load(convnet, { knobs: /** @type {any} */ ({ vertical: 'no' }) }),
    failsWith('invalid-argument', /"vertical".*true or false/),
  );
  await assert.rejects(
    engine.load(convnet, { knobs: { memory: Number.NaN } }),
    failsWith('invalid-argument', /"memory".*a number of 0 or more, not NaN/),
  );
  await engine.dispose();
});

test('the core and TypeScript have the same knobs, of the same types', async () => {
  const { knobs } = await import(new URL('../../dist/knobs.js', import.meta.url).href);
  const table = readFileSync(new URL('../../src/engine/knobs.def', import.meta.url), 'utf8');
  const rows = [...table.matchAll(/^KNOB\((\w+), ([\w:]+),/gm)];
  /** @type {Record<string, string>} */
  const kinds = { bool: 'boolean', double: 'number', 'std::string': 'string' };
  assert.deepEqual(Object.fromEntries(rows.map(([, name, type]) => [name, kinds[type]])), knobs);
  assert.ok(rows.length > 3);
});

test('every kind of source gives the same model', async () => {
  const bytes = tinyModel();
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': bytes.length });
    response.end(bytes);
  });
  await new Promise((resolve) => server.listen(0, () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const url = `http://localhost:${port}/tiny.onnx`;
  const padded = new Uint8Array(bytes.length + 20);
  padded.set(bytes, 10);
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  const engine = await createEngine();
  // Node cancels the body of a response that has been collected, so that this one is kept until the end.
  const streamed = await fetch(url);
  try {
    for (const source of [
      file,
      pathToFileURL(file),
      pathToFileURL(file).href,
      url,
      new URL(url),
      bytes,
      Uint8Array.from(bytes).buffer,
      padded.subarray(10, 10 + bytes.length),
      shared,
      new Blob([bytes]),
      new File([bytes], 'tiny.onnx'),
      await fetch(url),
      streamed.body ?? assert.fail(),
    ]) {
      /** @type {import('fuselane').Progress[]} */
      const seen = [];
      const model = await engine.load(source, { onProgress: (progress) => seen.push(progress) });
      const { y } = await model.run({ x });
      assert.deepEqual(y.data, Float32Array.of(-2, 0, 4), String(source));
      assert.equal(seen.at(-1)?.loaded, bytes.length, String(source));
      await model.dispose();
    }
    assert.equal(bytes.length, tinyModel().length, "the caller's bytes are still there");
    assert.ok(streamed.bodyUsed);
  } finally {
    await engine.dispose();
    server.close();
  }
});

test('what is fed may be a subarray, is copied at the call and stays usable', async () => {
  const model = await load(file);
  const all = Float32Array.of(9, -1, 0, 2, 9);
  const data = all.subarray(1, 4);
  const running = model.run({ x: { dims: [1, 3], data } });
  data.fill(7);
  assert.deepEqual((await running).y.data, Float32Array.of(-2, 0, 4));
  assert.equal(all.length, 5);
  await model.dispose();
});

for (const worker of [true, false]) {
  test(`kept tensors feed any model of their engine (worker: ${worker})`, async () => {
    const engine = await createEngine({ worker });
    const [first, second] = [await engine.load(file), await engine.load(file)];
    const { y, z } = await first.run({ x }, { keep: ['y'] });
    assert.deepEqual([y.type, y.dims], ['float32', [1, 3]]);
    assert.deepEqual(/** @type {import('fuselane').Tensor} */ (z).data, Float32Array.of(0, 0, 2));
    assert.deepEqual((await second.run({ x: y })).y.data, Float32Array.of(-4, 0, 8));
    await first.run({ x: { dims: [1, 1], data: [5] } });
    assert.deepEqual(await y.data(), Float32Array.of(-2, 0, 4), 'a later run leaves it alone');
    await first.dispose();
    assert.deepEqual(await y.data(), Float32Array.of(-2, 0, 4), 'it outlives its model');
    const other = await createEngine({ worker });
    const foreign = await other.load(file);
    await assert.rejects(foreign.run({ x: y }), failsWith('invalid-input', /belongs to another engine/));
    await y.dispose();
    await y.dispose();
    await assert.rejects(second.run({ x: y }), failsWith('disposed', /kept tensor/));
    await assert.rejects(y.data(), failsWith('disposed'));
    assert.deepEqual((await second.run({ x })).y.data, Float32Array.of(-2, 0, 4));
    await other.dispose();
    await engine.dispose();
  });

  test(`runs queue, and each can be cancelled (worker: ${worker})`, async () => {
    const model = await load(slowModel(40), { worker });
    const [output] = model.outputs;
    /** The mean of each row and column, so that every product is the same. @param {number} m */
    const square = (m) => ({ x: { dims: [m, m], data: new Float32Array(m * m).fill(1 / m) } });
    const m = 64;
    const feeds = square(m);
    const [running, waiting, late] = [new AbortController(), new AbortController(), new AbortController()];
    /** @type {string[]} */
    const order = [];
    const first = model.run(feeds);
    void first.then(() => order.push('first'));
    const second = model.run(feeds, { signal: waiting.signal });
    const third = model.run(square(1024), { signal: running.signal }); // 86 GFLOP
    const fourth = model.run(feeds, { signal: late.signal }).then(() => order.push('fourth'));
    waiting.abort();
    await assert.rejects(second, failsWith('cancelled'));
    const ones = (await first)[output.name].data;
    assert.ok(Math.abs(Number(ones[0]) - 1 / m) < 1e-6, `${ones[0]}`);
    setTimeout(() => running.abort(new Error('no more')), 30);
    await assert.rejects(third, failsWith('cancelled'));
    await fourth;
    late.abort();
    assert.deepEqual(order, ['first', 'fourth']);
    const aborted = AbortSignal.abort();
    await assert.rejects(model.run(feeds, { signal: aborted }), failsWith('cancelled'));
    await model.dispose();
  });
}

test('loading is cancelled while it downloads', async () => {
  const server = createServer((request, response) => response.writeHead(200).write(tinyModel()));
  await new Promise((resolve) => server.listen(0, () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const url = `http://localhost:${port}/never-ends.onnx`;
  const engine = await createEngine();
  for (const source of [url, await fetch(url)]) {
    const controller = new AbortController();
    const loading = engine.load(source, {
      signal: controller.signal,
      onProgress: () => setTimeout(() => controller.abort(), 10),
    });
    await assert.rejects(loading, failsWith('cancelled'));
  }
  await engine.dispose();
  server.closeAllConnections();
  server.close();
});

test('calls after the end say what has ended', async () => {
  const engine = await createEngine();
  const [one, other] = [await engine.load(file), await engine.load(file)];
  await one.dispose();
  await one.dispose();
  await assert.rejects(one.run({ x }), failsWith('disposed', /model was disposed of/));
  await assert.rejects(one.report(), failsWith('disposed'));
  const running = other.run({ x });
  await Promise.all([engine.dispose(), assert.rejects(running, failsWith('disposed', /engine/))]);
  await engine.dispose();
  await other.dispose();
  await assert.rejects(other.run({ x }), failsWith('disposed'));
  await assert.rejects(engine.load(file), failsWith('disposed', /engine was disposed of/));
});

test('a worker that is killed rejects what waits for it', async () => {
  /** @type {Worker | undefined} */
  let made;
  const createWorker = (/** @type {string} */ name) => {
    made = new Worker(new URL(`../../dist/${name}`, import.meta.url));
    return made;
  };
  const model = await load(slowModel(200), { createWorker });
  const running = model.run({ x: { dims: [1024, 1024], data: new Float32Array(2 ** 20) } });
  setTimeout(() => made?.terminate(), 20);
  await assert.rejects(running, failsWith('engine-ended', /make a new engine/));
  await assert.rejects(model.report(), failsWith('engine-ended'));
  await model.dispose();
});

test('a script with an idle engine ends by itself, and its globals stay its own', async () => {
  for (const worker of [true, false]) {
    const script = `
      import { load } from 'fuselane';
      const model = await load(${JSON.stringify(file)}, { worker: ${worker} });
      const { y } = await model.run({ x: { dims: [1, 1], data: [21] } });
      console.log(y.data[0], typeof globalThis.Worker);`;
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: new URL('../..', import.meta.url),
      timeout: 60_000,
    });
    assert.equal((await run).stdout, '42 undefined\n');
  }
});

test('log takes the messages of the engine', async () => {
  /** @type {string[]} */
  const lines = [];
  const model = await load(file, { log: (line) => lines.push(line) });
  await model.dispose();
  assert.match(lines.join('\n'), /fuselane\.wasm.*shared memory up to \d+ MB[\s\S]*tiny\.onnx/);
});

test('the wasm may come from elsewhere', async () => {
  const { readFile } = await import('node:fs/promises');
  const wasmUrl = new URL('../../dist/fuselane.wasm', import.meta.url);
  const wasmBinary = await readFile(wasmUrl);
  const size = wasmBinary.length;
  const wasmModule = await WebAssembly.compile(wasmBinary);
  for (const options of [{ wasmUrl }, { wasmUrl: new URL('./', wasmUrl) }, { wasmBinary }, { wasmModule }]) {
    const model = await load(file, options);
    assert.deepEqual((await model.run({ x })).y.data, Float32Array.of(-2, 0, 4));
    await model.dispose();
  }
  assert.equal(wasmBinary.length, size, "the caller's bytes are still there");
});
