// @ts-check
// Bad input gets an error that names the thing and what was expected, and the loaded model keeps working.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createEngine, FuselaneError, load } from 'fuselane';
import { onnxModel, tinyModel } from '../support/onnx_writer.mjs';

/** @type {import('fuselane').Engine} */
let engine;
/** @type {import('fuselane').Model} */
let model;
const x = { dims: [1, 3], data: [-1, 0, 2] };
const folder = mkdtempSync(join(tmpdir(), 'fuselane-'));

before(async () => {
  engine = await createEngine();
  model = await engine.load(tinyModel());
});
after(async () => {
  await engine.dispose();
  rmSync(folder, { recursive: true });
});

/**
 * The call fails as said, and afterwards the model still runs.
 * @param {Promise<unknown>} call
 * @param {string} code
 * @param {RegExp} message
 * @param {Partial<FuselaneError>} place
 */
async function fails(call, code, message, place = {}) {
  await assert.rejects(call, (error) => {
    assert.ok(error instanceof FuselaneError, String(error));
    assert.match(error.message, message);
    assert.equal(error.code, code, error.message);
    for (const [key, value] of Object.entries(place))
      assert.equal(error[/** @type {'subject'} */ (key)], value, `${key} of: ${error.message}`);
    return true;
  });
  assert.deepEqual((await model.run({ x })).y.data, Float32Array.of(-2, 0, 4));
}

/** @param {Record<string, unknown>} feeds @param {object} [options] */
const run = (feeds, options) => model.run(/** @type {import('fuselane').Feeds} */ (feeds), options);

test('feeds that do not fit the model', async () => {
  await fails(run({ X: x }), 'invalid-input', /no input named 'X'.*'x'/, { subject: 'X' });
  await fails(run({}), 'invalid-input', /'x'/);
  await fails(run({ x, extra: x }), 'invalid-input', /'extra'/, { subject: 'extra' });
  await fails(run({ x: { dims: [3], data: x.data } }), 'invalid-input', /float32\[1,n\], not float32\[3\]/, {
    subject: 'x',
  });
  await fails(
    run({ x: { dims: [3, 1], data: x.data } }),
    'invalid-input',
    /float32\[1,n\], not float32\[3,1\]/,
    {
      subject: 'x',
    },
  );
  await fails(
    run({ x: { dims: [1, 3], data: new Float64Array(3) } }),
    'invalid-input',
    /must be float32, not float64|float32.*float64/,
    {
      subject: 'x',
    },
  );
});

test('feeds that do not fit themselves', async () => {
  await fails(run({ x: { dims: [1, 4], data: x.data } }), 'invalid-input', /3 values.*\[1, 4\] make 4/, {
    subject: 'x',
  });
  await fails(run({ x: { dims: [1, 1.5], data: x.data } }), 'invalid-input', /whole numbers/);
  await fails(run({ x: { dims: [1, -3], data: x.data } }), 'invalid-input', /whole numbers/);
  await fails(run({ x: x.data }), 'invalid-input', /must be \{ dims, data \}/);
  await fails(run({ x: { dims: [1, 3], data: 'abc' } }), 'invalid-input', /neither a typed array nor/);
  await fails(run({ x: { dims: [1, 1], data: [[1]] } }), 'invalid-input', /nested arrays/);
  await fails(run({ x: { dims: [1, 1], data: ['1'] } }), 'invalid-input', /index 0/);
  await fails(
    run({ x: { dims: [1, 1], data: new DataView(new ArrayBuffer(4)) } }),
    'invalid-input',
    /DataView/,
  );
  await fails(run({ x: { ...x, type: 'float99' } }), 'invalid-input', /float99/);
  await fails(run({ x: { ...x, type: 'int32', data: new Float32Array(3) } }), 'invalid-input', /Int32Array/);
  await fails(run({ x: { dims: [2 ** 40, 0], data: [] } }), 'invalid-input', /\[1,n\]/);
  await fails(model.run(/** @type {never} */ (null)), 'invalid-argument', /an object with a tensor/);
});

test('whole numbers are taken from plain arrays where each fits', async () => {
  const ports = {
    inputs: [{ name: 'i', type: 'int64', dims: ['n'] }],
    outputs: [{ name: 'o', type: 'int64', dims: ['n'] }],
  };
  const adder = await engine.load(
    onnxModel({ .../** @type {any} */ (ports), nodes: [{ op: 'Add', inputs: ['i', 'i'], outputs: ['o'] }] }),
  );
  const added = async (/** @type {any} */ data) =>
    (await adder.run({ i: { dims: [data.length], data } })).o.data;
  assert.deepEqual(await added([1, -2]), BigInt64Array.of(2n, -4n));
  assert.deepEqual(await added(BigInt64Array.of(2n ** 60n)), BigInt64Array.of(2n ** 61n));
  await fails(added([0.5]), 'invalid-input', /0\.5 at index 0, which is no int64/);
  await fails(added([2 ** 53]), 'invalid-input', /9007199254740992/);
  await fails(added(Int32Array.of(1)), 'invalid-input', /must be int64, not int32/);
  await adder.dispose();
});

