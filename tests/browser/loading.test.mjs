// @ts-check
// Models and the engine's own files from servers, in a page: progress, cancelling, and errors that name the URL, what
// came back and what to do.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { slowModel, tinyModel } from '../support/onnx_writer.mjs';
import { file, useChromium, withPage } from './pages.mjs';

useChromium();

const tiny = tinyModel();

/** Loads a path in an engine of its own. @param {import('playwright-core').Page} page @param {string} path @param {object} [options] */
const failureOf = (page, path, options = {}) =>
  page.evaluate(
    ([url, given]) => failure(fuselane.load(url, given)),
    /** @type {[string, object]} */ ([path, options]),
  );

test('progress never falls and ends at the total, which is left out when nobody knows it', () => {
  const padded = Buffer.concat([tiny, Buffer.from([0x12, 0x80, 0x80, 0x40]), Buffer.alloc(1 << 20)]); // producer_name
  const answers = {
    '/plain.onnx': file(padded),
    '/gzip.onnx': file(gzipSync(padded), { 'content-encoding': 'gzip' }),
    '/chunked.onnx': (/** @type {any} */ _, /** @type {import('node:http').ServerResponse} */ response) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream' }).write(padded.subarray(0, 5000));
      setTimeout(() => response.end(padded.subarray(5000)), 20);
    },
    '/moved.onnx': (/** @type {any} */ _, /** @type {import('node:http').ServerResponse} */ response) =>
      response.writeHead(302, { location: '/plain.onnx' }).end(),
  };
  return withPage({ answers }, async (page) => {
    for (const [path, known] of /** @type {const} */ ([
      ['/plain.onnx', true],
      ['/moved.onnx', true],
      ['/gzip.onnx', false],
      ['/chunked.onnx', false],
    ]))
      for (const as of ['url', 'response', 'stream', 'blob', 'bytes']) {
        const seen = await page.evaluate(
          async ([url, kind]) => {
            /** @type {import('fuselane').Progress[]} */
            const steps = [];
            const response = await fetch(url);
            const source =
              kind === 'url' ? url
              : kind === 'response' ? response
              : kind === 'stream' ? /** @type {ReadableStream<Uint8Array>} */ (response.body)
              : kind === 'blob' ? await response.blob()
              : await response.arrayBuffer(); // prettier-ignore
            const model = await fuselane.load(source, { onProgress: (step) => steps.push(step) });
            const { y } = await model.run({ x: { dims: [1, 2], data: [1, 2] } });
            await model.dispose();
            return { steps, answer: [.../** @type {Float32Array} */ (y.data)] };
          },
          [path, as],
        );
        const name = `${path} as ${as}`;
        assert.deepEqual(seen.answer, [2, 4], name);
        const loaded = seen.steps.map((step) => step.loaded);
        assert.deepEqual(loaded, [...loaded].sort((a, b) => a - b), name); // prettier-ignore
        const total =
          as === 'bytes' || as === 'blob' || (known && as !== 'stream') ? padded.length : undefined;
        assert.deepEqual([seen.steps.at(-1)?.loaded, seen.steps.at(-1)?.total], [padded.length, total], name);
      }
  });
});