test('options', async () => {
  await fails(run({ x }, { output: ['y'] }), 'invalid-argument', /no option "output".*"outputs"/, {
    subject: 'output',
  });
  await fails(run({ x }, { outputs: 'y' }), 'invalid-argument', /"outputs".*array of names.*not String/);
  await fails(run({ x }, { outputs: ['w'] }), 'invalid-argument', /'w'/, { subject: 'w' });
  await fails(run({ x }, { keep: ['w'] }), 'invalid-argument', /'w'/, { subject: 'w' });
  await fails(run({ x }, { signal: true }), 'invalid-argument', /AbortSignal/);
  for (const simd of ['fast', 1, true])
    await fails(createEngine(/** @type {any} */ ({ simd })), 'invalid-argument', /"simd".*auto, relaxed/);
  await fails(load('m.onnx', /** @type {any} */ ({ onprogress() {} })), 'invalid-argument', /"onProgress"/);
  await fails(
    createEngine(/** @type {any} */ ({ colour: 1 })),
    'invalid-argument',
    /the options are worker, log/,
  );
  await fails(createEngine(/** @type {any} */ ({ worker: 1 })), 'invalid-argument', /true or false, not 1/);
  await fails(model.dump('grph'), 'invalid-argument', /grph/);
});

test('the engine itself cannot be had', async () => {
  const missing = join(folder, 'missing.wasm');
  await fails(createEngine({ wasmUrl: missing }), 'engine-unavailable', /missing\.wasm cannot be read/, {
    subject: missing,
  });
  const wrong = new URL('../../package.json', import.meta.url);
  await fails(createEngine({ wasmUrl: wrong }), 'engine-unavailable', /package\.json is no WebAssembly/);
  const empty = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
  await fails(createEngine({ wasmBinary: empty }), 'engine-unavailable', /does not fit.*fuselane\.wasm/);
});

test('files that are no models', async () => {
  const write = (/** @type {string} */ name, /** @type {string | Uint8Array} */ content) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const whole = tinyModel();
  await fails(engine.load(join(folder, 'nothing.onnx')), 'read-failed', /nothing\.onnx cannot be opened/, {
    subject: join(folder, 'nothing.onnx'),
  });
  await fails(engine.load(folder), 'read-failed', /is not a file/);
  await fails(engine.load(write('empty.onnx', '')), 'invalid-model', /empty/);
  await fails(engine.load(write('page.onnx', '<!DOCTYPE html><html></html>')), 'invalid-model', /HTML page/);
  await fails(
    engine.load(write('pointer.onnx', 'version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 9\n')),
    'invalid-model',
    /Git LFS pointer/,
  );
  for (const length of [whole.length - 1, 40, 5])
    await fails(engine.load(write('cut.onnx', whole.subarray(0, length))), 'invalid-model', /./);
  await fails(engine.load(/** @type {any} */ (7)), 'invalid-argument', /not from number/);
  await fails(engine.load(/** @type {any} */ ({})), 'invalid-argument', /not from Object/);
});

test('servers that do not give the model', async (t) => {
  const server = createServer((request, response) => {
    if (request.url === '/page')
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Not here</p>');
    else if (request.url === '/cut') {
      response.writeHead(200, { 'content-length': 1000 }).write('123');
      setTimeout(() => response.destroy(), 50);
    } else response.writeHead(404).end('no');
  });
  await new Promise((resolve) => server.listen(0, () => resolve(undefined)));
  t.after(() => server.close());
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const base = `http://localhost:${port}`;
  await fails(engine.load(`${base}/none`), 'read-failed', /\/none was answered with status 404/, {
    subject: `${base}/none`,
  });
  await fails(engine.load(await fetch(`${base}/none`)), 'read-failed', /status 404/);
  await fails(
    engine.load(`${base}/page`),
    'invalid-model',
    /\/page was answered with an HTML page \(status 200/,
  );
  await fails(engine.load(`${base}/cut`), 'read-failed', /reading .*\/cut failed after 3 of 1000 bytes/);
  const used = await fetch(`${base}/page2`);
  server.close();
  server.closeAllConnections();
  await used.text().catch(() => {});
  await fails(engine.load(`${base}/none`), 'read-failed', /could not be fetched/);
  const stream = new ReadableStream();
  stream.getReader();
  await fails(engine.load(stream), 'read-failed', /being read by someone else/);
});

test('a model that uses what is not supported names it', async () => {
  const bytes = onnxModel({
    inputs: [{ name: 'x', dims: [1] }],
    outputs: [{ name: 'y', dims: [1] }],
    nodes: [{ op: 'Frobnicate', inputs: ['x'], outputs: ['y'], name: 'the_node' }],
  });
  await fails(engine.load(bytes), 'unsupported-model', /Frobnicate[\s\S]*the_node/);
});