/** What servers give instead of a model: the code, and what its message must say. @type {Record<string, [import('../../tools/browser/server.mjs').Answer, string, RegExp]>} */
const bad = {
  '/page': [file('<!DOCTYPE html><p>hello</p>', { 'content-type': 'text/html' }), 'invalid-model', /an HTML page \(status 200 OK, text\/html, beginning "<!DOCTYPE html><p>hello/],
  '/untold-page': [file('<html>hello'), 'invalid-model', /HTML page.*status 200 OK, application\/octet-stream, beginning "<html>hello/],
  '/json': [file('{"error":"no such model"}', { 'content-type': 'application/json' }), 'invalid-model', /JSON.*application\/json, beginning "\{"error":"no such model"\}"/],
  '/pointer': [file('version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 9\n'), 'invalid-model', /Git LFS pointer.*fetch the model itself/],
  '/empty': [file(''), 'invalid-model', /is empty.*status 200 OK.*an empty body/],
  '/gz': [file(gzipSync(tiny)), 'invalid-model', /compressed with gzip.*beginning with the bytes 1f 8b/],
  '/forbidden': [(_, response) => response.writeHead(403, { 'content-type': 'application/xml' }).end('<Error>AccessDenied</Error>'), 'read-failed', /status 403 Forbidden, application\/xml, beginning "<Error>AccessDenied.*check the URL/],
  '/slow-404': [(_, response) => void response.writeHead(404, { 'content-type': 'text/plain' }).flushHeaders(), 'read-failed', /status 404 Not Found, text\/plain.*check the URL/],
  '/cut': [(_, response) => { response.writeHead(200, { 'content-length': 1000 }).write('123'); setTimeout(() => response.destroy(), 50); }, 'read-failed', /failed after \d+ of 1000 bytes.*load it again/],
  '/dead': [(request) => void request.destroy(), 'read-failed', /could not be fetched.*check the address/],
}; // prettier-ignore

test('what is no model is named with its URL, what came back and what to do', () =>
  withPage({ answers: Object.fromEntries(Object.entries(bad).map(([path, [answer]]) => [path, answer])) }, async (page, _, url) => {
    for (const [path, [, code, message]] of Object.entries(bad)) {
      const found = await failureOf(page, path);
      assert.equal(found.code, code, found.message);
      assert.match(found.message, message);
      assert.ok(found.message.includes(`${url}${path}`), found.message);
      assert.equal(found.subject, `${url}${path}`);
    }
    const missing = await failureOf(page, '/dist/none.onnx');
    assert.match(missing.message, /none\.onnx was answered with status 404 Not Found, text\/html, beginning "<h1>Not found<\/h1>"/);
    const noUrl = await failureOf(page, 'http://');
    assert.equal(noUrl.code, 'invalid-argument');
    assert.match(noUrl.message, /"http:\/\/" is no URL/);
  })); // prettier-ignore

test('responses and streams that cannot be read are named', () =>
  withPage({ answers: { '/tiny.onnx': file(tiny) }, headers: { 'Content-Security-Policy': '' }, isolated: false }, (page, _, url) =>
    withPage({ answers: { '/tiny.onnx': file(tiny) }, headers: { 'Content-Security-Policy': '' } }, async (__, ___, other) => {
      const found = await page.evaluate(async (elsewhere) => {
        const engine = await fuselane.createEngine();
        const used = await fetch('/tiny.onnx');
        await used.arrayBuffer();
        const locked = await fetch('/tiny.onnx');
        locked.body?.getReader();
        const odd = new ReadableStream({ start: (to) => to.enqueue('text') });
        const broken = new ReadableStream({ pull: () => Promise.reject(new Error('the cable')) });
        return {
          used: await failure(engine.load(used)),
          locked: await failure(engine.load(locked)),
          odd: await failure(engine.load(odd)),
          broken: await failure(engine.load(broken)),
          opaque: await failure(engine.load(await fetch(elsewhere, { mode: 'no-cors' }))),
          cors: await failure(engine.load(elsewhere)),
          good: (await engine.load('/tiny.onnx')).inputs.length,
        };
      }, `${other}/tiny.onnx`);
      assert.match(found.used.message, /tiny\.onnx has been read already.*clone/);
      assert.match(found.locked.message, /is being read by someone else/);
      assert.match(found.odd.message, /something other than Uint8Array/);
      assert.match(found.broken.message, /the given stream failed after 0 bytes \(the cable\)/);
      assert.match(found.opaque.message, /opaque response.*no-cors.*Access-Control-Allow-Origin/);
      assert.match(found.cors.message, new RegExp(`^${other}/tiny.onnx could not be fetched.*CORS`));
      const { good, ...failures } = found;
 for (const [name, { code }] of Object.entries(failures)) assert.equal(code, 'read-failed', name);
assert.equal(good, 1, url);
    }),
  )); // prettier-ignore

test("the engine's own files that are missing or wrong are named", () =>
  withPage({ answers: { '/spa.wasm': file('<!doctype html>', { 'content-type': 'text/html' }), '/page.wasm': file('<!doctype html>', { 'content-type': 'application/wasm' }) } }, async (page, _, url) => {
    for (const [wasmUrl, message] of /** @type {const} */ ([
      ['/dist/none.wasm', /none\.wasm was answered with status 404 Not Found, text\/html, beginning "<h1>.*put the engine's wasm files beside.*wasmUrl/],
      ['/spa.wasm', /spa\.wasm is no WebAssembly \(15 bytes\).*fuselane\.wasm.*status 200 OK, text\/html, beginning "<!doctype html>".*wasmUrl/],
      ['/page.wasm', /page\.wasm cannot be compiled/],
    ])) {
      const found = await failureOf(page, '/none', { wasmUrl });
      assert.equal(found.code, 'engine-unavailable');
      assert.match(found.message, message);
      assert.ok(found.message.startsWith(url), found.message);
    }
    /** @type {object | undefined} */
    let wrong;
    await page.route('**/dist/worker.js', (route) => (wrong ? route.fulfill(wrong) : route.continue()));
    for (const [answer, message] of /** @type {const} */ ([
      [{ status: 404, contentType: 'text/html', body: '<h1>no' }, /worker\.js did not start: .*worker\.js was answered with status 404 Not Found, text\/html, beginning "<h1>no"/],
      [{ status: 200, contentType: 'text/html', body: '<p>' }, /worker\.js was answered with status 200 OK, text\/html.*text\/javascript/],
      [{ status: 200, contentType: 'text/javascript', body: '' }, /without the header Cross-Origin-Embedder-Policy/],
    ])) {
      wrong = undefined;
      await page.reload();
      await page.waitForFunction(() => 'fuselane' in globalThis);
      wrong = answer;
      const found = await failureOf(page, '/none');
      assert.equal(found.code, 'engine-unavailable');
      assert.match(found.message, message);
    }
  })); // prettier-ignore

test(
  'the model is asked for before the core is there; where both are missing, the core is named',
  { timeout: 60_000 },
  () => {
    /** @type {() => void} */
    let asked;
    const modelAsked = new Promise((resolve) => (asked = () => resolve(undefined)));
    const wasm = readFileSync(new URL('../../dist/fuselane.wasm', import.meta.url));
    /** @type {Record<string, import('../../tools/browser/server.mjs').Answer>} */
    const answers = {
      '/tiny.onnx': (request, response) => {
        asked();
        file(tiny)(request, response);
      },
      // Nobody would ever answer a load that fetches one after the other.
      '/held.wasm': (request, response) =>
        void modelAsked.then(() => file(wasm, { 'content-type': 'application/wasm' })(request, response)),
      '/late.wasm': (_, response) => void setTimeout(() => response.writeHead(404).end(), 300),
    };
    return withPage({ answers }, async (page) => {
      const answer = await page.evaluate(async () => {
        const model = await fuselane.load('/tiny.onnx', { wasmUrl: '/held.wasm' });
        const { y } = await model.run({ x: { dims: [1, 2], data: [1, 2] } });
        return [.../** @type {Float32Array} */ (y.data)];
      });
      assert.deepEqual(answer, [2, 4]);
      assert.equal((await failureOf(page, '/none', { wasmUrl: '/late.wasm' })).code, 'engine-unavailable');
      assert.equal((await failureOf(page, '/none')).code, 'read-failed');
    });
  },
);

test('a policy that forbids the engine is named', () =>
  withPage({ headers: { 'Content-Security-Policy': "default-src 'self'" } }, async (page) => {
    const found = await failureOf(page, '/none');
    assert.equal(found.code, 'engine-unavailable');
    assert.match(found.message, /add 'wasm-unsafe-eval' to script-src/);
  }));

for (const isolated of [true, false])
  test(`a signal ends a download, a stream and a load that waits, ${isolated ? 'with' : 'without'} shared memory`, () => {
    const answers = {
      '/slow.onnx': file(slowModel(200)),
      '/tiny.onnx': file(tiny),
      '/endless': (/** @type {any} */ _, /** @type {import('node:http').ServerResponse} */ response) =>
        void response.writeHead(200, { 'content-length': 1e6 }).write(tiny),
    };
    return withPage({ isolated, answers }, async (page) => {
      const found = await page.evaluate(async () => {
        const engine = await fuselane.createEngine();
        const soon = () => {
          const controller = new AbortController();
          setTimeout(() => controller.abort(new Error('enough')), 50);
          return controller.signal;
        };
        const download = await failure(engine.load('/endless', { signal: soon() }));
        const response = await failure(engine.load(await fetch('/endless'), { signal: soon() }));
        const stream = await failure(engine.load(new ReadableStream(), { signal: soon() }));
        const slow = await engine.load('/slow.onnx');
        let ran = false;
        const stop = new AbortController();
        const run = failure(slow.run({ x: { dims: [1024, 1024], data: new Float32Array(2 ** 20) } }, { signal: stop.signal }));
        void run.then(() => (ran = true));
        const waiting = await failure(engine.load('/tiny.onnx', { signal: soon() }));
        const waited = !ran;
        stop.abort();
        const running = await run;
        const before = await failure(engine.load('/tiny.onnx', { signal: AbortSignal.abort() }));
        const whole = await failure(fuselane.load('/endless', { signal: soon() }));
        const late = new AbortController();
        const model = await engine.load('/tiny.onnx', { signal: late.signal });
        late.abort();
        const { y } = await model.run({ x: { dims: [1, 1], data: [3] } });
        return { codes: [download, response, stream, waiting, running, before, whole].map(({ code }) => code), waited, y: y.data[0] };
      }); // prettier-ignore
      assert.deepEqual(found, { codes: Array(7).fill('cancelled'), waited: true, y: 6 });
    });
  });
